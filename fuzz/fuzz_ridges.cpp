// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The reader of ridges, as fuzz_reader.cpp for meshes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "named_error.h"
#include "tessera/core/error.h"
#include "tessera/io/detail/ridges.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  // The first byte is the number of vertices, which the mesh would tell.
  if (size == 0) return 0;
  const std::size_t vertices = data[0];
  const ProgressCallback silent;
  const io::detail::Source source{
      {reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", silent};
  try {
    for (const VertexPair& ridge : io::detail::read_ridges(source, vertices))
      if (ridge[0] >= vertices || ridge[1] >= vertices) std::abort();
  } catch (const InputError& error) {
    expect_named(error);
  }
  return 0;
}
