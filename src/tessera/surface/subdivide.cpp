// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/subdivide.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/input.h"

// Loop, "Smooth subdivision surfaces based on triangles" (1987).

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

/// For each vertex its edges: those to larger vertices stand together in the edge table, those to
/// smaller ones in a list sorted by the larger vertex. Sums over them have a fixed order.
struct Stars {
  Buffer<Index> edges_by_larger;
  Buffer<Index> larger_start;   ///< in edges_by_larger, of each vertex as the larger one
  Buffer<Index> smaller_start;  ///< in the edge table, of each vertex as the smaller one
};

struct StarView {
  EdgeView edges;
  View<const Index> edges_by_larger;
  View<const Index> larger_start;
  View<const Index> smaller_start;
};

struct WriteLarger {
  EdgeView edges;
  View<Index> keys;
  View<Index> values;
  TESSERA_KERNEL void operator()(Index e) const {
    keys[e] = edges.vertices[e][1];
    values[e] = e;
  }
};

struct FindStarts {
  View<const Index> sorted_larger;
  EdgeView edges;
  View<Index> larger_start;
  View<Index> smaller_start;

  TESSERA_KERNEL void operator()(std::size_t vertex) const {
    const auto v = static_cast<Index>(vertex);
    const auto edge_count = static_cast<Index>(sorted_larger.size());
    larger_start[vertex] =
        exec::bisect(0, edge_count, [this, v](Index i) { return sorted_larger[i] < v; });
    smaller_start[vertex] =
        exec::bisect(0, edge_count, [this, v](Index i) { return edges.vertices[i][0] < v; });
  }
};

Stars build_stars(const exec::Stream& stream, const EdgeTable& edges, Index vertices) {
  Buffer<Index> keys(stream, edges.size());
  Stars stars;
  stars.edges_by_larger = Buffer<Index>(stream, edges.size());
  exec::for_each(stream, edges.size(),
                 WriteLarger{edges.view(), keys.view(), stars.edges_by_larger.view()});
  exec::sort_pairs(stream, keys, stars.edges_by_larger, exec::bits_for(vertices));
  stars.larger_start = Buffer<Index>(stream, std::size_t{vertices} + 1);
  stars.smaller_start = Buffer<Index>(stream, std::size_t{vertices} + 1);
  exec::for_each(stream, std::size_t{vertices} + 1,
                 FindStarts{keys.const_view(), edges.view(), stars.larger_start.view(),
                            stars.smaller_start.view()});
  return stars;
}

template <class T>
struct MidpointEdge {
  EdgeView edges;
  View<const T> from;
  View<T> to;
  Index vertices;
  Index components;

  TESSERA_KERNEL void operator()(Index e) const {
    const VertexPair ends = edges.vertices[e];
    for (std::size_t c = 0; c < components; ++c) {
      const double a = from[std::size_t{ends[0]} * components + c];
      const double b = from[std::size_t{ends[1]} * components + c];
      to[(std::size_t{vertices} + e) * components + c] = static_cast<T>(0.5 * a + 0.5 * b);
    }
  }
};

template <class T>
struct LoopEdge {
  MidpointEdge<T> crease;
  View<const Triangle> triangles;

  TESSERA_KERNEL void operator()(Index e) const {
    const EdgeView& edges = crease.edges;
    if (edges.count(e) != 2) {
      crease(e);
      return;
    }
    const VertexPair ends = edges.vertices[e];
    const Index left = vertex_at(triangles, previous_corner(edges.half_edge(e, 0)));
    const Index right = vertex_at(triangles, previous_corner(edges.half_edge(e, 1)));
    const std::size_t n = crease.components;
    for (std::size_t c = 0; c < n; ++c) {
      const double a = crease.from[ends[0] * n + c];
      const double b = crease.from[ends[1] * n + c];
      const double l = crease.from[left * n + c];
      const double r = crease.from[right * n + c];
      crease.to[(crease.vertices + std::size_t{e}) * n + c] =
          static_cast<T>(0.375 * (a + b) + 0.125 * (l + r));
    }
  }
};

template <class T>
struct LoopVertex {
  StarView stars;
  View<const T> from;
  View<T> to;
  Index components;

