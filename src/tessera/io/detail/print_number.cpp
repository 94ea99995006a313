// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/print_number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace tessera::io::detail {
namespace {

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// digits * 10^-scale, where both are exact in double: as a correct reader computes it.
double read_back(std::uint64_t digits, int scale) {
  const auto number = static_cast<double>(digits);
  return scale >= 0 ? number / powers[scale] : number * powers[-scale];
}

std::uint64_t scaled(double magnitude, int scale) {
  const double number = scale >= 0 ? magnitude * powers[scale] : magnitude / powers[-scale];
  // Positive and exact enough; std::llround would be a call.
  return static_cast<std::uint64_t>(number + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

/// Whether the decimal number reads back as that float. A double halfway between two floats may be
/// a rounded one, from which a reader that rounds once could go the other way: no for those.
bool reads_back(std::uint64_t digits, int scale, float magnitude) {
  const double number = read_back(digits, scale);
  constexpr std::uint64_t below_float = (std::uint64_t{1} << 29) - 1;
  constexpr std::uint64_t halfway = std::uint64_t{1} << 28;
  return static_cast<float>(number) == magnitude &&
         (std::bit_cast<std::uint64_t>(number) & below_float) != halfway;
}

/// The power of ten of the first digit, for 1e-5 <= magnitude < 1e7.
int first_power(double magnitude) {
  int power = 0;
  if (magnitude >= 1) {
    while (magnitude >= powers[power + 1]) ++power;
  } else {
    do --power;
    while (magnitude * powers[-power] < 1);
  }
  return power;
}

constexpr std::uint64_t tens[] = {1,
                                  10,
                                  100,
                                  1'000,
                                  10'000,
                                  100'000,
                                  1'000'000,
                                  10'000'000,
                                  100'000'000,
                                  1'000'000'000,
                                  10'000'000'000,
                                  100'000'000'000,
                                  1'000'000'000'000,
                                  10'000'000'000'000,
                                  100'000'000'000'000,
                                  1'000'000'000'000'000,
                                  10'000'000'000'000'000,
                                  100'000'000'000'000'000,
                                  1'000'000'000'000'000'000,
                                  10'000'000'000'000'000'000U};

/// Exactly `count` digits, with zeros in front. Two at a time: half the divisions.
template <class Unsigned>
char* print_padded(char* out, Unsigned number, int count) {
  char* at = out + count;
  for (; at - out >= 2; number /= 100) {
    const auto pair = static_cast<unsigned>(number % 100);
    *--at = static_cast<char>('0' + pair % 10);
    *--at = static_cast<char>('0' + pair / 10);
  }
  if (at > out) *--at = static_cast<char>('0' + static_cast<unsigned>(number));
  return out + count;
}

/// digits * 10^-scale without exponent; `Unsigned` holds the digits, of 32 bits for speed if it
/// can.
template <class Unsigned>
char* print_fixed(char* out, Unsigned digits, int scale) {
  if (scale <= 0)
    return std::to_chars(out, out + longest_number, std::uint64_t{digits} * tens[-scale]).ptr;
  if (std::uint64_t{digits} < tens[scale]) {
    *out++ = '0';
    *out++ = '.';
    return print_padded(out, digits, scale);
  }
  const auto unit = static_cast<Unsigned>(tens[scale]);
  const Unsigned whole = digits / unit;
  if (whole < 10) {
    *out++ = static_cast<char>('0' + static_cast<unsigned>(whole));
  } else {
    out = std::to_chars(out, out + longest_number, whole).ptr;
  }
  *out++ = '.';
  return print_padded(out, static_cast<Unsigned>(digits - whole * unit), scale);
}

bool is_everyday(double magnitude) {
  return magnitude >= 1e-5 && magnitude < 1e7;
}

}  // namespace

char* print_shortest(char* out, float value) {
  const float magnitude = std::abs(value);
  if (is_everyday(magnitude)) {
    const int power = first_power(magnitude);
    // Nine digits tell all floats apart; most need eight or nine.
    int scale = 7 - power;
    std::uint64_t digits = scaled(magnitude, scale);
    bool found = reads_back(digits, scale, magnitude);
    if (found) {
      while (digits >= 10) {
        const std::uint64_t fewer = scaled(magnitude, scale - 1);
        if (!reads_back(fewer, scale - 1, magnitude)) break;
        digits = fewer;
        --scale;
      }
    } else {
      digits = scaled(magnitude, ++scale);
      found = reads_back(digits, scale, magnitude);
    }
    if (found) {
      if (std::signbit(value)) *out++ = '-';
      return print_fixed(out, static_cast<std::uint32_t>(digits), scale);
    }
  }
  return std::to_chars(out, out + longest_number, value).ptr;
}

char* print_shortest(char* out, double value) {
  const double magnitude = std::abs(value);
  if (is_everyday(magnitude)) {
    // Of all decimal numbers of up to 15 digits at most one reads back as a given double.
    constexpr int count = 15;
    int scale = count - 1 - first_power(magnitude);
    std::uint64_t digits = scaled(magnitude, scale);
    if (read_back(digits, scale) == magnitude) {
      for (; scale > 0 && digits % 10 == 0; --scale) digits /= 10;
      if (std::signbit(value)) *out++ = '-';
      return print_fixed(out, digits, scale);
    }
  }
  return std::to_chars(out, out + longest_number, value).ptr;
}

}  // namespace tessera::io::detail
