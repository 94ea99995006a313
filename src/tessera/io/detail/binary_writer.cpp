// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/binary_writer.h"

#include <algorithm>

#include <oneapi/tbb/enumerable_thread_specific.h>

#include "tessera/core/array.h"
#include "tessera/core/parallel.h"

namespace tessera::io::detail {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10;

}  // namespace

void append_binary(OutputFile& file, std::uint64_t count, std::size_t size, Progress& progress,
                   const std::function<void(std::uint64_t, std::uint64_t, char*)>& fill) {
  const std::uint64_t block = std::max<std::uint64_t>(1, block_bytes / size);
  const std::uint64_t offset = file.extend(count * size);
  tbb::enumerable_thread_specific<Array<char>> buffers([&] { return Array<char>(block * size); });
  parallel_for((count + block - 1) / block, [&](std::uint64_t i) {
    const std::uint64_t first = i * block;
    const std::uint64_t last = std::min(first + block, count);
    Array<char>& buffer = buffers.local();
    fill(first, last, buffer.data());
    file.write_at(offset + first * size, {buffer.data(), (last - first) * size});
    progress.advance((last - first) * size);
  });
}

void append_binary(OutputFile& file, std::span<const char> bytes, Progress& progress) {
  const std::uint64_t offset = file.extend(bytes.size());
  parallel_for((bytes.size() + block_bytes - 1) / block_bytes, [&](std::size_t i) {
    const std::size_t first = i * block_bytes;
    const auto block = bytes.subspan(first, std::min(block_bytes, bytes.size() - first));
    file.write_at(offset + first, block);
    progress.advance(block.size());
  });
}

}  // namespace tessera::io::detail
