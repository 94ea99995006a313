// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/soup.h"

#include <cstdint>

#include "tessera/exec/buffer.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/scan.h"
#include "tessera/volume/boundary.h"
#include "tessera/volume/detail/cell_type.h"

namespace tessera::volume {
namespace {

using detail::CellView;
using exec::Buffer;
using exec::View;

struct WriteType {
  CellView cells;
  View<CellType> types;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index c) const {
    if (c == types.size()) {
      sizes[c] = 0;
      return;
    }
    const CellType type = cells.type(c);
    types[c] = type;
    sizes[c] =
        type == CellType::polyhedron ? cells.cell_faces.size(c) : cells.cell_vertices.size(c);
  }
};

/// Marks faces that become polygons: 1 or 0.
struct MarkPolygons {
  TernaryView face_cells;
  View<const CellType> types;
  View<const std::uint8_t> named;  ///< empty: none is
  View<Index> marks;
  TESSERA_KERNEL void operator()(Index f) const {
    if (f == face_cells.rows()) {
      marks[f] = 0;
      return;
    }
    bool wanted = face_cells.size(f) == 0 || (!named.empty() && named[f] != 0);
    for (const SignedIndex cell : face_cells.row(f))
      if (types[cell.index()] == CellType::polyhedron) wanted = true;
    marks[f] = wanted ? 1 : 0;
  }
};

struct WriteEntries {
  CellView cells;
  View<const CellType> types;
  View<const Index> offsets;
  View<const Index> polygon_of_face;
  View<Index> entries;
  TESSERA_KERNEL void operator()(Index c) const {
    Index* to = entries.data() + offsets[c];
    const CellType type = types[c];
    if (type == CellType::polyhedron) {
      for (const SignedIndex face : cells.cell_faces.row(c)) {
        const Index polygon = polygon_of_face[face.index()];
        *to++ = face.is_reversed() ? ~polygon : polygon;
      }
      return;
    }
    Index corners[8];
    cells.find_corners(c, corners);
    for (Index i = 0; i < offsets[c + 1] - offsets[c]; ++i) to[i] = corners[i];
  }
};

struct PolygonSize {
  TernaryView face_edges;
  View<const Index> faces;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index p) const {
    sizes[p] = p < faces.size() ? face_edges.size(faces[p]) : 0;
  }
};

struct WritePolygon {
  RelationView<Index> face_vertices;
  View<const Index> faces;
  View<const Index> offsets;
  View<Index> corners;
  TESSERA_KERNEL void operator()(Index p) const {
    Index next = offsets[p];
    for (const Index v : face_vertices.row(faces[p])) corners[next++] = v;
  }
};

struct IsMarked {
  View<const Index> offsets;  ///< the scan of the marks
  TESSERA_KERNEL bool operator()(Index i) const { return offsets[i + 1] > offsets[i]; }
};

struct IsSegment {
  TernaryView edge_faces;
  View<const std::uint8_t> named;  ///< empty: none is
  TESSERA_KERNEL bool operator()(Index e) const {
    return edge_faces.size(e) == 0 || (!named.empty() && named[e] != 0);
  }
};

}  // namespace

PolyhedralSoup to_soup(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  const Index cells = complex.cells();
  const Index faces = complex.faces();
  const CellView view = detail::cell_view(complex);
  Buffer<CellType> types(stream, cells);
  Buffer<Index> offsets(stream, std::size_t{cells} + 1);
  exec::for_each(stream, cells + 1, WriteType{view, types.view(), offsets.view()});
  exec::exclusive_scan(stream, offsets.view(), offsets.view());

  const bool faces_have_values = !complex.attributes(Element::face).empty();
  const Array<std::uint8_t>& named_by_origin = complex.origin().named_faces;
  const Buffer<std::uint8_t> named = !named_by_origin.empty()
                                         ? exec::upload(stream, named_by_origin)
                                     : faces_have_values ? boundary_face_flags(complex)
                                                         : Buffer<std::uint8_t>();
  Buffer<Index> polygon_of_face(stream, std::size_t{faces} + 1);
  exec::for_each(stream, faces + 1,
                 MarkPolygons{complex.face_cells(), types.const_view(), named.const_view(),
                              polygon_of_face.view()});
  exec::exclusive_scan(stream, polygon_of_face.view(), polygon_of_face.view());
  Buffer<Index> face_of_polygon(stream, faces);
  const Index polygons =
      exec::compact(stream, faces, IsMarked{polygon_of_face.const_view()}, face_of_polygon.view());
  const View<const Index> polygon_faces = face_of_polygon.const_view().subview(0, polygons);
  Buffer<Index> polygon_offsets(stream, std::size_t{polygons} + 1);
  exec::for_each(stream, polygons + 1,
                 PolygonSize{complex.face_edges(), polygon_faces, polygon_offsets.view()});
  exec::exclusive_scan(stream, polygon_offsets.view(), polygon_offsets.view());
  Buffer<Index> corners(stream, exec::download_one(stream, polygon_offsets, polygons));
  exec::for_each(stream, polygons,
                 WritePolygon{complex.face_vertices(), polygon_faces, polygon_offsets.const_view(),
                              corners.view()});

  Buffer<Index> entries(stream, exec::download_one(stream, offsets, cells));
  exec::for_each(stream, cells,
                 WriteEntries{view, types.const_view(), offsets.const_view(),
                              polygon_of_face.const_view(), entries.view()});

  PolyhedralSoup soup;
  soup.positions = exec::download(stream, complex.positions());
  soup.polygon_offsets = exec::download(stream, polygon_offsets);
  soup.polygon_corners = exec::download(stream, corners);
  soup.cell_types = exec::download(stream, types);
  soup.cell_offsets = exec::download(stream, offsets);
  soup.cell_entries = exec::download(stream, entries);
  const Buffer<std::uint8_t> named_edges = exec::upload(stream, complex.origin().named_edges);
  Buffer<Index> segments(stream, complex.edges());
  const Index segment_count =
      exec::compact(stream, complex.edges(),
                    IsSegment{complex.edge_faces(), named_edges.const_view()}, segments.view());
  if (segment_count > 0) {
    const Array<EdgeVertices> edges = exec::download(stream, complex.edge_vertices());
    const Array<Index> kept =
        exec::download(stream, segments.const_view().subview(0, segment_count));
    for (const Index e : kept) soup.segments.push_back(edges[e]);
    soup.segment_attributes = gather(complex.attributes(Element::edge), kept);
  }
  soup.precision = complex.origin().precision;
  soup.vertex_attributes = complex.attributes(Element::vertex);
  soup.cell_attributes = complex.attributes(Element::cell);
  if (faces_have_values)
    soup.polygon_attributes =
        gather(complex.attributes(Element::face), exec::download(stream, polygon_faces));
  return soup;
}

}  // namespace tessera::volume
