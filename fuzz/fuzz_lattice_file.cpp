// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// A libFuzzer target for lattice files: opening one, and meshing its blocks, ends well or in an
// InputError.
#include <cstddef>
#include <cstdint>
#include <span>

#include "named_error.h"
#include "tessera/core/error.h"
#include "tessera/exec/device.h"
#include "tessera/io/lattice_file.h"
#include "tessera/lattice/stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static const exec::Device device = exec::Device::cpu(1);
  try {
    const io::LatticeFile file({reinterpret_cast<const char*>(data), size}, "fuzz");
    try {
      lattice::mesh_stream(device, file, {0.3}, {},
                           [](std::size_t, std::uint64_t, std::span<const Facet>) {});
    } catch (const InputError&) {
      return 0;  // of the lattice, which knows no file
    }
  } catch (const InputError& error) {
    expect_named(error);
  }
  return 0;
}
