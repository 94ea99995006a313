// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/generate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <string>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/detail/icosphere.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using std::numbers::pi;

/// Rows and columns of quads, or of vertices where both go round.
struct Grid {
  Index rows;
  Index columns;
};

struct NoisySphere {
  detail::Icosphere sphere;
  Random random;
  double noise;
  TESSERA_KERNEL Vec3d operator()(Index v) const {
    return (1 + noise * (2 * random.uniform(v) - 1)) * sphere.position(v);
  }
};

struct SpherePosition {
  detail::Icosphere sphere;
  TESSERA_KERNEL Vec3d operator()(Index v) const { return sphere.position(v); }
};

struct SphereTriangle {
  detail::Icosphere sphere;
  TESSERA_KERNEL Triangle operator()(Index f) const { return sphere.triangle(f); }
};

/// Rows around the tube, columns around the axis.
struct TorusPosition {
  Grid grid;
  TESSERA_KERNEL Vec3d operator()(Index v) const {
    const double around = 2 * pi * (v % grid.columns) / grid.columns;
    const double tube = 2 * pi * (v / grid.columns) / grid.rows;
    const double radius = 1 + 0.4 * std::cos(tube);
    return {radius * std::cos(around), radius * std::sin(around), 0.4 * std::sin(tube)};
  }
};

/// Half of the quad between (row, column) and the next ones, where rows and columns of vertices
/// start again after the last.
TESSERA_KERNEL Triangle half_quad(Index row, Index column, Index next_row, Index next_column,
                                  Index columns, bool second) {
  const Index a = row * columns + column;
  const Index b = row * columns + next_column;
  const Index c = next_row * columns + next_column;
  const Index d = next_row * columns + column;
  return second ? Triangle{a, c, d} : Triangle{a, b, c};
}

struct TorusTriangle {
  Grid grid;
  TESSERA_KERNEL Triangle operator()(Index f) const {
    const Index row = f / 2 / grid.columns;
    const Index column = f / 2 % grid.columns;
    return half_quad(row, column, (row + 1) % grid.rows, (column + 1) % grid.columns, grid.columns,
                     f % 2 == 1);
  }
};

struct PlanePosition {
  Grid grid;
  TESSERA_KERNEL Vec3d operator()(Index v) const {
    const Index columns = grid.columns + 1;
    return {static_cast<double>(v % columns) / grid.columns,
            static_cast<double>(v / columns) / grid.rows, 0};
  }
};

struct PlaneTriangle {
  Grid grid;
  TESSERA_KERNEL Triangle operator()(Index f) const {
    const Index row = f / 2 / grid.columns;
    const Index column = f / 2 % grid.columns;
    return half_quad(row, column, row + 1, column + 1, grid.columns + 1, f % 2 == 1);
  }
};

/// Rings of vertices between two poles, the centres of the caps (vertices 0 and 1). The first
/// `cap` rings widen up to the lower rim, the last `cap` narrow from the upper rim.
struct Cylinder {
  Grid rings;
  Index cap;

  TESSERA_KERNEL Vec3d position(Index v) const {
    if (v < 2) return {0, 0, v == 0 ? -1.0 : 1.0};
    const Index ring = (v - 2) / rings.columns;
    const double angle = 2 * pi * ((v - 2) % rings.columns) / rings.columns;
    const Index from_end = rings.rows - 1 - ring;
    const Index nearer = ring < from_end ? ring : from_end;
    const double radius = nearer + 1 < cap ? (nearer + 1.0) / cap : 1.0;
    const Index sides = rings.rows - 2 * cap + 1;
    const double height = ring < cap       ? -1.0
                          : from_end < cap ? 1.0
                                           : -1 + 2.0 * (ring - cap + 1) / sides;
    return {radius * std::cos(angle), radius * std::sin(angle), height};
  }

  TESSERA_KERNEL Triangle triangle(Index f) const {
    const Index strip = f / rings.columns / 2;  // strip 0 is made of the two fans at the poles
    const Index within = f % (2 * rings.columns);
    if (strip == 0) {
      const bool top = within >= rings.columns;
      const Index column = within % rings.columns;
      const Index next = (column + 1) % rings.columns;
      const Index first = 2 + (top ? (rings.rows - 1) * rings.columns : 0);
      return top ? Triangle{1, first + column, first + next}
                 : Triangle{0, first + next, first + column};
    }
    const Index column = within / 2;
    Triangle t = half_quad(strip - 1, column, strip, (column + 1) % rings.columns, rings.columns,
                           within % 2 == 1);
    for (int k = 0; k < 3; ++k) t[k] += 2;
    return t;
  }
};

struct CylinderPosition {
  Cylinder cylinder;
  TESSERA_KERNEL Vec3d operator()(Index v) const { return cylinder.position(v); }
};

