// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

namespace tessera {

/// Global element number. More elements than it can name are an InputError, never a wrap-around.
using Index = std::uint32_t;

/// The index of nothing.
inline constexpr Index no_index = ~Index{0};

/// A small vector of numbers, for host and device code alike: everything is constexpr, which nvcc
/// lets a kernel call without further marks.
template <class T, int N>
struct Vec {
  T v[N];

  constexpr T& operator[](int i) { return v[i]; }
  constexpr const T& operator[](int i) const { return v[i]; }

  constexpr bool operator==(const Vec&) const = default;

  constexpr Vec& operator+=(const Vec& b) {
    for (int i = 0; i < N; ++i) v[i] += b.v[i];
    return *this;
  }
  constexpr Vec& operator-=(const Vec& b) {
    for (int i = 0; i < N; ++i) v[i] -= b.v[i];
    return *this;
  }
  constexpr Vec& operator*=(T s) {
    for (int i = 0; i < N; ++i) v[i] *= s;
    return *this;
  }

  friend constexpr Vec operator+(Vec a, const Vec& b) { return a += b; }
  friend constexpr Vec operator-(Vec a, const Vec& b) { return a -= b; }
  friend constexpr Vec operator-(Vec a) { return a *= T(-1); }
  friend constexpr Vec operator*(Vec a, T s) { return a *= s; }
  friend constexpr Vec operator*(T s, Vec a) { return a *= s; }
};

using Vec2f = Vec<float, 2>;
using Vec3f = Vec<float, 3>;
using Vec3d = Vec<double, 3>;

/// Three vertex numbers, counter-clockwise seen from outside.
using Triangle = Vec<Index, 3>;

/// Two vertex numbers, of an edge for example.
using VertexPair = Vec<Index, 2>;

template <class T, int N>
constexpr T dot(const Vec<T, N>& a, const Vec<T, N>& b) {
  T sum = 0;
  for (int i = 0; i < N; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
constexpr Vec<T, 3> cross(const Vec<T, 3>& a, const Vec<T, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T, int N>
constexpr T squared_length(const Vec<T, N>& a) {
  return dot(a, a);
}

template <class T, int N>
constexpr T length(const Vec<T, N>& a) {
  return std::sqrt(dot(a, a));
}

template <class To, class From, int N>
constexpr Vec<To, N> cast(const Vec<From, N>& a) {
  Vec<To, N> out{};
  for (int i = 0; i < N; ++i) out[i] = static_cast<To>(a[i]);
  return out;
}

}  // namespace tessera
