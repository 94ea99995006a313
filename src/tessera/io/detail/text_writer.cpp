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
  // Blocks are formatted in waves. While a wave is formatted, one thread stores the wave before it,
  // in order: the system lets only one thread at a time write to a file anyway.
  const std::size_t wave = static_cast<std::size_t>(Arena::current_threads()) * 8;
  std::vector<TextBuffer> texts(wave);
  std::vector<TextBuffer> ready(wave);
  std::size_t ready_count = 0;
  const std::size_t blocks = (count + block - 1) / block;
  for (std::size_t done = 0; done < blocks || ready_count > 0; done += wave) {
    const std::size_t n = std::min(wave, blocks - std::min(done, blocks));
    parallel_for(n + 1, [&](std::size_t i) {
      if (i == 0) {
        for (std::size_t k = 0; k < ready_count; ++k) file.append(ready[k].bytes());
        return;
      }
      TextBuffer& text = texts[i - 1];
      const std::size_t first = (done + i - 1) * block;
      const std::size_t last = std::min(first + block, count);
      text.clear();
      format(first, last, text);
      progress.advance(last - first);
    });
    texts.swap(ready);
    ready_count = n;
  }
}

}  // namespace tessera::io::detail
