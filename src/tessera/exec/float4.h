// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "tessera/exec/kernel.h"

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#define TESSERA_SSE 1
#include <emmintrin.h>
#else
#define TESSERA_SSE 0
#endif

namespace tessera::exec {

/// Four numbers in one register of a CPU that has such; elsewhere four numbers.
class Float4 {
 public:
  /// All four the same.
  TESSERA_KERNEL explicit Float4(float x) {
#if TESSERA_SSE
    x_ = _mm_set1_ps(x);
#else
    for (float& own : x_) own = x;
#endif
  }
  /// Four numbers in a row, the first at an address that 16 divides.
  TESSERA_KERNEL static Float4 load(const float* from) {
#if TESSERA_SSE
    return Float4(_mm_load_ps(from));
#else
    return each([&](int i) { return from[i]; });
#endif
  }
  TESSERA_KERNEL void store(float* to) const {
#if TESSERA_SSE
    _mm_store_ps(to, x_);
#else
    for (int i = 0; i < 4; ++i) to[i] = x_[i];
#endif
  }

  TESSERA_KERNEL friend Float4 operator+(Float4 a, Float4 b) {
#if TESSERA_SSE
    return Float4(_mm_add_ps(a.x_, b.x_));
#else
    return each([&](int i) { return a.x_[i] + b.x_[i]; });
#endif
  }
  TESSERA_KERNEL friend Float4 operator-(Float4 a, Float4 b) {
#if TESSERA_SSE
    return Float4(_mm_sub_ps(a.x_, b.x_));
#else
    return each([&](int i) { return a.x_[i] - b.x_[i]; });
#endif
  }
  TESSERA_KERNEL friend Float4 operator*(Float4 a, Float4 b) {
#if TESSERA_SSE
    return Float4(_mm_mul_ps(a.x_, b.x_));
#else
    return each([&](int i) { return a.x_[i] * b.x_[i]; });
#endif
  }
  TESSERA_KERNEL friend Float4 larger(Float4 a, Float4 b) {
#if TESSERA_SSE
    return Float4(_mm_max_ps(a.x_, b.x_));
#else
    return each([&](int i) { return a.x_[i] > b.x_[i] ? a.x_[i] : b.x_[i]; });
#endif
  }
  /// 1 / sqrt(a).
  TESSERA_KERNEL friend Float4 inverse_root(Float4 a) {
#if TESSERA_SSE
    return Float4(_mm_div_ps(_mm_set1_ps(1), _mm_sqrt_ps(a.x_)));
#else
    return each([&](int i) { return 1 / std::sqrt(a.x_[i]); });
#endif
  }
  /// The numbers of x where those of a are larger than those of b, else 0.
  TESSERA_KERNEL friend Float4 where_larger(Float4 a, Float4 b, Float4 x) {
#if TESSERA_SSE
    return Float4(_mm_and_ps(_mm_cmpgt_ps(a.x_, b.x_), x.x_));
#else
    return each([&](int i) { return a.x_[i] > b.x_[i] ? x.x_[i] : 0; });
#endif
  }
  /// Bit i is set where number i of a is at most that of b.
  TESSERA_KERNEL friend unsigned at_most(Float4 a, Float4 b) {
#if TESSERA_SSE
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(a.x_, b.x_)));
#else
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) bits |= static_cast<unsigned>(a.x_[i] <= b.x_[i]) << i;
    return bits;
#endif
  }

 private:
#if TESSERA_SSE
  explicit Float4(__m128 x) : x_(x) {}
  __m128 x_;
#else
  TESSERA_KERNEL Float4() {}
  template <class F>
  TESSERA_KERNEL static Float4 each(const F& f) {
    Float4 result;
    for (int i = 0; i < 4; ++i) result.x_[i] = f(i);
    return result;
  }
  float x_[4];
#endif
};

}  // namespace tessera::exec
