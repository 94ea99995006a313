// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

// Everything of the execution layer.
#include "tessera/exec/append.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/bits.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/device.h"
#include "tessera/exec/float4.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/for_each_apart.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/input.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/prefetch.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/exec/sort.h"
#include "tessera/exec/team.h"
#include "tessera/exec/view.h"
