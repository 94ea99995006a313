// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Topology of volumetric Catmull-Clark subdivision: Mueller-Roemer et al., section 4.3.
#include "tessera/volume/subdivide.h"

#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/scan.h"
#include "tessera/volume/detail/nameable.h"
#include "tessera/volume/detail/place_in.h"
#include "tessera/volume/detail/subdivide_positions.h"

namespace tessera::volume {
namespace {

using detail::place_in;
using exec::Buffer;
using exec::View;

/// Where each kind of new element starts.
struct Numbering {
  Index edge_points;
  Index face_points;
  Index cell_points;
  Index edges_in_faces;  ///< from the point of an edge to that of a face
  Index edges_in_cells;  ///< from the point of a face to that of a cell
  Index faces_in_cells;  ///< across an edge, towards its second vertex
};

struct SplitEdge {
  View<const EdgeVertices> old;
  Numbering numbering;
  View<EdgeVertices> edges;
  TESSERA_KERNEL void operator()(Index e) const {
    const Index middle = numbering.edge_points + e;
    edges[2 * e] = {old[e][0], middle};
    edges[2 * e + 1] = {middle, old[e][1]};
  }
};

struct JoinEdgesToFace {
  TernaryView face_edges;
  Numbering numbering;
  View<EdgeVertices> edges;
  TESSERA_KERNEL void operator()(Index f) const {
    for (Index i = face_edges.begin(f); i < face_edges.end(f); ++i)
      edges[numbering.edges_in_faces + i] = {numbering.edge_points + face_edges.entries[i].index(),
                                             numbering.face_points + f};
  }
};

struct JoinFacesToCell {
  TernaryView cell_faces;
  Numbering numbering;
  View<EdgeVertices> edges;
  TESSERA_KERNEL void operator()(Index c) const {
    for (Index i = cell_faces.begin(c); i < cell_faces.end(c); ++i)
      edges[numbering.edges_in_cells + i] = {numbering.face_points + cell_faces.entries[i].index(),
                                             numbering.cell_points + c};
  }
};

struct WriteOffset {
  View<Index> offsets;
  Index step;
  TESSERA_KERNEL void operator()(Index i) const { offsets[i] = step * i; }
};

/// A face for each corner of a face: along the edge that leaves it, to the face's point, and back
/// to the edge that arrives.
struct SplitFace {
  TernaryView face_edges;
  Numbering numbering;
  View<SignedIndex> edges_of_faces;
  TESSERA_KERNEL void operator()(Index f) const {
    const Index begin = face_edges.begin(f);
    const Index end = face_edges.end(f);
    for (Index i = begin; i < end; ++i) {
      const Index before = i == begin ? end - 1 : i - 1;
      const SignedIndex leaving = face_edges.entries[i];
      const SignedIndex arriving = face_edges.entries[before];
      SignedIndex* corner = edges_of_faces.data() + 4 * std::size_t{i};
      corner[0] = first_half(leaving);
      corner[1] = {numbering.edges_in_faces + i, false};
      corner[2] = {numbering.edges_in_faces + before, true};
      corner[3] = first_half(arriving.times(true)).times(true);
    }
  }

