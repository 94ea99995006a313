// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tessera/exec/device.h"

namespace tessera::bench {

/// Prints how long adaptations of two large meshes take on each device, and what the time goes
/// into. The first device is what the others are compared with. `only`: a part of the name of one,
/// or "".
void print_remesh_scaling(const std::vector<exec::Device>& devices, const std::string& fandisk,
                          int runs, const std::string& only);

}  // namespace tessera::bench
