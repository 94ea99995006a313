// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/transfer.h"

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/exec/host_loop.h"
#include "tessera/surface/corner_parts.h"

namespace tessera::surface {
namespace {

/// A point of a mesh: how much it has of each corner of its face, and which is nearest.
struct PlaceInFace {
  Triangle corners;
  Vec3d parts;
  int nearest;

  PlaceInFace(const TriangleSoup& mesh, Index face, const Vec3d& point)
      : corners(mesh.triangles[face]) {
    const Vec3d positions[3] = {mesh.positions[corners[0]], mesh.positions[corners[1]],
                                mesh.positions[corners[2]]};
    parts = corner_parts(point, positions);
    nearest = nearest_corner(point, positions);
  }
  template <class T>
  T value(const Array<T>& values, std::size_t components, std::size_t k) const {
    const auto at = [&](int corner) { return values[corners[corner] * components + k]; };
    if constexpr (std::is_floating_point_v<T>) {
      double sum = 0;
      for (int corner = 0; corner < 3; ++corner)
        if (parts[corner] > 0) sum += parts[corner] * static_cast<double>(at(corner));
      return static_cast<T>(sum);
    } else {
      return at(nearest);
    }
  }
};

Attributes at_points(const exec::Stream& stream, const TriangleSoup& mesh,
                     const ClosestPoints& points) {
  Attributes result;
  for (const Attribute& attribute : mesh.vertex_attributes) {
    const auto components = static_cast<std::size_t>(attribute.components);
    const auto take = [&]<class T>(const Array<T>& from) -> AttributeValues {
      Array<T> to(points.points.size() * components);
      exec::host_for_each(stream, points.points.size(), [&](std::size_t i) {
        const PlaceInFace place(mesh, points.faces[i], points.points[i]);
        for (std::size_t k = 0; k < components; ++k)
          to[i * components + k] = place.value(from, components, k);
      });
      return to;
    };
    result.push_back({attribute.name, attribute.components, std::visit(take, attribute.values)});
  }
  return result;
}

void replace(Attributes& attributes, Attributes added) {
  for (Attribute& attribute : added) {
    std::erase_if(attributes, [&](const Attribute& old) { return old.name == attribute.name; });
    attributes.push_back(std::move(attribute));
  }
}

Array<Vec3d> middles_of_faces(const exec::Stream& stream, const TriangleSoup& mesh) {
  Array<Vec3d> middles(mesh.triangles.size());
  exec::host_for_each(stream, middles.size(), [&](std::size_t f) {
    const Triangle& t = mesh.triangles[f];
    middles[f] = (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) * (1. / 3);
  });
  return middles;
}

void check(const TriangleSoup& from, const TriangleSoup& to) {
  for (const TriangleSoup* mesh : {&from, &to})
    if (const auto wrong = mesh->validate()) throw InputError(*wrong);
}

bool has_attributes(const TriangleSoup& mesh) {
  return !mesh.vertex_attributes.empty() || !mesh.face_attributes.empty();
}

/// Both meshes are valid, and the tree is that of the first.
void transfer(const exec::Stream& stream, const TriangleSoup& from, const Bvh& surface,
              TriangleSoup& to, const ProgressCallback& progress) {
  if (surface.size() == 0) return;
  Attributes of_vertices;
  if (!from.vertex_attributes.empty())
    of_vertices = at_points(stream, from, closest_points(stream, surface, to.positions, progress));
  Attributes of_faces;
  if (!from.face_attributes.empty()) {
    const ClosestPoints points =
        closest_points(stream, surface, middles_of_faces(stream, to), progress);
    of_faces = gather(from.face_attributes, points.faces);
  }
  replace(to.vertex_attributes, std::move(of_vertices));
  replace(to.face_attributes, std::move(of_faces));
}

}  // namespace

void transfer_attributes(const exec::Stream& stream, const TriangleSoup& from, const Bvh& surface,
                         TriangleSoup& to, const ProgressCallback& progress) {
  if (surface.size() != from.triangles.size())
    throw std::invalid_argument("the tree is not that of the mesh");
  if (!has_attributes(from)) return;
  check(from, to);
  transfer(stream, from, surface, to, progress);
}

void transfer_attributes(const exec::Stream& stream, const TriangleSoup& from, TriangleSoup& to,
                         const ProgressCallback& progress) {
  check(from, to);
  if (has_attributes(from)) transfer(stream, from, Bvh(stream, from), to, progress);
}

}  // namespace tessera::surface
