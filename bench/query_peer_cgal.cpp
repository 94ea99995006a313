// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <vector>

#include <CGAL/Polygon_mesh_processing/compute_normal.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>

#include "query_peer.h"

namespace tessera::bench {
namespace {

using Kernel = CGAL::Simple_cartesian<float>;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Vertex = Mesh::Vertex_index;

class CgalPeer : public QueryPeer {
 public:
  explicit CgalPeer(const TriangleSoup& soup) {
    mesh_.reserve(static_cast<Mesh::size_type>(soup.positions.size()),
                  static_cast<Mesh::size_type>(3 * soup.triangles.size() / 2),
                  static_cast<Mesh::size_type>(soup.triangles.size()));
    for (const Vec3d& p : soup.positions)
      mesh_.add_vertex(
          {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    for (const Triangle& t : soup.triangles)
      mesh_.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2]));
    if (mesh_.number_of_faces() != soup.triangles.size())
      throw std::runtime_error("CGAL did not take all faces");
    out_.resize(8 * soup.triangles.size());
    normals_ = mesh_.add_property_map<Vertex, Kernel::Vector_3>("v:normal").first;
  }

  void query(std::string_view operation) override {
    Index* out = out_.data();
    if (operation == "VV")
      for (const auto v : mesh_.vertices())
        for (const auto w : CGAL::vertices_around_target(mesh_.halfedge(v), mesh_)) *out++ = w;
    if (operation == "VE")
      for (const auto v : mesh_.vertices())
        for (const auto h : CGAL::halfedges_around_target(mesh_.halfedge(v), mesh_))
          *out++ = mesh_.edge(h);
    if (operation == "VF")
      for (const auto v : mesh_.vertices())
        for (const auto f : CGAL::faces_around_target(mesh_.halfedge(v), mesh_)) *out++ = f;
    if (operation == "FV")
      for (const auto f : mesh_.faces())
        for (const auto v : CGAL::vertices_around_face(mesh_.halfedge(f), mesh_)) *out++ = v;
    if (operation == "FE")
      for (const auto f : mesh_.faces())
        for (const auto h : CGAL::halfedges_around_face(mesh_.halfedge(f), mesh_))
          *out++ = mesh_.edge(h);
    if (operation == "FF")
      for (const auto f : mesh_.faces())
        for (const auto g : CGAL::faces_around_face(mesh_.halfedge(f), mesh_)) *out++ = g;
    if (operation == "EV")
      for (const auto e : mesh_.edges()) {
        *out++ = mesh_.vertex(e, 0);
        *out++ = mesh_.vertex(e, 1);
      }
    if (operation == "EF")
      for (const auto e : mesh_.edges()) {
        *out++ = mesh_.face(mesh_.halfedge(e, 0));
        *out++ = mesh_.face(mesh_.halfedge(e, 1));
      }
  }

  void vertex_normals() override {
    CGAL::Polygon_mesh_processing::compute_vertex_normals(mesh_, normals_);
  }

 private:
  Mesh mesh_;
  Mesh::Property_map<Vertex, Kernel::Vector_3> normals_;
  std::vector<Index> out_;
};

}  // namespace

std::unique_ptr<QueryPeer> cgal_peer(const TriangleSoup& mesh) {
  return std::make_unique<CgalPeer>(mesh);
}

}  // namespace tessera::bench
