// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

/// Marks a function or lambda as one that kernels may run: on a device where the compiler knows
/// one (nvcc), on the CPU always. `for_each(device, n, [=] TESSERA_KERNEL(Index i) { ... });`
///
/// nvcc wraps such a *lambda* so that calling it on the CPU costs an indirect call. Where a flat
/// kernel is short and its CPU speed matters in a CUDA build too, write it as a struct with
/// `TESSERA_KERNEL void operator()(Index i) const`. Team kernels are called once per team and do
/// not mind.
#ifdef __CUDACC__
#define TESSERA_KERNEL __host__ __device__
#else
#define TESSERA_KERNEL
#endif

/// The same for a kernel that calls many small functions in its inner loops: all of them become a
/// part of it, where compilers would rather call some. Worth a third of the time of triangulating
/// lattices on the CPU.
#define TESSERA_FLAT_KERNEL TESSERA_KERNEL __attribute__((flatten))

/// Algorithm templates live in an inline namespace named after what they can do: a file compiled
/// by g++ and one compiled by nvcc may both instantiate `exclusive_scan<unsigned>`, and the linker
/// must not take one for the other.
#ifdef __CUDACC__
#define TESSERA_EXEC_NAMESPACE cpu_and_cuda
#else
#define TESSERA_EXEC_NAMESPACE cpu_only
#endif
