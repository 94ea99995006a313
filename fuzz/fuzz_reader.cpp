// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A libFuzzer target for one reader, chosen at compile time by TESSERA_FUZZ_FORMAT and
// TESSERA_FUZZ_PARSE (parse_triangles or parse_polyhedra). Whatever the bytes are, reading them
// ends in a valid mesh or in an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "named_error.h"
#include "tessera/core/error.h"
#include "tessera/io/polyhedra.h"
#include "tessera/io/triangles.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  io::ReadOptions options;
  options.threads = 1;  // the fuzzer runs one process a core; tests cover the threads
  try {
    const auto result = io::TESSERA_FUZZ_PARSE({reinterpret_cast<const char*>(data), size},
                                               io::Format::TESSERA_FUZZ_FORMAT, "fuzz", options);
    if (const auto wrong = result.mesh.validate()) {
      std::fprintf(stderr, "the reader returned a bad mesh: %s\n", wrong->c_str());
      std::abort();
    }
  } catch (const InputError& error) {
    expect_named(error);
  }
  return 0;
}
