// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tessera::io::detail {

/// Binary STL: 80 bytes of anything, a 32-bit count, then for each face a normal, three corners
/// and 16 bits that some programs use for a colour. Little-endian, single precision, unaligned.
struct StlLayout {
  static constexpr std::size_t count_offset = 80;
  static constexpr std::size_t faces_offset = 84;
  static constexpr std::size_t face_size = 50;
  static constexpr std::size_t corners_offset = 12;    ///< within a face
  static constexpr std::size_t attribute_offset = 48;  ///< within a face
  static constexpr const char* attribute_name = "attribute";
};

}  // namespace tessera::io::detail