  TESSERA_KERNEL void operator()(Index v) const {
    const Index larger_begin = stars.smaller_start[v];  // edges to larger vertices
    const Index larger_count = stars.smaller_start[v + 1] - larger_begin;
    const Index smaller_begin = stars.larger_start[v];
    const Index edges = larger_count + stars.larger_start[v + 1] - smaller_begin;
    const std::size_t n = components;
    Index creases = 0;
    for (Index i = 0; i < edges; ++i)
      if (stars.edges.count(edge(i, larger_begin, larger_count, smaller_begin)) != 2) ++creases;

    double neighbour = 0;  // weight
    if (creases == 2) {
      neighbour = 0.125;
    } else if (creases == 0 && edges > 0) {
      const double w = 0.375 + 0.25 * std::cos(2 * std::numbers::pi / edges);
      neighbour = (0.625 - w * w) / edges;
    }
    for (std::size_t c = 0; c < n; ++c) {
      const T own = from[v * n + c];
      if (neighbour == 0) {
        to[v * n + c] = own;
        continue;
      }
      // Of differences: a mesh far from the origin keeps its digits.
      double sum = 0;
      for (Index i = 0; i < edges; ++i) {
        const Index e = edge(i, larger_begin, larger_count, smaller_begin);
        if (creases != 0 && stars.edges.count(e) == 2) continue;
        const Index other = stars.edges.vertices[e][i < larger_count ? 1 : 0];
        sum += static_cast<double>(from[other * n + c]) - own;
      }
      to[v * n + c] = static_cast<T>(own + neighbour * sum);
    }
  }

  TESSERA_KERNEL Index edge(Index i, Index larger_begin, Index larger_count,
                            Index smaller_begin) const {
    return i < larger_count ? larger_begin + i
                            : stars.edges_by_larger[smaller_begin + i - larger_count];
  }
};

struct SplitFaces {
  View<const Triangle> triangles;
  View<const Index> edge_of;
  View<Triangle> to;
  Index vertices;

  TESSERA_KERNEL void operator()(Index f) const {
    const Triangle t = triangles[f];
    Index middle[3];
    for (Index k = 0; k < 3; ++k) {
      const Index e = edge_of[3 * f + k];
      middle[k] = e == no_index ? t[static_cast<int>(k)] : vertices + e;
    }
    to[4 * f] = {t[0], middle[0], middle[2]};
    to[4 * f + 1] = {middle[0], t[1], middle[1]};
    to[4 * f + 2] = {middle[2], middle[1], t[2]};
    to[4 * f + 3] = {middle[0], middle[1], middle[2]};
  }
};

/// Which vertex of the first mesh a vertex has its integer attributes from.
struct ExtendOrigins {
  EdgeView edges;
  View<const Index> from;
  View<Index> to;
  Index vertices;
  TESSERA_KERNEL void operator()(Index e) const { to[vertices + e] = from[edges.vertices[e][0]]; }
};

/// A floating-point attribute on its way through the levels. The positions are one, too.
template <class T>
struct Field {
  Buffer<T> values;
  Index components;
  std::size_t attribute;
};

/// The mesh on the stream, and one level of the work on it.
struct Level {
  exec::Stream stream;
  SubdivisionMethod method;
  Index vertices;
  View<const Triangle> triangles;
  const EdgeTable& edges;
  const Stars& stars;

  template <class T>
  void refine(Field<T>& field) const {
    const std::size_t old_size = field.values.size();
    Buffer<T> to(stream, old_size + std::size_t{edges.size()} * field.components);
    const View<const T> from = field.values.const_view();
    const MidpointEdge<T> midpoint{edges.view(), from, to.view(), vertices, field.components};
    if (method == SubdivisionMethod::loop) {
      exec::for_each(stream, edges.size(), LoopEdge<T>{midpoint, triangles});
      const StarView star{edges.view(), stars.edges_by_larger.view(), stars.larger_start.view(),
                          stars.smaller_start.view()};
      exec::for_each(stream, vertices, LoopVertex<T>{star, from, to.view(), field.components});
    } else {
      exec::for_each(stream, edges.size(), midpoint);
      exec::copy_on_device(stream, to.view().subview(0, old_size), from);
    }
    field.values = std::move(to);
  }
};

void check_size(const TriangleSoup& mesh, int levels) {
  if (levels < 0) throw InputError("the number of subdivision levels must not be negative");
  std::uint64_t faces = mesh.triangles.size();
  for (int level = 1; level <= levels && faces > 0; ++level) {
    faces *= 4;
    if (faces >= no_index / 3)
      throw InputError(std::to_string(mesh.triangles.size()) + " faces subdivided " +
                       std::to_string(levels) +
                       " times have more corners than 32-bit indices can name");
  }
}

/// As its three coordinates one after the other, which is how it lies in memory.
std::span<const double> coordinates(const Array<Vec3d>& positions) {
  static_assert(sizeof(Vec3d) == 3 * sizeof(double));
  return {reinterpret_cast<const double*>(positions.data()), 3 * positions.size()};
}

