// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/text_writer.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>

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

namespace {

/// Room in the file for blocks that finish in any order and lie in it in their own order.
class OrderedRoom {
 public:
  explicit OrderedRoom(OutputFile& file) : file_(file) {}

  /// Where block number `block` goes; waits until all blocks before it have asked. No room for
  /// anybody after close().
  std::optional<std::uint64_t> take(std::size_t block, std::size_t bytes) {
    for (std::size_t turn = turn_; turn != block; turn = turn_) {
      if (turn == closed) return std::nullopt;
      turn_.wait(turn);
    }
    const std::uint64_t start = file_.extend(bytes);
    pass_turn(block, block + 1);
    return start;
  }

  void close() {
    turn_ = closed;
    turn_.notify_all();
  }

 private:
  static constexpr std::size_t closed = static_cast<std::size_t>(-1);

  void pass_turn(std::size_t from, std::size_t to) {
    turn_.compare_exchange_strong(from, to);  // unless it was closed
    turn_.notify_all();
  }

  OutputFile& file_;
  std::atomic<std::size_t> turn_ = 0;
};

}  // namespace

void append_text(OutputFile& file, std::size_t count, Progress& progress,
                 const std::function<void(std::size_t, std::size_t, TextBuffer&)>& format) {
  // About 128 KiB of text: large enough for a system call, small enough for the L2 cache.
  constexpr std::size_t block_size = 4096;
  const std::size_t blocks = (count + block_size - 1) / block_size;
  OrderedRoom room(file);
  std::atomic<std::size_t> next = 0;
  // A thread that waits in take() waits for one that took its block earlier, and so is at work.
  const auto work = [&] {
    TextBuffer text;
    for (std::size_t block = 0; (block = next++) < blocks;) {
      const std::size_t first = block * block_size;
      const std::size_t last = std::min(first + block_size, count);
      text.clear();
      format(first, last, text);
      const auto start = room.take(block, text.bytes().size());
      if (!start) return;
      file.write_at(*start, text.bytes());
      progress.advance(last - first);
    }
  };
  const auto threads = static_cast<std::size_t>(Arena::current_threads());
  parallel_for(std::min(threads, blocks), [&](std::size_t) {
    try {
      work();
    } catch (...) {
      room.close();
      throw;
    }
  });
}

}  // namespace tessera::io::detail
