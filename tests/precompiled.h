// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What nearly every test includes, for a precompiled header.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"
#include "surface_meshes.h"
#include "tessera/exec/exec.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"
