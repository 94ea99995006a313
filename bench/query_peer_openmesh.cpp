// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <vector>

#include <OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>

#include "query_peer.h"

namespace tessera::bench {
namespace {

using Mesh = OpenMesh::TriMesh_ArrayKernelT<>;

class OpenMeshPeer : public QueryPeer {
 public:
  explicit OpenMeshPeer(const TriangleSoup& soup) {
    mesh_.reserve(soup.positions.size(), 3 * soup.triangles.size() / 2, soup.triangles.size());
    for (const Vec3d& p : soup.positions)
      mesh_.add_vertex(
          {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    for (const Triangle& t : soup.triangles)
      mesh_.add_face(vertex(t[0]), vertex(t[1]), vertex(t[2]));
    if (mesh_.n_faces() != soup.triangles.size())
      throw std::runtime_error("OpenMesh did not take all faces");
    out_.resize(8 * soup.triangles.size());
  }

  void query(std::string_view operation) override {
    int* out = out_.data();
    if (operation == "VV")
      for (const auto v : mesh_.vertices())
        for (auto i = mesh_.cvv_iter(v); i.is_valid(); ++i) *out++ = i->idx();
    if (operation == "VE")
      for (const auto v : mesh_.vertices())
        for (auto i = mesh_.cve_iter(v); i.is_valid(); ++i) *out++ = i->idx();
    if (operation == "VF")
      for (const auto v : mesh_.vertices())
        for (auto i = mesh_.cvf_iter(v); i.is_valid(); ++i) *out++ = i->idx();
    if (operation == "FV")
      for (const auto f : mesh_.faces())
        for (auto i = mesh_.cfv_iter(f); i.is_valid(); ++i) *out++ = i->idx();
    if (operation == "FE")
      for (const auto f : mesh_.faces())
        for (auto i = mesh_.cfe_iter(f); i.is_valid(); ++i) *out++ = i->idx();
    if (operation == "FF")
      for (const auto f : mesh_.faces())
        for (auto i = mesh_.cff_iter(f); i.is_valid(); ++i) *out++ = i->idx();
    if (operation == "EV")
      for (const auto e : mesh_.edges()) {
        *out++ = mesh_.to_vertex_handle(mesh_.halfedge_handle(e, 0)).idx();
        *out++ = mesh_.to_vertex_handle(mesh_.halfedge_handle(e, 1)).idx();
      }
    if (operation == "EF")
      for (const auto e : mesh_.edges()) {
        *out++ = mesh_.face_handle(mesh_.halfedge_handle(e, 0)).idx();
        *out++ = mesh_.face_handle(mesh_.halfedge_handle(e, 1)).idx();
      }
  }

  void vertex_normals() override {
    mesh_.request_face_normals();
    mesh_.request_vertex_normals();
    mesh_.update_normals();
  }

 private:
  static Mesh::VertexHandle vertex(Index i) { return Mesh::VertexHandle(static_cast<int>(i)); }

  Mesh mesh_;
  std::vector<int> out_;
};

}  // namespace

std::unique_ptr<QueryPeer> openmesh_peer(const TriangleSoup& mesh) {
  return std::make_unique<OpenMeshPeer>(mesh);
}

}  // namespace tessera::bench
