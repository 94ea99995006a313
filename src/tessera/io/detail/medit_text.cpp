// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/medit_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tessera/core/error.h"

namespace tessera::io::detail {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Finder {
 public:
  Finder(const Source& source, LineTable& table) : source_(source), table_(table) {}

  MeditText run(const std::vector<std::string_view>& needed, std::uint64_t extra_rows) {
    MeditText text;
    if (table_.size() == 0) source_.fail("the file is empty");
    text.version = static_cast<int>(read_value("MeshVersionFormatted", 1, 4));
    while (row_ < table_.size()) {
      Scanner scanner = table_.row(row_);
      MeditSection section;
      section.where = scanner.position;
      section.keyword = scanner.token();
      if (section.keyword == "End") break;
      if (section.keyword == "Dimension") {
        text.dimension = static_cast<int>(read_value("Dimension", 2, 3));
        continue;
      }
      if (!is_letter(section.keyword[0]))
        source_.fail_at_line(section.where,
                             "expected a keyword; there may be more rows here than "
                             "the section above announces");
      const bool counted = read_count(section, scanner);
      section.first_row = row_;
      if (std::find(needed.begin(), needed.end(), section.keyword) != needed.end()) {
        if (!counted)
          source_.fail_at_line(section.where,
                               fmt::format("{} needs a number below it", section.keyword));
        if (section.count > table_.size() || section.count + extra_rows > table_.size() - row_)
          source_.fail(fmt::format("{} {} are announced, but only {} lines follow", section.count,
                                   section.keyword, table_.size() - row_));
        row_ += section.count + extra_rows;
      } else {
        skip(section);
      }
      text.sections.push_back(std::move(section));
    }
    if (text.dimension == 0) source_.fail("the file has no Dimension");
    return text;
  }

 private:
  /// The value of the keyword at the current row, and past it.
  std::int64_t read_value(std::string_view keyword, std::int64_t smallest, std::int64_t largest) {
    Scanner scanner = table_.row(row_);
    const char* where = scanner.position;
    if (scanner.token() != keyword)
      source_.fail_at_line(where,
                           fmt::format("not a MEDIT text: it does not start with {}", keyword));
    std::int64_t value = 0;
    if (at_row_end(scanner) && row_ + 1 < table_.size()) scanner = table_.row(++row_);
    ++row_;
    if (!scanner.read(value) || !at_row_end(scanner) || value < smallest || value > largest)
      source_.fail_at_line(
          where, fmt::format("{} must be {} to {}, alone on its line", keyword, smallest, largest));
    return value;
  }

  /// Reads the count behind or below the keyword; the current row is then the first below both.
  bool read_count(MeditSection& section, Scanner scanner) {
    ++row_;
    const bool below = at_row_end(scanner);
    if (below && row_ == table_.size()) return false;
    if (below) scanner = table_.row(row_);
    if (!scanner.read(section.count) || !at_row_end(scanner)) {
      section.count = 0;
      return false;
    }
    if (below) ++row_;
    return true;
  }

  bool at_keyword(std::uint64_t row) { return is_letter(*table_.row(row).position); }

  /// Past the rows of a section that nobody reads. Its keyword may be one that we do not know, with
  /// another grammar, so the count is believed only if a keyword or the end comes after it.
  void skip(const MeditSection& section) {
    const std::uint64_t left = table_.size() - row_;
    if (section.count == left) {
      row_ = table_.size();
      return;
    }
    if (section.count < left && at_keyword(row_ + section.count)) {
      row_ += section.count;
      return;
    }
    while (row_ < table_.size() && !at_keyword(row_)) ++row_;
    if (row_ == table_.size() && section.count > left)
      source_.fail(fmt::format("{} {} are announced, but only {} lines follow", section.count,
                               section.keyword, left));
  }

  const Source& source_;
  LineTable& table_;
  std::uint64_t row_ = 0;
};

}  // namespace

const MeditSection* MeditText::find(const Source& source, std::string_view keyword) const {
  const MeditSection* found = nullptr;
  for (const MeditSection& section : sections) {
    if (section.keyword != keyword) continue;
    if (found != nullptr)
      source.fail_at_line(section.where, fmt::format("a second section {}", keyword));
    found = &section;
  }
  return found;
}

MeditText find_sections(const Source& source, LineTable& table,
                        const std::vector<std::string_view>& needed, std::uint64_t extra_rows) {
  return Finder(source, table).run(needed, extra_rows);
}

}  // namespace tessera::io::detail
