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
  const double number = scale >= 0 ? magnitude * powers[scale] : magnitude / powers[-scale];
  // Positive and exact enough; std::llround would be a call.
  return static_cast<std::uint64_t>(number + 0.5);  // NOLINT(bugprone-incorrect-roundings)
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

constexpr std::uint64_t eight_zeros = 0x3030303030303030;

/// The text of a number below 10^8 with zeros in front, first digit in the lowest byte: all digits
/// are computed side by side, without a branch.
std::uint64_t eight_digits(std::uint32_t number) {
  const std::uint64_t halves = number / 10000 | std::uint64_t{number % 10000} << 32;
  // In each half: x / 100 in the lower, x % 100 in the upper 16 bits. 10486 / 2^20 is 1 / 100.
  const std::uint64_t hundreds = halves * 10486 >> 20 & 0x0000007f'0000007f;
  const std::uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
  // In each pair: x / 10 and x % 10. 103 / 2^10 is 1 / 10.
  const std::uint64_t first = pairs * 103 >> 10 & 0x000f000f'000f000f;
  return (first | (pairs - first * 10) << 8) + eight_zeros;
}

void store(char* out, std::uint64_t text) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(out, &text, sizeof text);
}

/// The nine digits d.dddddddd * 10^power, for -5 <= power <= 6, without zeros at the end.
/// Writes up to 8 characters more than it returns.
char* print_placed(char* out, std::uint32_t nine_digits, int power) {
  const std::uint32_t leading = nine_digits / 100'000'000;
  const std::uint64_t rest = eight_digits(nine_digits - leading * 100'000'000);
  const int count = 9 - std::countl_zero(rest ^ eight_zeros) / 8;
  // Everything is moved in registers: reading back what was just written would stall.
  const auto put_all = [&](char* first) {
    *first = static_cast<char>('0' + leading);
    store(first + 1, rest);
  };
  if (power < 0) {
    std::memcpy(out, "0.0000", 6);
    out += 1 - power;
    put_all(out);
    return out + count;
  }
  put_all(out);
  const int whole = power + 1;
  out[whole] = '.';
  store(out + whole + 1, rest >> 8 * power);
  return out + (count > whole ? count + 1 : whole);
}

/// Of 0 <= number < 2^51: adding 2^52 leaves no room for a fraction.
double nearest_whole(double number) {
  constexpr double no_fraction = 4503599627370496.0;
  return (number + no_fraction) - no_fraction;
}

/// As first_power(), from the exponent of the float: one comparison.
int first_power_of_float(float magnitude, std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 23) - 127;
  const int below = exponent * 1233 >> 12;  // 1233 / 4096 is log10(2), rounded down
  constexpr int offset = 6;                 // of 1 in the table
  static constexpr double table[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
                                     1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7};
  return magnitude >= table[below + 1 + offset] ? below + 1 : below;
}

}  // namespace

char* print_shortest(char* out, float value) {
  const float magnitude = std::abs(value);
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  constexpr std::uint32_t fraction = (std::uint32_t{1} << 23) - 1;
  // Below a power of two floats lie closer than above it; the interval of such a number is
  // lopsided.
  if (is_everyday(magnitude) && (bits & fraction) != 0) {
    const int power = first_power_of_float(magnitude, bits);
    // All decimals closer than half the distance to the next float read back as this one. In units
    // of the ninth digit, that is 3 to 60: nine digits are always enough, often eight or seven.
    const double unit = powers[8 - power];
    const double exact = magnitude * unit;
    const double half_gap = std::bit_cast<float>((bits & ~fraction) - (24U << 23)) * unit;
    const double seven = 100 * nearest_whole(exact * 0.01);
    const double eight = 10 * nearest_whole(exact * 0.1);
    const double nine = nearest_whole(exact);
    const double error_of_seven = std::abs(seven - exact);
    const double error_of_eight = std::abs(eight - exact);
    // Where rounding errors could decide, the general printer does.
    constexpr double doubt = 1e-6;
    const bool clear =
        std::abs(error_of_seven - half_gap) > doubt && std::abs(error_of_eight - half_gap) > doubt;
    double digits = error_of_eight < half_gap ? eight : nine;
    digits = error_of_seven < half_gap ? seven : digits;
    // Fewer digits: seldom in scans, mostly in made shapes.
    const auto rounded = [&](double step) { return step * nearest_whole(exact / step); };
    const auto is_enough = [&](double candidate) {
      return std::abs(candidate - exact) < half_gap - doubt;
    };
    if (is_enough(1000 * nearest_whole(exact * 0.001))) {
      for (double step = 1000; is_enough(rounded(step)); step *= 10) digits = rounded(step);
    }
    if (clear && digits < 1e9) {
      *out = '-';
      out += std::signbit(value) ? 1 : 0;
      return print_placed(out, static_cast<std::uint32_t>(digits), power);
    }
  }
  if (magnitude == 0) {
    *out = '-';
    out += std::signbit(value) ? 1 : 0;
    *out++ = '0';
    return out;
  }
  return std::to_chars(out, out + longest_number, value).ptr;
}

char* print_integer(char* out, std::uint32_t value) {
  if (value >= 100'000'000) return std::to_chars(out, out + longest_number, value).ptr;
  const std::uint64_t text = eight_digits(value);
  // The last digit stays, be it zero.
  const int zeros = std::countr_zero((text ^ eight_zeros) | std::uint64_t{1} << 56) / 8;
  store(out, text >> 8 * zeros);
  return out + 8 - zeros;
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
