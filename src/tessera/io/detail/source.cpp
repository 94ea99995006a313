// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tessera/core/error.h"

namespace tessera::io::detail {

Source Source::without_byte_order_mark() const {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const bool has_mark = std::string_view(bytes.data(), bytes.size()).starts_with(mark);
  const std::size_t skip = has_mark ? mark.size() : 0;
  return {bytes.subspan(skip), name, progress, skipped + skip};
}

void Source::fail(std::string_view message) const {
  throw InputError(fmt::format("{}: {}", name, message));
}

void Source::fail_at_line(const char* where, std::string_view message) const {
  const auto line = 1 + std::count(begin(), std::min(where, end()), '\n');
  throw InputError(fmt::format("{}:{}: {}", name, line, message));
}

void Source::fail_at_offset(std::size_t offset, std::string_view message) const {
  throw InputError(fmt::format("{}: at byte {}: {}", name, skipped + offset, message));
}

void Source::check_counts(std::uint64_t vertices, std::uint64_t triangles) const {
  if (vertices >= no_index)
    fail(fmt::format("{} vertices are more than 32-bit indices can name", vertices));
  if (triangles >= no_index / 3)
    fail(fmt::format("{} triangles have more corners than 32-bit indices can name", triangles));
}

void FirstError::report(const char* where, std::string message) {
  const std::lock_guard lock(lock_);
  const char* first = where_.load();
  if (first != nullptr && first <= where) return;
  where_.store(where);
  message_ = std::move(message);
}

void FirstError::raise_at_line(const Source& source) const {
  if (const char* where = where_.load()) source.fail_at_line(where, message_);
}

void FirstError::raise_at_offset(const Source& source) const {
  if (const char* where = where_.load())
    source.fail_at_offset(static_cast<std::size_t>(where - source.begin()), message_);
}

}  // namespace tessera::io::detail
