// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "tessera/core/array.h"

// Arrays of the viewer page as bytes: first made easy to compress, then deflated, in parallel.

namespace tessera::io::detail {

/// "xor4": each word xor the one `stride` places before, in four planes of bytes, the lowest first.
Array<char> encode_words(std::span<const std::uint32_t> words, std::size_t stride);

/// "varint": differences of neighbours, small ones in one byte.
Array<char> encode_varints(std::span<const std::uint32_t> numbers);

/// "bytes": as they are.
Array<char> encode_bytes(std::span<const std::uint8_t> bytes);

/// Four letters for each three bytes, padded with '='.
Array<char> base64(std::span<const char> bytes);

}  // namespace tessera::io::detail
