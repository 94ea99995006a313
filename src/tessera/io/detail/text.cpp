// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/text.h"

namespace tessera::io::detail {

bool Scanner::read_unusual(const char* number, bool negative, double& value) {
  if (number < end && *number == '-') return false;  // "--1", which from_chars would accept
  const auto [stop, error] = std::from_chars(number, end, value);
  if (error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say which way: the place of the first digit other than 0 does.
    const char* p = number;
    while (p < stop && *p == '0') ++p;
    std::ptrdiff_t magnitude = 0;
    if (p < stop && *p == '.') {
      const char* point = p++;
      while (p < stop && *p == '0') ++p;
      magnitude = point - p;
    } else {
      while (p < stop && is_digit(*p)) ++p, ++magnitude;
    }
    while (p < stop && *p != 'e' && *p != 'E') ++p;
    const bool down = p + 1 < stop && p[1] == '-';
    std::ptrdiff_t written = 0;
    for (++p; p < stop; ++p)
      if (is_digit(*p) && written < stop - number + 1'000) written = written * 10 + (*p - '0');
    magnitude += down ? -written : written;
    value = magnitude < 0 ? 0.0 : HUGE_VAL;
  }
  if (negative) value = -value;
  position = stop;
  return true;
}

std::vector<std::span<const char>> split_lines(std::span<const char> text, std::size_t target) {
  std::vector<std::span<const char>> pieces;
  pieces.reserve(text.size() / target + 1);
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end) {
    const char* stop = end;
    if (static_cast<std::size_t>(end - p) > target) {
      stop = line_end(p + target, end);
      if (stop < end) ++stop;
    }
    pieces.emplace_back(p, static_cast<std::size_t>(stop - p));
    p = stop;
  }
  return pieces;
}

}  // namespace tessera::io::detail
