// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/text_writer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tessera/core/arena.h"
#include "tessera/core/parallel.h"

namespace tessera::io::detail {

void TextBuffer::grow(std::size_t more) {
  constexpr std::size_t smallest = std::size_t{4} << 10;
  const std::size_t capacity = std::max({2 * capacity_, size_ + more, smallest});
  std::unique_ptr<char[]> larger(new char[capacity]);  // not make_unique, which clears it
  if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

void append_text(OutputFile& file, std::size_t count, Progress& progress,
                 const std::function<void(std::size_t, std::size_t, TextBuffer&)>& format) {
  // About 128 KiB of text: large enough for a system call, small enough for the L2 cache.
  constexpr std::size_t block = 4096;
  // Blocks are formatted some at a time, then stored, each where the one before it ends.
  std::vector<TextBuffer> texts(static_cast<std::size_t>(Arena::current_threads()) * 8);
  std::vector<std::uint64_t> offsets(texts.size());
  const std::size_t blocks = (count + block - 1) / block;
  for (std::size_t wave = 0; wave < blocks; wave += texts.size()) {
    const std::size_t n = std::min(texts.size(), blocks - wave);
    parallel_for(n, [&](std::size_t i) {
      const std::size_t first = (wave + i) * block;
      const std::size_t last = std::min(first + block, count);
      texts[i].clear();
      format(first, last, texts[i]);
      progress.advance(last - first);
    });
    for (std::size_t i = 0; i < n; ++i) offsets[i] = file.extend(texts[i].bytes().size());
    parallel_for(n, [&](std::size_t i) { file.write_at(offsets[i], texts[i].bytes()); });
  }
}

}  // namespace tessera::io::detail
