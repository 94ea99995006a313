// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "tessera/core/array.h"

namespace tessera::io::detail {

/// The bytes of a file, memory-mapped; what cannot be mapped (a pipe) is read instead.
class MappedFile {
 public:
  /// Throws InputError naming the file where it cannot be opened or is a directory.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const char> bytes() const { return bytes_; }

 private:
  std::span<const char> bytes_;
  void* mapping_ = nullptr;
  Array<char> copy_;
};

}  // namespace tessera::io::detail
