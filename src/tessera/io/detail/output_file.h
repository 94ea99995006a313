// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

namespace tessera::io::detail {

/// Where an output goes.
struct OutputPlace {
  std::filesystem::path path;  ///< of the file itself: symbolic links are followed
  std::optional<mode_t> mode;  ///< of the file that is there now, if there is one
};

/// Throws InputError, naming the file, where none can be put: a folder, pipe or device is in its
/// place, its folder is missing or must not be written, the name is too long.
OutputPlace find_output_place(const std::filesystem::path& name);

/// A file that appears under its name only when it is complete. Until commit() it has no name at
/// all where the file system allows that (O_TMPFILE), so that even a killed process leaves
/// nothing behind; elsewhere it has a temporary name, removed by the destructor. A file that it
/// replaces passes its mode on; a symbolic link stays, and its target is replaced.
class OutputFile {
 public:
  /// Throws as find_output_place() does; OutputError where the file system refuses all the same.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Stores bytes at an offset; any thread, any order. Throws OutputError (disk full, ...).
  void write_at(std::uint64_t offset, std::span<const char> bytes);

  /// Lets the system start to bring these bytes to the disk, without waiting until they are there:
  /// the disk works while the rest of the file is made.
  void start_storing(std::uint64_t offset, std::uint64_t bytes);

  /// Appends; one thread at a time.
  void append(std::span<const char> bytes);

  /// Makes the file `bytes` longer and returns where the new part starts; write_at() must fill it.
  /// One thread at a time.
  std::uint64_t extend(std::uint64_t bytes);

  /// Bytes appended so far.
  std::uint64_t size() const { return size_; }

  /// Gives the file its name, replacing what was there.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void allocate_ahead();

  std::filesystem::path name_;  ///< as the caller knows it
  OutputPlace place_;
  std::string temporary_;  ///< empty while the file is nameless
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t allocated_ = 0;  ///< on the disk, as far as we asked for it
};

}  // namespace tessera::io::detail