template <class T>
std::vector<Field<T>> upload_fields(const exec::Stream& stream, const Attributes& attributes) {
  std::vector<Field<T>> fields;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (const auto* values = std::get_if<Array<T>>(&attributes[i].values))
      fields.push_back(
          {exec::upload(stream, *values), static_cast<Index>(attributes[i].components), i});
  }
  return fields;
}

template <class T>
void download_fields(const exec::Stream& stream, const std::vector<Field<T>>& fields,
                     Attributes& attributes) {
  for (const Field<T>& field : fields)
    attributes[field.attribute].values = exec::download(stream, field.values);
}

/// The integer attributes, gathered; the floating-point ones are still empty.
Attributes gather_integers(const Attributes& attributes, const Array<Index>& origins) {
  Attributes gathered;
  for (const Attribute& attribute : attributes) {
    if (std::holds_alternative<Array<float>>(attribute.values) ||
        std::holds_alternative<Array<double>>(attribute.values)) {
      gathered.push_back({attribute.name, attribute.components, {}});
    } else {
      gathered.push_back(gather(attribute, origins));
    }
  }
  return gathered;
}

}  // namespace

TriangleSoup subdivide(const exec::Stream& stream, const TriangleSoup& mesh,
                       const SubdivideOptions& options) {
  check_size(mesh, options.levels);
  require_valid(mesh);
  Progress progress(options.progress, "subdividing", static_cast<std::uint64_t>(options.levels));
  if (options.levels == 0 || mesh.triangles.empty()) return mesh;

  Buffer<Triangle> triangles = exec::upload(stream, mesh.triangles);
  Field<double> positions{exec::upload(stream, coordinates(mesh.positions)), 3, 0};
  auto floats = upload_fields<float>(stream, mesh.vertex_attributes);
  auto doubles = upload_fields<double>(stream, mesh.vertex_attributes);
  auto vertices = static_cast<Index>(mesh.positions.size());
  Buffer<Index> origins = exec::all_indices(stream, vertices);

  for (int level = 0; level < options.levels; ++level) {
    const EdgeTable edges = build_edges(stream, triangles.const_view(), vertices);
    const std::uint64_t refined = std::uint64_t{vertices} + edges.size();
    if (refined >= no_index)
      throw InputError("subdivision would make " + std::to_string(refined) +
                       " vertices, more than 32-bit indices can name");
    const Stars stars =
        options.method == SubdivisionMethod::loop ? build_stars(stream, edges, vertices) : Stars{};
    const Level work{stream, options.method, vertices, triangles.const_view(), edges, stars};
    work.refine(positions);
    for (auto& field : floats) work.refine(field);
    for (auto& field : doubles) work.refine(field);

    Buffer<Index> refined_origins(stream, refined);
    exec::copy_on_device(stream, refined_origins.view().subview(0, vertices), origins.const_view());
    exec::for_each(
        stream, edges.size(),
        ExtendOrigins{edges.view(), origins.const_view(), refined_origins.view(), vertices});
    origins = std::move(refined_origins);

    const auto faces = static_cast<Index>(triangles.size());
    Buffer<Triangle> split(stream, std::size_t{faces} * 4);
    exec::for_each(
        stream, faces,
        SplitFaces{triangles.const_view(), edges.edge_of.const_view(), split.view(), vertices});
    triangles = std::move(split);
    vertices = static_cast<Index>(refined);
    progress.advance(1);
  }

  TriangleSoup result;
  result.precision = mesh.precision;
  result.triangles = exec::download(stream, triangles);
  result.positions.resize(vertices);
  exec::copy_to_host(
      stream,
      std::span(reinterpret_cast<double*>(result.positions.data()), 3 * result.positions.size()),
      positions.values.const_view());
  stream.synchronize();
  if (!mesh.vertex_attributes.empty()) {
    result.vertex_attributes =
        gather_integers(mesh.vertex_attributes, exec::download(stream, origins));
    download_fields(stream, floats, result.vertex_attributes);
    download_fields(stream, doubles, result.vertex_attributes);
  }
  if (!mesh.face_attributes.empty()) {
    Array<Index> parents(result.triangles.size());
    for (std::size_t f = 0; f < parents.size(); ++f)
      parents[f] = static_cast<Index>(f >> (2 * options.levels));
    result.face_attributes = gather(mesh.face_attributes, parents);
  }
  return result;
}

}  // namespace tessera::surface
