// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::io::detail {

/// Room that print_shortest() needs; "-2.2250738585072014e-308" has 24 characters.
inline constexpr int longest_number = 32;

/// Writes the shortest digits that read back as the same number (as a float or, for the second, as
/// a double), and returns where they end. Numbers of everyday size (1e-5 to 1e7) without exponent.
/// Several times faster than std::to_chars for those, by a few multiplications and no loop. May
/// write into all of the `longest_number` characters.
char* print_shortest(char* out, float value);
char* print_shortest(char* out, double value);

/// The decimal digits of a whole number; the same room, the same freedom.
char* print_integer(char* out, std::uint32_t value);

}  // namespace tessera::io::detail