 private:
  /// The half of an edge with which going along it starts.
  TESSERA_KERNEL static SignedIndex first_half(SignedIndex edge) {
    return {2 * edge.index() + (edge.is_reversed() ? 1 : 0), edge.is_reversed()};
  }
};

/// A face for each edge of a cell: from the edge's point to the face on one side, to the cell's
/// point, to the face on the other side, and back; towards the end of the edge, by the directions
/// in which the two faces have it.
struct SplitCell {
  TernaryView face_edges;
  TernaryView cell_faces;
  RelationView<Index> cell_edges;
  Numbering numbering;
  View<SignedIndex> edges_of_faces;
  TESSERA_KERNEL void operator()(Index c) const {
    for (Index i = cell_faces.begin(c); i < cell_faces.end(c); ++i) {
      const SignedIndex face = cell_faces.entries[i];
      for (Index k = face_edges.begin(face.index()); k < face_edges.end(face.index()); ++k) {
        const SignedIndex edge = face_edges.entries[k].times(face.is_reversed());
        const Index across = numbering.faces_in_cells + place_in(cell_edges, c, edge.index());
        SignedIndex* around = edges_of_faces.data() + 4 * std::size_t{across};
        if (edge.is_reversed()) {
          around[0] = {numbering.edges_in_faces + k, false};
          around[1] = {numbering.edges_in_cells + i, false};
        } else {
          around[2] = {numbering.edges_in_cells + i, true};
          around[3] = {numbering.edges_in_faces + k, true};
        }
      }
    }
  }
};

/// A cell has, for each of its vertices, a new one with a face for each of its faces and edges
/// there.
struct CountFacesOfCells {
  View<const EdgeVertices> edge_vertices;
  TernaryView cell_faces;
  RelationView<Index> face_vertices;
  RelationView<Index> cell_edges;
  RelationView<Index> cell_vertices;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index c) const {
    if (c == cell_faces.rows()) {
      counts[cell_vertices.entries.size()] = 0;
      return;
    }
    for (Index o = cell_vertices.begin(c); o < cell_vertices.end(c); ++o) counts[o] = 0;
    for (const SignedIndex face : cell_faces.row(c))
      for (const Index v : face_vertices.row(face.index())) ++counts[place_in(cell_vertices, c, v)];
    for (const Index e : cell_edges.row(c))
      for (int k = 0; k < 2; ++k) ++counts[place_in(cell_vertices, c, edge_vertices[e][k])];
  }
};

struct WriteFacesOfCells {
  View<const EdgeVertices> edge_vertices;
  TernaryView cell_faces;
  RelationView<Index> face_vertices;
  RelationView<Index> cell_edges;
  RelationView<Index> cell_vertices;
  Numbering numbering;
  View<Index> next;  ///< starts as the offsets
  View<SignedIndex> faces_of_cells;
  TESSERA_KERNEL void operator()(Index c) const {
    for (const SignedIndex face : cell_faces.row(c))
      for (Index i = face_vertices.begin(face.index()); i < face_vertices.end(face.index()); ++i)
        add(c, face_vertices.entries[i], {i, face.is_reversed()});
    for (Index i = cell_edges.begin(c); i < cell_edges.end(c); ++i) {
      const EdgeVertices ends = edge_vertices[cell_edges.entries[i]];
      const Index across = numbering.faces_in_cells + i;
      add(c, ends[0], {across, false});
      add(c, ends[1], {across, true});
    }
  }

