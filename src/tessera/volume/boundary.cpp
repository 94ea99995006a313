// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Boundary extraction: Mueller-Roemer et al., section 4.2.
#include "tessera/volume/boundary.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/scan.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;

/// Which sides of a face are seen from outside: that of its normal, the other one.
struct OpenSides {
  bool front;
  bool back;
};

TESSERA_KERNEL OpenSides open_sides(const TernaryView& face_cells, Index face) {
  OpenSides open{true, true};
  for (const SignedIndex cell : face_cells.row(face)) {
    // A cell that has the face as it is lies behind it.
    if (cell.is_reversed())
      open.front = false;
    else
      open.back = false;
  }
  return open;
}

struct FlagFace {
  TernaryView face_cells;
  View<std::uint8_t> flags;
  TESSERA_KERNEL void operator()(Index f) const {
    const OpenSides open = open_sides(face_cells, f);
    flags[f] = open.front || open.back ? 1 : 0;
  }
};

/// Flags an element if one of those that it belongs to is flagged.
template <class Entry>
struct FlagIfAny {
  RelationView<Entry> relation;
  View<const std::uint8_t> above;
  View<std::uint8_t> flags;
  TESSERA_KERNEL void operator()(Index i) const {
    std::uint8_t any = 0;
    for (const Entry entry : relation.row(i)) any |= above[index_of(entry)];
    flags[i] = any;
  }
};

struct CountOpenSides {
  TernaryView face_cells;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index f) const {
    Index count = 0;
    if (f < face_cells.rows()) {
      const OpenSides open = open_sides(face_cells, f);
      count = (open.front ? 1u : 0u) + (open.back ? 1u : 0u);
    }
    counts[f] = count;
  }
};

struct WriteOpenSides {
  TernaryView face_cells;
  View<const Index> offsets;
  View<SignedIndex> faces;
  TESSERA_KERNEL void operator()(Index f) const {
    const OpenSides open = open_sides(face_cells, f);
    Index next = offsets[f];
    if (open.front) faces[next++] = {f, false};
    if (open.back) faces[next++] = {f, true};
  }
};

struct CountTriangles {
  TernaryView face_edges;
  View<const SignedIndex> faces;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    counts[i] = i < faces.size() ? face_edges.size(faces[i].index()) - 2 : 0;
  }
};

/// Cuts a polygon into a fan: the one whose triangles agree best with the polygon's normal.
struct WriteFan {
  View<const Vec3d> positions;
  RelationView<Index> face_vertices;
  TernaryView face_cells;
  View<const SignedIndex> faces;
  View<const Index> first_triangle;
  View<const Index> place_of_vertex;
  View<Triangle> triangles;
  View<SignedIndex> face_of_triangle;
  View<Index> cell_of_triangle;

  TESSERA_KERNEL void operator()(Index i) const {
    const SignedIndex face = faces[i];
    const View<const Index> loop = face_vertices.row(face.index());
    const auto size = static_cast<Index>(loop.size());
    const Index start = best_start(loop);
    Index cell = no_index;
    for (const SignedIndex c : face_cells.row(face.index()))
      if (c.is_reversed() == face.is_reversed() && cell == no_index) cell = c.index();
    const auto corner = [&](Index k) {
      const Index at = start + k;
      return place_of_vertex[loop[at < size ? at : at - size]];
    };
    for (Index k = 0; k + 2 < size; ++k) {
      const Index t = first_triangle[i] + k;
      triangles[t] = face.is_reversed() ? Triangle{corner(0), corner(k + 2), corner(k + 1)}
                                        : Triangle{corner(0), corner(k + 1), corner(k + 2)};
      face_of_triangle[t] = face;
      cell_of_triangle[t] = cell;
    }
  }

 private:
  TESSERA_KERNEL Index best_start(View<const Index> loop) const {
    const auto size = static_cast<Index>(loop.size());
    constexpr Index many = 64;  // trying them all takes the square of it
    if (size == 3 || size > many) return 0;
    const Vec3d origin = positions[loop[0]];
    const auto at = [&](Index k) { return positions[loop[k % size]] - origin; };
    Vec3d normal{};
    for (Index k = 1; k + 1 < size; ++k) normal += cross(at(k), at(k + 1));
    Index best = 0;
    double best_worst = 0;
    for (Index start = 0; start < size; ++start) {
      double worst = 0;
      for (Index k = 1; k + 1 < size; ++k) {
        const double area =
            dot(normal, cross(at(start + k) - at(start), at(start + k + 1) - at(start)));
        if (k == 1 || area < worst) worst = area;
      }
      if (start == 0 || worst > best_worst) {
        best = start;
        best_worst = worst;
      }
    }
    return best;
  }
};

struct IsFlagged {
  View<const std::uint8_t> flags;
  TESSERA_KERNEL bool operator()(Index i) const { return flags[i] != 0; }
};

Buffer<SignedIndex> find_boundary_faces(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const Index faces = complex.faces();
  const TernaryView face_cells = complex.face_cells();
  Buffer<Index> offsets(stream, std::size_t{faces} + 1);
  exec::for_each(stream, faces + 1, CountOpenSides{face_cells, offsets.view()});
  exec::exclusive_scan(stream, offsets.view(), offsets.view());
  Buffer<SignedIndex> found(stream, exec::download_one(stream, offsets, faces));
  exec::for_each(stream, faces, WriteOpenSides{face_cells, offsets.const_view(), found.view()});
  return found;
}

