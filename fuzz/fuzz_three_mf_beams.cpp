// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A libFuzzer target for beam lattices of 3MF files: reading ends in a valid graph or an
// InputError.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "named_error.h"
#include "tessera/core/error.h"
#include "tessera/io/lattice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  try {
    const io::ReadLatticeResult result =
        io::parse_lattice({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (const auto wrong = result.graph.validate()) {
      std::fprintf(stderr, "the reader returned a bad graph: %s\n", wrong->c_str());
      std::abort();
    }
    for (const LatticeClipping& clipping : result.clippings) {
      const bool in_range = clipping.first_strut + clipping.struts <= result.graph.struts.size();
      const auto wrong = clipping.surface.validate();
      if (in_range && !wrong) continue;
      std::fprintf(stderr, "the reader returned a bad clipping: %s\n",
                   wrong ? wrong->c_str() : "struts that are not there");
      std::abort();
    }
  } catch (const InputError& error) {
    expect_named(error);
  }
  return 0;
}