struct CylinderTriangle {
  Cylinder cylinder;
  TESSERA_KERNEL Triangle operator()(Index f) const { return cylinder.triangle(f); }
};

/// Renumbers 0 .. n - 1: i becomes i * factor mod n, for a factor without a common divisor with n.
struct Shuffle {
  std::uint64_t factor;
  std::uint64_t n;
  TESSERA_KERNEL Index operator()(std::uint64_t i) const {
    return static_cast<Index>(i * factor % n);
  }

  static Shuffle of(std::uint64_t n, std::uint64_t random_bits) {
    std::uint64_t factor = n < 2 ? 1 : 1 + random_bits % (n - 1);
    while (std::gcd(factor, n) != 1) ++factor;
    return {factor, n};
  }
};

/// Before the shuffle: five vertices and ten faces of each clump, then the pool and the single
/// triangles over it, then isolated vertices.
struct Soup {
  Random random;
  Shuffle vertices;
  Shuffle faces;
  std::uint64_t clumps;
  std::uint64_t pool;

  TESSERA_KERNEL Triangle triangle(Index f) const {
    const std::uint64_t original = faces(f);
    const std::uint64_t draw = std::uint64_t{f} * 4;
    Triangle t{};
    if (original < clumps * 10) {
      // The ten ways to choose three of five, by the two that are left out.
      const int way = static_cast<int>(original % 10);
      int first = 0;
      int rest = way;
      while (rest >= 4 - first) rest -= 4 - first++;
      const int second = first + 1 + rest;
      int k = 0;
      for (int i = 0; i < 5; ++i)
        if (i != first && i != second)
          t[k++] = vertices(original / 10 * 5 + static_cast<std::uint64_t>(i));
    } else {
      const auto size = static_cast<std::uint32_t>(pool);
      const std::uint64_t a = random.below(draw, size);
      const std::uint64_t step = 1 + random.below(draw + 1, size - 1);
      const std::uint64_t b = (a + step) % pool;
      std::uint64_t other = 1 + random.below(draw + 2, size - 2);
      if (other >= step) ++other;
      const std::uint64_t c = (a + other) % pool;
      t = {vertices(clumps * 5 + a), vertices(clumps * 5 + b), vertices(clumps * 5 + c)};
    }
    return random.bits(draw + 3) % 2 == 0 ? t : Triangle{t[0], t[2], t[1]};
  }
};

struct SoupTriangle {
  Soup soup;
  TESSERA_KERNEL Triangle operator()(Index f) const { return soup.triangle(f); }
};

struct SoupPosition {
  Random random;
  TESSERA_KERNEL Vec3d operator()(Index v) const {
    const std::uint64_t draw = std::uint64_t{v} * 3;
    return {random.uniform(draw), random.uniform(draw + 1), random.uniform(draw + 2)};
  }
};

template <class T, class F>
struct Store {
  View<T> to;
  Index first;
  F f;
  TESSERA_KERNEL void operator()(Index i) const { to[i] = f(first + i); }
};

/// Fills a host array with f(0), f(1), ..., on a GPU through a window of stream memory.
template <class T, class F>
void fill_array(const exec::Stream& stream, Array<T>& array, Progress& progress, const F& f) {
  constexpr std::size_t window = std::size_t{1} << 22;
  const bool on_host = stream.backend() == exec::Backend::cpu;
  Buffer<T> buffer(stream, on_host ? 0 : std::min(window, array.size()));
  for (std::size_t first = 0; first < array.size(); first += window) {
    const std::size_t count = std::min(window, array.size() - first);
    const std::span<T> target(array.data() + first, count);
    const View<T> view = on_host ? View<T>(target.data(), count) : buffer.view().subview(0, count);
    exec::for_each(stream, static_cast<Index>(count),
                   Store<T, F>{view, static_cast<Index>(first), f});
    if (!on_host) {
      exec::copy_to_host(stream, target, view);
      stream.synchronize();
    }
    progress.advance(count);
  }
}

template <class Position, class TriangleOf>
TriangleSoup make(const exec::Stream& stream, const GenerateOptions& options,
                  std::uint64_t vertices, std::uint64_t faces, const Position& position,
                  const TriangleOf& triangle) {
  if (vertices >= no_index || faces >= no_index / 3)
    throw InputError("a mesh of " + std::to_string(faces) + " faces and " +
                     std::to_string(vertices) + " vertices is more than 32-bit indices can name");
  Progress progress(options.progress, "generating", vertices + faces);
  TriangleSoup mesh;
  mesh.positions.resize(vertices);
  mesh.triangles.resize(faces);
  fill_array(stream, mesh.positions, progress, position);
  fill_array(stream, mesh.triangles, progress, triangle);
  return mesh;
}

