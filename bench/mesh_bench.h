// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tessera/core/triangle_soup.h"
#include "tessera/exec/device.h"

namespace tessera::bench {

/// What the benchmarks of meshes take:
///   [--device cuda] [--threads N] [--mesh FILE] [--levels N] [--largest FACES]
struct MeshArguments {
  exec::Device device = exec::Device::cpu();
  std::string file;  ///< none: a wavy sphere of 1.1 million faces
  int levels = 0;    ///< how often the mesh is split at its midpoints
  std::uint64_t largest = 10'000'000;

  MeshArguments(int argc, char** argv);

  TriangleSoup load() const;
};

/// Registers a benchmark. Times are those of the device where it has a clock of its own, without
/// anything of an earlier run in a GPU's cache. Five times the mean of that many
/// calls is taken (0: 20 on a GPU, 3 on the CPU).
void add_case(const std::string& name, const exec::Device& device, const std::function<void()>& run,
              int calls = 0);

}  // namespace tessera::bench
