// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera {

/// Bytes of this machine's memory that the process could still have: what the system has to spare,
/// file caches that it would give up included, within the limits set for the process (RLIMIT_AS)
/// and for its group (cgroup v2).
std::uint64_t available_memory();

}  // namespace tessera
