// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/scene_blocks.h"

#include <algorithm>
#include <vector>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/deflate.h"

namespace tessera::io::detail {
namespace {

/// Compresses what encode(begin, end, bytes) appends to `bytes` for each part of the items.
template <class Encode>
Array<char> deflate_parts(std::size_t items, const Encode& encode) {
  constexpr std::size_t part = std::size_t{1} << 20;
  const std::size_t parts = (items + part - 1) / part;
  std::vector<Array<char>> compressed(parts);
  parallel_for(parts, [&](std::size_t p) {
    Array<char> bytes;
    encode(p * part, std::min(items, (p + 1) * part), bytes);
    Deflater deflater;
    const std::string_view block = deflater.compress(bytes);
    compressed[p].assign(block.begin(), block.end());
  });
  Array<char> all;
  for (const Array<char>& block : compressed) all.insert(all.end(), block.begin(), block.end());
  all.insert(all.end(), Deflater::last_block().begin(), Deflater::last_block().end());
  return all;
}

std::uint32_t zigzag(std::uint32_t difference) {
  return (difference << 1) ^ ((difference >> 31) != 0 ? ~std::uint32_t{0} : 0);
}

}  // namespace

Array<char> encode_words(std::span<const std::uint32_t> words, std::size_t stride) {
  const std::size_t n = words.size();
  return deflate_parts(4 * n, [&](std::size_t begin, std::size_t end, Array<char>& bytes) {
    bytes.resize(end - begin);
    for (std::size_t b = begin; b < end; ++b) {
      const std::size_t plane = b / n;
      const std::size_t i = b % n;
      const std::uint32_t changed = words[i] ^ (i < stride ? 0 : words[i - stride]);
      bytes[b - begin] = static_cast<char>(changed >> (8 * plane));
    }
  });
}

Array<char> encode_varints(std::span<const std::uint32_t> numbers) {
  return deflate_parts(numbers.size(), [&](std::size_t begin, std::size_t end, Array<char>& bytes) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t rest = zigzag(numbers[i] - (i == 0 ? 0 : numbers[i - 1]));
      for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<char>((rest & 0x7f) | 0x80));
      bytes.push_back(static_cast<char>(rest));
    }
  });
}

Array<char> encode_bytes(std::span<const std::uint8_t> bytes) {
  return deflate_parts(bytes.size(), [&](std::size_t begin, std::size_t end, Array<char>& out) {
    out.assign(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
               bytes.begin() + static_cast<std::ptrdiff_t>(end));
  });
}

Array<char> base64(std::span<const char> bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t groups = (bytes.size() + 2) / 3;
  Array<char> text(4 * groups);
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0;
  };
  parallel_for_ranges(groups, 65536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const std::uint32_t bits = byte(3 * g) << 16 | byte(3 * g + 1) << 8 | byte(3 * g + 2);
      for (std::size_t k = 0; k < 4; ++k)
        text[4 * g + k] = 3 * g + k > bytes.size() ? '=' : letters[(bits >> (18 - 6 * k)) & 63];
    }
  });
  return text;
}

}  // namespace tessera::io::detail
