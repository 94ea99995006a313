// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

namespace tessera::io::detail {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads tokens of one line, or of any stretch of text, from left to right. A failed read returns
/// false and leaves `position` at the token that is wrong.
struct Scanner {
  const char* position;
  const char* end;

  /// Blanks, but no line end.
  void skip_blanks() {
    while (position < end && is_blank(*position)) ++position;
  }

  bool at_end() {
    skip_blanks();
    return position == end;
  }

  /// Whether what was read last ends here: "1.5" does in "1.5 2", not in "1.5x".
  bool at_boundary() const { return position == end || is_blank(*position) || *position == '\n'; }

  /// The characters up to the next blank or line end.
  std::string_view token() {
    skip_blanks();
    const char* first = position;
    while (position < end && !is_blank(*position) && *position != '\n') ++position;
    return {first, static_cast<std::size_t>(position - first)};
  }

  bool read(double& value);

  template <std::integral T>
  bool read(T& value) {
    skip_blanks();
    const bool plus = position < end && *position == '+';
    if (plus && !(position + 1 < end && is_digit(position[1]))) return false;
    const auto [stop, error] = std::from_chars(position + (plus ? 1 : 0), end, value);
    if (error != std::errc{}) return false;
    position = stop;
    return true;
  }

  /// Like read(), but the number must end where it is read to: "1.9" is no whole number and "1x"
  /// none at all. A comment may follow at once.
  template <class T>
  bool read_whole(T& value) {
    return read(value) && (at_boundary() || *position == '#');
  }

 private:
  /// A number that is long, huge, tiny, "nan", "inf", or none at all; `number` is past the sign.
  bool read_unusual(const char* number, bool negative, double& value);
};

/// Correctly rounded. Numbers of up to 15 digits and a small exponent, nearly all there are, take
/// the exact short cut of Clinger (1990): both the digits and the power of ten are doubles.
inline bool Scanner::read(double& value) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  skip_blanks();
  const char* p = position;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  const char* number = p;
  std::uint64_t digits = 0;
  std::ptrdiff_t exponent = 0;
  const char* first = p;
  while (p < end && is_digit(*p)) digits = digits * 10 + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t count = p - first;
  if (p < end && *p == '.') {
    first = ++p;
    while (p < end && is_digit(*p)) digits = digits * 10 + static_cast<std::uint64_t>(*p++ - '0');
    count += p - first;
    exponent = first - p;
  }
  if (count > 0 && p < end && (*p == 'e' || *p == 'E')) {
    const char* e = p + 1;
    const bool down = e < end && *e == '-';
    if (e < end && (*e == '-' || *e == '+')) ++e;
    constexpr std::ptrdiff_t beyond_all = 1'000'000;
    std::ptrdiff_t written = 0;
    first = e;
    for (; e < end && is_digit(*e); ++e)
      if (written < beyond_all) written = written * 10 + (*e - '0');
    if (e > first) {
      exponent += down ? -written : written;
      p = e;
    }
  }
  if (count > 0 && count <= 15 && exponent >= -22 && exponent <= 22) {
    const double magnitude = static_cast<double>(digits);
    const double result =
        exponent < 0 ? magnitude / powers[-exponent] : magnitude * powers[exponent];
    value = negative ? -result : result;
    position = p;
    return true;
  }
  return read_unusual(number, negative, value);
}

/// The end of the line that starts at `p`: its '\n', or `end`.
inline const char* line_end(const char* p, const char* end) {
  const void* found = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// Calls f(first, last) for every line of [begin, end), '\n' not included.
template <class F>
void for_each_line(const char* begin, const char* end, F f) {
  while (begin < end) {
    const char* stop = line_end(begin, end);
    f(begin, stop);
    begin = stop + 1;
  }
}

/// Cuts text into pieces of about `target` bytes that end at line ends: the unit of parallel
/// parsing. 256 KiB keeps a piece in the L2 cache between the counting and the parsing pass.
std::vector<std::span<const char>> split_lines(std::span<const char> text,
                                               std::size_t target = std::size_t{256} << 10);

}  // namespace tessera::io::detail
