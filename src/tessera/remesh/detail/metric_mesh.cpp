// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/detail/metric_mesh.h"

#include <cmath>
#include <string>

#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/remesh/detail/sheets.h"
#include "tessera/surface/face_box.h"

namespace tessera::remesh::detail {
namespace {

using exec::View;
using surface::DynamicView;

struct VertexNormal {
  DynamicView mesh;
  View<Vec3d> normals;
  TESSERA_KERNEL void operator()(Index v) const {
    Vec3d sum{};
    if (mesh.is_vertex(v))
      mesh.visit_star(v, [&](Index h) {
        sum += corner_normal(mesh, h);
        return true;
      });
    const double size = length(sum);
    normals[v] = size > 0 ? sum * (1 / size) : Vec3d{0, 0, 1};
  }
};

/// With an attribute, so that vertices know where they come from.
TriangleSoup numbered(const TriangleSoup& soup) {
  TriangleSoup copy;
  copy.positions = soup.positions;
  copy.triangles = soup.triangles;
  copy.ridges = soup.ridges;
  copy.vertex_attributes = {{"number", 1, Array<std::uint8_t>(soup.positions.size())}};
  return copy;
}

}  // namespace

MetricMesh::MetricMesh(const exec::Stream& stream, const TriangleSoup& soup, Numbering)
    : mesh_(stream, numbered(soup)),
      vertex_of_place_(stream, mesh_.vertex_places()),
      place_of_vertex_(stream, soup.positions.size()) {
  const View<const Index> origins = mesh_.view().carried.vertex_origins;
  exec::copy_on_device(stream, vertex_of_place_.view(), origins.subview(0, mesh_.vertex_places()));
  // Where the mesh was cut, the first of the vertices that were one stands for it: others follow
  // behind all of the input.
  exec::invert(stream, vertex_of_place_.const_view().subview(0, soup.positions.size()),
               place_of_vertex_.view());
}

MetricMesh::MetricMesh(const exec::Stream& stream, const TriangleSoup& soup)
    : MetricMesh(stream, soup, Numbering{}) {
  normals_ = exec::Buffer<Vec3d>(stream, places());
  exec::for_each(stream, places(), VertexNormal{view(), normals_.view()});
}

MetricMesh::MetricMesh(const exec::Stream& stream, const TriangleSoup& soup,
                       const Array<Vec3d>& normals)
    : MetricMesh(stream, soup, Numbering{}) {
  normals_ = from_input(normals);
}

void check_positive(double number, const char* what) {
  if (!(number > 0) || !std::isfinite(number))
    throw InputError(std::string(what) + " is not a positive number");
}

void set_limits(const exec::Stream& stream, const TriangleSoup& mesh, double& smallest,
                double& largest) {
  if (!(smallest >= 0) || !(largest >= 0) || !std::isfinite(largest))
    throw InputError("a limit of the lengths of edges is negative or not a number");
  if (largest == 0) largest = diagonal_of(stream, mesh) / 10;
  if (smallest == 0) smallest = largest / 1000;
  if (smallest > largest) throw InputError("the smallest length of edges is above the largest");
}

double diagonal_of(const exec::Stream& stream, const TriangleSoup& mesh) {
  const double diagonal = surface::diagonal_of_faces(stream, mesh);
  return diagonal > 0 ? diagonal : 1;
}

}  // namespace tessera::remesh::detail
