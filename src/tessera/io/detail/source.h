// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "tessera/io/lattice.h"
#include "tessera/io/triangles.h"

namespace tessera::io::detail {

/// What a reader reads: the bytes of a file, and how to speak of them.
struct Source {
  std::span<const char> bytes;
  std::string name;
  const ProgressCallback& progress;
  std::size_t skipped = 0;  ///< bytes of the file before these

  const char* begin() const { return bytes.data(); }
  const char* end() const { return bytes.data() + bytes.size(); }

  /// The same without the mark that some editors put in front of UTF-8 text. No text format means
  /// anything by it.
  Source without_byte_order_mark() const;

  /// "NAME: MESSAGE"
  [[noreturn]] void fail(std::string_view message) const;
  /// "NAME:LINE: MESSAGE", for text; `where` points into the bytes.
  [[noreturn]] void fail_at_line(const char* where, std::string_view message) const;
  /// "NAME: at byte OFFSET: MESSAGE", for binary data.
  [[noreturn]] void fail_at_offset(std::size_t offset, std::string_view message) const;
  /// Fails where 32-bit indices cannot name that many; before anything is allocated for them.
  void check_counts(std::uint64_t vertices, std::uint64_t triangles) const;
};

/// Of the errors that many threads find, the one nearest to the start of the file: the message
/// must not depend on which thread was first.
class FirstError {
 public:
  /// `where` points into the source's bytes. Any thread.
  void report(const char* where, std::string message);

  /// Throws the first error, if there was one, as Source::fail_at_line or fail_at_offset does.
  void raise_at_line(const Source& source) const;
  void raise_at_offset(const Source& source) const;

  /// Whether there was an error before `where`; then what follows is not worth parsing.
  bool precedes(const char* where) const {
    const char* first = where_.load(std::memory_order_relaxed);
    return first != nullptr && first < where;
  }

 private:
  std::mutex lock_;
  std::atomic<const char*> where_{nullptr};
  std::string message_;
};

// One reader and one writer for each format, each in its own file. Readers run inside the arena
// that read_triangles() chose; they return indices in range and finite coordinates.
ReadResult read_obj(const Source& source);
ReadResult read_ply(const Source& source);
ReadResult read_stl(const Source& source);
ReadResult read_off(const Source& source);
ReadResult read_three_mf(const Source& source);
ReadLatticeResult read_three_mf_beams(const Source& source);
ReadResult read_medit(const Source& source);

}  // namespace tessera::io::detail
