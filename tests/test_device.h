// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/exec/device.h"

/// The device that tests run on: the CPU, or what `--device cuda` on the command line says.
tessera::exec::Device test_device();