 private:
  TESSERA_KERNEL void add(Index c, Index vertex, SignedIndex face) const {
    faces_of_cells[next[place_in(cell_vertices, c, vertex)]++] = face;
  }
};

/// For each entry of a relation the row that it is in.
struct WriteRow {
  View<const Index> offsets;
  View<Index> rows;
  TESSERA_KERNEL void operator()(Index r) const {
    for (Index i = offsets[r]; i < offsets[r + 1]; ++i) rows[i] = r;
  }
};

Array<Index> rows_of(const exec::Stream& stream, const RelationView<Index>& relation) {
  Buffer<Index> rows(stream, relation.entries.size());
  exec::for_each(stream, relation.rows(), WriteRow{relation.offsets, rows.view()});
  return exec::download(stream, rows);
}

Numbering number_elements(const Complex& complex) {
  const std::uint64_t vertices = complex.vertices();
  const std::uint64_t edges = complex.edges();
  const std::uint64_t faces = complex.faces();
  const std::uint64_t cells = complex.cells();
  const std::uint64_t face_corners = complex.face_edges().entries.size();
  const std::uint64_t cell_sides = complex.cell_faces().entries.size();
  detail::require_nameable(vertices + edges + faces + cells, "vertices");
  detail::require_nameable(2 * edges + face_corners + cell_sides, "edges");
  detail::require_nameable(face_corners + complex.cell_edges().entries.size(), "faces");
  // Every new face has four edges, every new cell six faces or more.
  if (4 * (face_corners + complex.cell_edges().entries.size()) >= 2 * std::uint64_t{most_elements})
    throw InputError("the result would have more edges of faces than 32-bit numbers can name");
  return {static_cast<Index>(vertices),
          static_cast<Index>(vertices + edges),
          static_cast<Index>(vertices + edges + faces),
          static_cast<Index>(2 * edges),
          static_cast<Index>(2 * edges + face_corners),
          static_cast<Index>(face_corners)};
}

Buffer<EdgeVertices> make_edges(const Complex& complex, const Numbering& numbering) {
  const exec::Stream& stream = complex.stream();
  Buffer<EdgeVertices> edges(
      stream, std::size_t{numbering.edges_in_cells} + complex.cell_faces().entries.size());
  exec::for_each(stream, complex.edges(),
                 SplitEdge{complex.edge_vertices(), numbering, edges.view()});
  exec::for_each(stream, complex.faces(),
                 JoinEdgesToFace{complex.face_edges(), numbering, edges.view()});
  exec::for_each(stream, complex.cells(),
                 JoinFacesToCell{complex.cell_faces(), numbering, edges.view()});
  return edges;
}

TernaryMatrix make_faces(const Complex& complex, const Numbering& numbering) {
  const exec::Stream& stream = complex.stream();
  const RelationView<Index> cell_edges = complex.cell_edges();
  const auto faces = static_cast<Index>(numbering.faces_in_cells + cell_edges.entries.size());
  TernaryMatrix result{Buffer<Index>(stream, std::size_t{faces} + 1),
                       Buffer<SignedIndex>(stream, 4 * std::size_t{faces})};
  exec::for_each(stream, faces + 1, WriteOffset{result.offsets.view(), 4});
  exec::for_each(stream, complex.faces(),
                 SplitFace{complex.face_edges(), numbering, result.entries.view()});
  exec::for_each(stream, complex.cells(),
                 SplitCell{complex.face_edges(), complex.cell_faces(), cell_edges, numbering,
                           result.entries.view()});
  return result;
}

TernaryMatrix make_cells(const Complex& complex, const Numbering& numbering) {
  const exec::Stream& stream = complex.stream();
  const RelationView<Index> cell_vertices = complex.cell_vertices();
  const auto cells = static_cast<Index>(cell_vertices.entries.size());
  TernaryMatrix result;
  result.offsets = Buffer<Index>(stream, std::size_t{cells} + 1);
  exec::for_each(
      stream, complex.cells() + 1,
      CountFacesOfCells{complex.edge_vertices(), complex.cell_faces(), complex.face_vertices(),
                        complex.cell_edges(), cell_vertices, result.offsets.view()});
  exec::exclusive_scan(stream, result.offsets.view(), result.offsets.view());
  Buffer<Index> next(stream, result.offsets.size());
  exec::copy_on_device(stream, next.view(), result.offsets.const_view());
  result.entries = Buffer<SignedIndex>(stream, exec::download_one(stream, result.offsets, cells));
  exec::for_each(stream, complex.cells(),
                 WriteFacesOfCells{complex.edge_vertices(), complex.cell_faces(),
                                   complex.face_vertices(), complex.cell_edges(), cell_vertices,
                                   numbering, next.view(), result.entries.view()});
  return result;
}

/// Values of elements for those that they are cut into, `parent` by `parent`, then zeros for those
/// inside of larger ones.
Attributes inherit(const Attributes& old, const Array<Index>& parent, Index elements) {
  Attributes result = gather(old, parent);
  for (Attribute& attribute : result)
    std::visit(
        [&](auto& values) {
          using Value = typename std::decay_t<decltype(values)>::value_type;
          values.resize(std::size_t{elements} * static_cast<std::size_t>(attribute.components),
                        Value{});
        },
        attribute.values);
  return result;
}

Attributes inherit_faces(const Complex& complex, Index new_faces) {
  const Attributes& old = complex.attributes(Element::face);
  if (old.empty()) return {};
  return inherit(old, rows_of(complex.stream(), complex.face_vertices()), new_faces);
}

/// An edge is cut in two.
Attributes inherit_edges(const Complex& complex, Index new_edges) {
  const Attributes& old = complex.attributes(Element::edge);
  if (old.empty()) return {};
  Array<Index> parent;
  for (Index e = 0; e < complex.edges(); ++e) parent.insert(parent.end(), 2, e);
  return inherit(old, parent, new_edges);
}

/// The parts of a named face or edge are named.
Origin inherit_origin(const Complex& complex, const Complex& result) {
  const Origin& old = complex.origin();
  Origin origin{old.precision, {}, {}};
  if (!old.named_faces.empty()) {
    for (const Index face : rows_of(complex.stream(), complex.face_vertices()))
      origin.named_faces.push_back(old.named_faces[face]);
    origin.named_faces.resize(result.faces(), 0);
  }
  if (!old.named_edges.empty()) {
    for (const std::uint8_t named : old.named_edges)
      origin.named_edges.insert(origin.named_edges.end(), 2, named);
    origin.named_edges.resize(result.edges(), 0);
  }
  return origin;
}

/// Means of the rows of a relation, added to values.
template <class Values>
void add_means(Values& values, std::size_t components, const Array<Index>& offsets,
               const Array<Index>& entries) {
  using Value = typename Values::value_type;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    const double share = 1.0 / static_cast<double>(offsets[r + 1] - offsets[r]);
    for (std::size_t k = 0; k < components; ++k) {
      double sum = 0;
      for (Index i = offsets[r]; i < offsets[r + 1]; ++i)
        sum += static_cast<double>(values[entries[i] * components + k]);
      values.push_back(static_cast<Value>(sum * share));
    }
  }
}

