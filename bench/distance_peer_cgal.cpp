// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <vector>

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include "distance_peer.h"

namespace tessera::bench {
namespace {

using Kernel = CGAL::Simple_cartesian<double>;
using Point = Kernel::Point_3;
using Triangles = std::vector<Kernel::Triangle_3>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

Point to_cgal(const Vec3d& p) {
  return {p[0], p[1], p[2]};
}
Vec3d from_cgal(const Point& p) {
  return {p.x(), p.y(), p.z()};
}

class CgalPeer : public DistancePeer {
 public:
  explicit CgalPeer(const TriangleSoup& mesh) {
    for (const Triangle& t : mesh.triangles)
      triangles_.emplace_back(to_cgal(mesh.positions[t[0]]), to_cgal(mesh.positions[t[1]]),
                              to_cgal(mesh.positions[t[2]]));
  }

  void build() override {
    tree_ = std::make_unique<Tree>(triangles_.begin(), triangles_.end());
    tree_->build();
    // Its own hints: with the result of the query before as one, queries took 20 times as long.
    tree_->accelerate_distance_queries();
  }
  Vec3d closest(const Vec3d& point) override {
    return from_cgal(tree_->closest_point(to_cgal(point)));
  }

 private:
  Triangles triangles_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace

std::unique_ptr<DistancePeer> cgal_distance_peer(const TriangleSoup& mesh) {
  return std::make_unique<CgalPeer>(mesh);
}

}  // namespace tessera::bench
