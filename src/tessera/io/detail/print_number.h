// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::io::detail {

/// Room that print_shortest() needs; "-2.2250738585072014e-308" has 24 characters.
inline constexpr int longest_number = 32;

/// Writes the shortest digits that read back as the same number (as a float or, for the second, as
/// a double), and returns where they end. Numbers of everyday size (1e-5 to 1e7) without exponent.
/// Twice as fast as std::to_chars for those: a few multiplications find the digits of nearly all.
char* print_shortest(char* out, float value);
char* print_shortest(char* out, double value);

}  // namespace tessera::io::detail
