// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include <zlib.h>

#include "tessera/core/array.h"

namespace tessera::io::detail {

/// Compresses one block after the other, each alone and ended at a byte, so that blocks compressed
/// by different threads can be joined (as pigz does): the stream ends with last_block().
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  /// Valid until the next call.
  std::string_view compress(std::span<const char> bytes);

  /// An empty block that says it is the last.
  static std::string_view last_block() { return {"\3\0", 2}; }

 private:
  z_stream stream_{};
  Array<char> output_;
};

}  // namespace tessera::io::detail
