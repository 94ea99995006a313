// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// As fuzz_reader.cpp, for the readers of volume cells.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tessera/core/error.h"
#include "tessera/io/polyhedra.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  io::ReadOptions options;
  options.threads = 1;  // the fuzzer runs one process a core; tests cover the threads
  try {
    const io::ReadPolyhedraResult result =
        io::parse_polyhedra({reinterpret_cast<const char*>(data), size},
                            io::Format::TESSERA_FUZZ_FORMAT, "fuzz", options);
    if (const auto wrong = result.mesh.validate()) {
      std::fprintf(stderr, "the reader returned a bad mesh: %s\n", wrong->c_str());
      std::abort();
    }
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.rfind("fuzz", 0) != 0) {
      std::fprintf(stderr, "the error does not name the file: %s\n", message.c_str());
      std::abort();
    }
  }
  return 0;
}
