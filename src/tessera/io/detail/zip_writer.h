// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/progress.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/text_writer.h"

namespace tessera::io::detail {

/// Writes a ZIP archive. Text is deflated in parallel: every block for itself, and the streams
/// joined, which any reader takes for one.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file) : file_(file) {}

  /// Starts the next file. `most` is at least the size of its content: only for more than 4 GiB
  /// does the archive need the ZIP64 extension, which not every program reads.
  void begin(std::string_view name, std::uint64_t most);

  void append(std::string_view text);

  /// As append_text(), compressed.
  void append(std::size_t count, Progress& progress,
              const std::function<void(std::size_t, std::size_t, TextBuffer&)>& format);

  /// Ends the file that begin() started.
  void end();

  /// Ends the archive.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t header = 0;  ///< where its header stands in the archive
    std::uint64_t data = 0;    ///< where its compressed content starts
    std::uint64_t compressed = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    bool zip64 = false;
  };

  static std::string local_header(const Entry& entry);
  static std::string directory_header(const Entry& entry);

  OutputFile& file_;
  std::vector<Entry> entries_;
};

}  // namespace tessera::io::detail
