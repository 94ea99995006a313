// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/print_number.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

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
  return static_cast<std::uint64_t>(
      (scale >= 0 ? magnitude * powers[scale] : magnitude / powers[-scale]) + 0.5);
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

/// digits * 10^-scale without exponent.
char* print_fixed(char* out, std::uint64_t digits, int scale) {
  for (; scale < 0; ++scale) digits *= 10;
  char text[24];
  const auto count = static_cast<int>(std::to_chars(text, text + sizeof text, digits).ptr - text);
  const int whole = count - scale;  // digits before the point
  if (whole <= 0) {
    *out++ = '0';
    *out++ = '.';
    for (int i = whole; i < 0; ++i) *out++ = '0';
    std::memcpy(out, text, static_cast<std::size_t>(count));
    return out + count;
  }
  std::memcpy(out, text, static_cast<std::size_t>(whole));
  out += whole;
  if (scale > 0) {
    *out++ = '.';
    std::memcpy(out, text + whole, static_cast<std::size_t>(scale));
    out += scale;
  }
  return out;
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
      return print_fixed(out, digits, scale);
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
