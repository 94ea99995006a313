// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tessera/core/parallel.h"

namespace tessera::io::detail {
namespace {

Scanner scan(std::span<const char> text) {
  return {text.data(), text.data() + text.size()};
}

}  // namespace

LineTable::LineTable(const Source& source)
    : source_(source), pieces_(split_lines(source.bytes)), first_rows_(pieces_.size() + 1, 0) {
  Progress progress(source.progress, "counting lines", source.bytes.size());
  parallel_for(pieces_.size(), [&](std::size_t i) {
    Scanner text = scan(pieces_[i]);
    std::uint64_t rows = 0;
    for (to_row(text); text.position < text.end; to_row(text)) {
      ++rows;
      to_next_line(text);
    }
    first_rows_[i + 1] = rows;
    progress.advance(pieces_[i].size());
  });
  std::partial_sum(first_rows_.begin(), first_rows_.end(), first_rows_.begin());
}

std::size_t LineTable::piece_of(std::uint64_t row) const {
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  return static_cast<std::size_t>(after - first_rows_.begin()) - 1;
}

Scanner LineTable::row(std::uint64_t row) {
  const std::size_t piece = piece_of(row);
  if (cursor_.position == nullptr || row < cursor_row_ || cursor_row_ < first_rows_[piece]) {
    cursor_ = scan(pieces_[piece]);
    cursor_row_ = first_rows_[piece];
    to_row(cursor_);
  }
  for (; cursor_row_ < row; ++cursor_row_) {
    to_next_line(cursor_);
    to_row(cursor_);
  }
  return cursor_;
}

void LineTable::for_each_piece(std::uint64_t first, std::uint64_t count, Progress& progress,
                               const PieceParser& parse) const {
  if (count == 0) return;
  FirstError error;
  const std::size_t first_piece = piece_of(first);
  parallel_for(piece_of(first + count - 1) + 1 - first_piece, [&](std::size_t i) {
    const std::size_t piece = first_piece + i;
    if (error.precedes(pieces_[piece].data())) return;
    const std::uint64_t begin = std::max(first, first_rows_[piece]);
    const std::uint64_t end = std::min(first + count, first_rows_[piece + 1]);
    if (begin >= end) return;
    Scanner text = scan(pieces_[piece]);
    to_row(text);
    for (std::uint64_t row = first_rows_[piece]; row < begin; ++row) {
      to_next_line(text);
      to_row(text);
    }
    try {
      parse(text, begin - first, end - first);
    } catch (RowError& row_error) {
      error.report(row_error.where, std::move(row_error.message));
      return;
    }
    progress.advance(end - begin);
  });
  error.raise_at_line(source_);
}

}  // namespace tessera::io::detail
