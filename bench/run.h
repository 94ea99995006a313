// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::bench {

/// What a benchmark program does; main.cpp calls it and prints what it throws.
int run(int argc, char** argv);

}  // namespace tessera::bench
