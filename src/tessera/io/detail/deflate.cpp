// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/deflate.h"

#include <new>
#include <stdexcept>

namespace tessera::io::detail {

Deflater::Deflater() {
  constexpr int raw = -15;
  // Measured on 1.1 million faces as 3MF, two cores: 0.23 s and 14.8 MB; level 6 takes 0.91 s for
  // 13.8 MB.
  constexpr int fastest = 1;
  if (deflateInit2(&stream_, fastest, Z_DEFLATED, raw, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

Deflater::~Deflater() {
  deflateEnd(&stream_);
}

std::string_view Deflater::compress(std::span<const char> bytes) {
  deflateReset(&stream_);
  constexpr std::size_t flush = 16;
  output_.resize(deflateBound(&stream_, bytes.size()) + flush);
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
  stream_.avail_out = static_cast<uInt>(output_.size());
  if (deflate(&stream_, Z_SYNC_FLUSH) != Z_OK || stream_.avail_in != 0)
    throw std::logic_error("deflate did not take a block");
  return {output_.data(), output_.size() - stream_.avail_out};
}

}  // namespace tessera::io::detail