std::uint64_t at_least(std::uint64_t least, double value) {
  return std::max(least, static_cast<std::uint64_t>(std::llround(value)));
}

std::uint64_t nearest_frequency(std::uint64_t faces) {
  const auto below = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(faces) / 20)));
  const std::uint64_t less = 20 * below * below;
  const std::uint64_t more = 20 * (below + 1) * (below + 1);
  return faces <= less || faces - less <= more - faces ? below : below + 1;
}

Grid grid(std::uint64_t rows, std::uint64_t columns) {
  return {static_cast<Index>(rows), static_cast<Index>(columns)};
}

TriangleSoup make_soup(const exec::Stream& stream, const GenerateOptions& options) {
  const double share = options.non_manifold_share;
  const double faces = static_cast<double>(options.faces);
  // c clumps have 10 c edges, the s = faces - 10 c single triangles 3 s; solve for the share.
  const auto clumps = std::min<std::uint64_t>(
      options.faces / 10,
      static_cast<std::uint64_t>(std::llround(3 * share * faces / (10 * (1 + 2 * share)))));
  const std::uint64_t singles = options.faces - 10 * clumps;
  const std::uint64_t pool = singles == 0 ? 0 : std::max<std::uint64_t>(singles, 3);
  const std::uint64_t used = 5 * clumps + pool;
  const std::uint64_t vertices = used + std::max<std::uint64_t>(1, used / 9);
  const Random seeds(options.seed);
  const Soup soup{Random(seeds.bits(0)), Shuffle::of(vertices, seeds.bits(1)),
                  Shuffle::of(options.faces, seeds.bits(2)), clumps, pool};
  return make(stream, options, vertices, options.faces, SoupPosition{Random(seeds.bits(3))},
              SoupTriangle{soup});
}

}  // namespace

TriangleSoup generate(const exec::Stream& stream, Shape shape, const GenerateOptions& options) {
  if (options.faces == 0) throw InputError("a mesh of 0 faces cannot be generated");
  if (options.faces >= no_index / 3)
    throw InputError("a mesh of " + std::to_string(options.faces) +
                     " faces is more than 32-bit indices can name");
  if (!(options.non_manifold_share >= 0 && options.non_manifold_share <= 1))
    throw InputError("the share of non-manifold edges must be between 0 and 1");
  if (!std::isfinite(options.noise)) throw InputError("the noise must be a finite number");

  const double faces = static_cast<double>(options.faces);
  switch (shape) {
    case Shape::icosphere:
    case Shape::noisy_sphere: {
      const std::uint64_t f = nearest_frequency(options.faces);
      const detail::Icosphere sphere(static_cast<Index>(f));
      const std::uint64_t vertices = 10 * f * f + 2;
      if (shape == Shape::icosphere)
        return make(stream, options, vertices, 20 * f * f, SpherePosition{sphere},
                    SphereTriangle{sphere});
      return make(stream, options, vertices, 20 * f * f,
                  NoisySphere{sphere, Random(options.seed), options.noise}, SphereTriangle{sphere});
    }
    case Shape::torus: {
      // Square where the tube's centre line is: 1 / 0.4 times as many around the axis.
      const std::uint64_t columns = at_least(3, std::sqrt(faces / 2 / 0.4));
      const std::uint64_t rows = at_least(3, faces / 2 / static_cast<double>(columns));
      const Grid g = grid(rows, columns);
      return make(stream, options, rows * columns, 2 * rows * columns, TorusPosition{g},
                  TorusTriangle{g});
    }
    case Shape::plane: {
      const std::uint64_t columns = at_least(1, std::sqrt(faces / 2));
      const std::uint64_t rows = at_least(1, faces / 2 / static_cast<double>(columns));
      const Grid g = grid(rows, columns);
      return make(stream, options, (rows + 1) * (columns + 1), 2 * rows * columns, PlanePosition{g},
                  PlaneTriangle{g});
    }
    case Shape::cylinder: {
      // With m around, m / pi rings make squares of the side and m / (2 pi) those of each cap.
      const std::uint64_t columns = at_least(3, std::sqrt(faces * pi / 4));
      const std::uint64_t cap = at_least(1, static_cast<double>(columns) / (2 * pi));
      const std::uint64_t rings = at_least(2 * cap, faces / 2 / static_cast<double>(columns));
      const Cylinder cylinder{grid(rings, columns), static_cast<Index>(cap)};
      return make(stream, options, rings * columns + 2, 2 * rings * columns,
                  CylinderPosition{cylinder}, CylinderTriangle{cylinder});
    }
    case Shape::soup:
      return make_soup(stream, options);
  }
  throw InputError("no such shape");
}

}  // namespace tessera::surface