/// As gather(), with no value for no_index.
Attributes gather_cells(const Attributes& attributes, const Array<Index>& cells) {
  if (attributes.empty()) return {};
  const auto has_no_cell = [&](std::size_t i) { return cells[i] == no_index; };
  Array<Index> source = cells;
  for (Index& cell : source)
    if (cell == no_index) cell = 0;
  Attributes result;
  for (const Attribute& attribute : attributes) {
    if (attribute.size() == 0) {  // there is no cell 0 to take values from
      result.push_back({attribute.name, attribute.components, attribute.values});
      std::visit([&](auto& values) { values.resize(cells.size() * attribute.components); },
                 result.back().values);
    } else {
      result.push_back(gather(attribute, source));
    }
    std::visit(
        [&](auto& values) {
          using Value = typename std::decay_t<decltype(values)>::value_type;
          const auto nothing =
              std::is_floating_point_v<Value> ? std::numeric_limits<Value>::quiet_NaN() : Value{0};
          const auto components = static_cast<std::size_t>(attribute.components);
          for (std::size_t i = 0; i < cells.size(); ++i)
            if (has_no_cell(i))
              std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(i * components), components,
                          nothing);
        },
        result.back().values);
  }
  return result;
}

}  // namespace

Buffer<std::uint8_t> boundary_face_flags(const Complex& complex) {
  Buffer<std::uint8_t> flags(complex.stream(), complex.faces());
  exec::for_each(complex.stream(), complex.faces(), FlagFace{complex.face_cells(), flags.view()});
  return flags;
}

BoundaryFlags boundary_flags(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  BoundaryFlags flags{Buffer<std::uint8_t>(stream, complex.vertices()),
                      Buffer<std::uint8_t>(stream, complex.edges()), boundary_face_flags(complex)};
  exec::for_each(
      stream, complex.edges(),
      FlagIfAny<SignedIndex>{complex.edge_faces(), flags.faces.const_view(), flags.edges.view()});
  exec::for_each(stream, complex.vertices(),
                 FlagIfAny<SignedIndex>{complex.vertex_edges(), flags.edges.const_view(),
                                        flags.vertices.view()});
  return flags;
}

Array<SignedIndex> boundary_faces(const Complex& complex) {
  return exec::download(complex.stream(), find_boundary_faces(complex));
}

BoundarySurface boundary_surface(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const Buffer<SignedIndex> faces = find_boundary_faces(complex);
  const auto face_count = static_cast<Index>(faces.size());
  const BoundaryFlags flags = boundary_flags(complex);
  Buffer<Index> vertices(stream, complex.vertices());
  const Index vertex_count = exec::compact(stream, complex.vertices(),
                                           IsFlagged{flags.vertices.const_view()}, vertices.view());
  Buffer<Index> place_of_vertex(stream, complex.vertices());
  Buffer<Vec3d> positions(stream, vertex_count);
  const View<const Index> kept = vertices.const_view().subview(0, vertex_count);
  exec::gather_values(stream, complex.positions(), kept, positions.view());
  exec::invert(stream, kept, place_of_vertex.view());

  Buffer<Index> first_triangle(stream, std::size_t{face_count} + 1);
  exec::for_each(stream, face_count + 1,
                 CountTriangles{complex.face_edges(), faces.const_view(), first_triangle.view()});
  exec::exclusive_scan(stream, first_triangle.view(), first_triangle.view());
  const Index triangle_count = exec::download_one(stream, first_triangle, face_count);
  Buffer<Triangle> triangles(stream, triangle_count);
  Buffer<SignedIndex> face_of_triangle(stream, triangle_count);
  Buffer<Index> cell_of_triangle(stream, triangle_count);
  exec::for_each(
      stream, face_count,
      WriteFan{complex.positions(), complex.face_vertices(), complex.face_cells(),
               faces.const_view(), first_triangle.const_view(), place_of_vertex.const_view(),
               triangles.view(), face_of_triangle.view(), cell_of_triangle.view()});

  BoundarySurface result;
  result.mesh.positions = exec::download(stream, positions);
  result.mesh.triangles = exec::download(stream, triangles);
  result.faces = exec::download(stream, face_of_triangle);
  result.vertices = exec::download(stream, kept);
  result.cells = exec::download(stream, cell_of_triangle);
  result.mesh.vertex_attributes = gather(complex.attributes(Element::vertex), result.vertices);
  if (!complex.attributes(Element::face).empty()) {
    Array<Index> face_numbers(result.faces.size());
    for (std::size_t t = 0; t < result.faces.size(); ++t) face_numbers[t] = result.faces[t].index();
    result.mesh.face_attributes = gather(complex.attributes(Element::face), face_numbers);
  }
  for (Attribute& attribute : gather_cells(complex.attributes(Element::cell), result.cells)) {
    if (find(result.mesh.face_attributes, attribute.name) != nullptr) attribute.name += " of cells";
    result.mesh.face_attributes.push_back(std::move(attribute));
  }
  return result;
}

}  // namespace tessera::volume
