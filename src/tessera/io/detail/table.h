// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/progress.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/text.h"

namespace tessera::io::detail {

/// True at the end of a row: of its line, of the text, or at a comment.
inline bool at_row_end(Scanner& row) {
  row.skip_blanks();
  return row.position == row.end || *row.position == '\n' || *row.position == '#';
}

/// Thrown by what parses a row; LineTable turns the first one of all threads into an InputError.
struct RowError {
  const char* where;
  std::string message;
};

/// The rows of a text file that holds one element a line: every line but blank ones and those that
/// start with '#'. Knows after one parallel counting pass where each row is, so that a section of
/// rows can be parsed in parallel although the text says only how many there are.
class LineTable {
 public:
  explicit LineTable(const Source& source);

  std::uint64_t size() const { return first_rows_.back(); }

  /// The text from row `row` < size() on. Fast for rows asked for in ascending order.
  Scanner row(std::uint64_t row);

  /// Calls parse(i, text) for i = 0 .. count - 1, text at row `first` + i, from all threads of the
  /// current arena; text ends somewhere behind the row. first + count <= size(). If calls throw
  /// RowError, throws InputError about the first of these rows, whatever the threads do.
  template <class Parse>
  void for_each(std::uint64_t first, std::uint64_t count, Progress& progress, Parse parse) const {
    for_each_piece(first, count, progress, [&](Scanner text, std::uint64_t i, std::uint64_t last) {
      for (;;) {
        to_row(text);
        parse(i, text);
        if (++i == last) return;
        to_next_line(text);
      }
    });
  }

 private:
  using PieceParser = std::function<void(Scanner text, std::uint64_t first, std::uint64_t last)>;

  void for_each_piece(std::uint64_t first, std::uint64_t count, Progress& progress,
                      const PieceParser& parse) const;

  /// The piece that holds row `row` < size().
  std::size_t piece_of(std::uint64_t row) const;

  static void to_next_line(Scanner& text) {
    text.position = line_end(text.position, text.end);
    if (text.position < text.end) ++text.position;
  }

  /// From the start of a line to that row or the next one, or to the end.
  static void to_row(Scanner& text) {
    while (at_row_end(text) && text.position < text.end) to_next_line(text);
  }

  const Source& source_;
  std::vector<std::span<const char>> pieces_;
  std::vector<std::uint64_t> first_rows_;  ///< of each piece, and one entry more: the row count
  std::uint64_t cursor_row_ = 0;           ///< the row that row() found last
  Scanner cursor_{nullptr, nullptr};
};

}  // namespace tessera::io::detail
