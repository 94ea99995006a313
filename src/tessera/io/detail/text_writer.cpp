// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/text_writer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

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
  struct Piece {
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint64_t offset = 0;
    TextBuffer text;
  };
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t in_flight = 2 * threads;
  // Storing ends out of order, so pieces cannot be handed out in rotation.
  std::vector<Piece> pieces(in_flight);
  std::vector<Piece*> free_pieces;
  for (Piece& piece : pieces) free_pieces.push_back(&piece);
  std::mutex free_lock;

  std::size_t next = 0;
  auto take = [&](tbb::flow_control& control) -> Piece* {
    if (next >= count) {
      control.stop();
      return nullptr;
    }
    const std::lock_guard lock(free_lock);
    Piece* piece = free_pieces.back();
    free_pieces.pop_back();
    piece->first = next;
    piece->last = next = std::min(next + block, count);
    return piece;
  };
  auto fill = [&](Piece* piece) {
    piece->text.clear();
    format(piece->first, piece->last, piece->text);
    progress.advance(piece->last - piece->first);
    return piece;
  };
  auto place = [&](Piece* piece) {
    piece->offset = file.extend(piece->text.bytes().size());
    return piece;
  };
  auto store = [&](Piece* piece) {
    file.write_at(piece->offset, piece->text.bytes());
    const std::lock_guard lock(free_lock);
    free_pieces.push_back(piece);
  };
  tbb::parallel_pipeline(
      in_flight, tbb::make_filter<void, Piece*>(tbb::filter_mode::serial_in_order, take) &
                     tbb::make_filter<Piece*, Piece*>(tbb::filter_mode::parallel, fill) &
                     tbb::make_filter<Piece*, Piece*>(tbb::filter_mode::serial_in_order, place) &
                     tbb::make_filter<Piece*, void>(tbb::filter_mode::parallel, store));
}

}  // namespace tessera::io::detail