/// Floating-point values of vertices, and their means for edges, faces and cells.
Attributes interpolate(const Complex& complex) {
  Attributes result;
  const exec::Stream& stream = complex.stream();
  for (const Attribute& attribute : complex.attributes(Element::vertex)) {
    const auto components = static_cast<std::size_t>(attribute.components);
    std::visit(
        [&](const auto& old) {
          using Values = std::decay_t<decltype(old)>;
          if constexpr (std::is_floating_point_v<typename Values::value_type>) {
            Values values = old;
            const Array<EdgeVertices> edges = exec::download(stream, complex.edge_vertices());
            Array<Index> offsets;
            Array<Index> entries;
            for (std::size_t e = 0; e <= edges.size(); ++e)
              offsets.push_back(static_cast<Index>(2 * e));
            for (const EdgeVertices& ends : edges)
              entries.insert(entries.end(), ends.v, ends.v + 2);
            add_means(values, components, offsets, entries);
            for (const RelationView<Index>& relation :
                 {complex.face_vertices(), complex.cell_vertices()})
              add_means(values, components, exec::download(stream, relation.offsets),
                        exec::download(stream, relation.entries));
            result.push_back({attribute.name, attribute.components, std::move(values)});
          }
        },
        attribute.values);
  }
  return result;
}

constexpr std::uint64_t steps_per_level = 4;

Complex subdivide_once(const Complex& complex, Progress& progress) {
  const exec::Stream& stream = complex.stream();
  const Numbering numbering = number_elements(complex);
  progress.advance(1);
  Operators operators;
  operators.positions = detail::subdivide_positions(complex);
  progress.advance(1);
  operators.edge_vertices = make_edges(complex, numbering);
  operators.face_edges = make_faces(complex, numbering);
  progress.advance(1);
  operators.cell_faces = make_cells(complex, numbering);
  progress.advance(1);
  Complex result(stream, std::move(operators));
  result.attributes(Element::edge) = inherit_edges(complex, result.edges());
  result.attributes(Element::face) = inherit_faces(complex, result.faces());
  if (!complex.attributes(Element::cell).empty())
    result.attributes(Element::cell) =
        gather(complex.attributes(Element::cell), rows_of(stream, complex.cell_vertices()));
  result.attributes(Element::vertex) = interpolate(complex);
  result.origin() = inherit_origin(complex, result);
  return result;
}

/// A complex of its own with the same contents.
Complex copy_of(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const auto copy = [&](auto view) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(*view.data())>>;
    Buffer<T> to(stream, view.size());
    exec::copy_on_device(stream, to.view(), view);
    return to;
  };
  Operators operators{copy(complex.positions()),
                      copy(complex.edge_vertices()),
                      {copy(complex.face_edges().offsets), copy(complex.face_edges().entries)},
                      {copy(complex.cell_faces().offsets), copy(complex.cell_faces().entries)}};
  Complex result(stream, std::move(operators));
  for (const Element element : {Element::vertex, Element::edge, Element::face, Element::cell})
    result.attributes(element) = complex.attributes(element);
  result.origin() = complex.origin();
  return result;
}

}  // namespace

Complex subdivide(const Complex& complex, const SubdivideOptions& options) {
  if (options.levels < 0) throw InputError("the number of levels is negative");
  if (options.levels == 0) return copy_of(complex);
  Progress progress(options.progress, "subdividing",
                    steps_per_level * static_cast<std::uint64_t>(options.levels));
  Complex result = subdivide_once(complex, progress);
  for (int level = 1; level < options.levels; ++level) result = subdivide_once(result, progress);
  return result;
}

}  // namespace tessera::volume
