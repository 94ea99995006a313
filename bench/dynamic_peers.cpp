// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <chrono>
#include <vector>

#include <CGAL/Polygon_mesh_processing/remesh.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/Count_stop_predicate.h>
#include <CGAL/Surface_mesh_simplification/Policies/Edge_collapse/GarlandHeckbert_policies.h>
#include <CGAL/Surface_mesh_simplification/edge_collapse.h>
#include <meshoptimizer.h>

#include "dynamic_peer.h"

namespace tessera::bench {
namespace {

namespace sms = CGAL::Surface_mesh_simplification;
using Kernel = CGAL::Simple_cartesian<double>;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;

Mesh to_cgal(const TriangleSoup& soup) {
  Mesh mesh;
  std::vector<Mesh::Vertex_index> vertices;
  vertices.reserve(soup.positions.size());
  for (const Vec3d& p : soup.positions)
    vertices.push_back(mesh.add_vertex(Kernel::Point_3(p[0], p[1], p[2])));
  for (const Triangle& t : soup.triangles)
    mesh.add_face(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
  return mesh;
}

TriangleSoup to_soup(Mesh& mesh) {
  mesh.collect_garbage();
  TriangleSoup soup;
  for (const auto v : mesh.vertices()) {
    const Kernel::Point_3& p = mesh.point(v);
    soup.positions.push_back({p.x(), p.y(), p.z()});
  }
  for (const auto f : mesh.faces()) {
    Triangle t{};
    int k = 0;
    for (const auto v : mesh.vertices_around_face(mesh.halfedge(f)))
      t[k++] = static_cast<Index>(v.idx());
    soup.triangles.push_back(t);
  }
  return soup;
}

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

PeerResult remesh_with_cgal(const TriangleSoup& soup, double length, int iterations) {
  Mesh mesh = to_cgal(soup);
  const double time = seconds([&] {
    CGAL::Polygon_mesh_processing::isotropic_remeshing(
        mesh.faces(), length, mesh,
        CGAL::parameters::number_of_iterations(static_cast<unsigned>(iterations)));
  });
  return {to_soup(mesh), time};
}

PeerResult simplify_with_cgal(const TriangleSoup& soup, std::size_t faces) {
  Mesh mesh = to_cgal(soup);
  const double time = seconds([&] {
    const sms::GarlandHeckbert_policies<Mesh, Kernel> policies(mesh);
    const sms::Count_stop_predicate<Mesh> stop(faces * 3 / 2);  // edges
    sms::edge_collapse(
        mesh, stop,
        CGAL::parameters::get_cost(policies.get_cost()).get_placement(policies.get_placement()));
  });
  return {to_soup(mesh), time};
}

PeerResult simplify_with_meshoptimizer(const TriangleSoup& soup, std::size_t faces) {
  std::vector<unsigned> corners;
  corners.reserve(3 * soup.triangles.size());
  for (const Triangle& t : soup.triangles)
    for (int k = 0; k < 3; ++k) corners.push_back(t[k]);
  std::vector<float> positions;
  positions.reserve(3 * soup.positions.size());
  for (const Vec3d& p : soup.positions)
    for (int k = 0; k < 3; ++k) positions.push_back(static_cast<float>(p[k]));
  std::vector<unsigned> left(corners.size());
  const double time = seconds([&] {
    constexpr float any_error = 1;
    left.resize(meshopt_simplify(left.data(), corners.data(), corners.size(), positions.data(),
                                 soup.positions.size(), 3 * sizeof(float), 3 * faces, any_error));
  });
  PeerResult result{{}, time};
  result.mesh.positions = soup.positions;
  for (std::size_t i = 0; i + 2 < left.size(); i += 3)
    result.mesh.triangles.push_back({left[i], left[i + 1], left[i + 2]});
  return result;
}

}  // namespace tessera::bench
