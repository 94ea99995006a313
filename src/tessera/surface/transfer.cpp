// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/transfer.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"

namespace tessera::surface {
namespace {

/// A point of a face: how much of each corner it has. Where the face has no area, all of the
/// nearest corner.
Vec3d corner_parts(const TriangleSoup& mesh, Index face, const Vec3d& point) {
  const Triangle& t = mesh.triangles[face];
  const Vec3d a = mesh.positions[t[0]];
  const Vec3d b = mesh.positions[t[1]];
  const Vec3d c = mesh.positions[t[2]];
  const Vec3d area = cross(b - a, c - a);
  const double squared = squared_length(area);
  Vec3d parts{dot(cross(b - point, c - point), area), dot(cross(c - point, a - point), area),
              dot(cross(a - point, b - point), area)};
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += parts[k] = std::max(0.0, parts[k]);
  if (squared > 0 && sum > 0) return parts * (1 / sum);
  const Vec3d corners[3] = {a, b, c};
  int nearest = 0;
  for (int k = 1; k < 3; ++k)
    if (squared_length(corners[k] - point) < squared_length(corners[nearest] - point)) nearest = k;
  parts = Vec3d{};
  parts[nearest] = 1;
  return parts;
}

int largest_of(const Vec3d& parts) {
  int largest = 0;
  for (int k = 1; k < 3; ++k)
    if (parts[k] > parts[largest]) largest = k;
  return largest;
}

Attribute at_points(const Attribute& attribute, const TriangleSoup& mesh,
                    const ClosestPoints& points, const Array<Vec3d>& parts) {
  const auto components = static_cast<std::size_t>(attribute.components);
  const auto take = [&]<class T>(const Array<T>& from) -> AttributeValues {
    Array<T> to(parts.size() * components);
    parallel_for(parts.size(), [&](std::size_t i) {
      const Triangle& t = mesh.triangles[points.faces[i]];
      const int nearest = largest_of(parts[i]);
      for (std::size_t k = 0; k < components; ++k) {
        const auto at = [&](int corner) { return from[t[corner] * components + k]; };
        if constexpr (std::is_floating_point_v<T>)
          to[i * components + k] = static_cast<T>(parts[i][0] * static_cast<double>(at(0)) +
                                                  parts[i][1] * static_cast<double>(at(1)) +
                                                  parts[i][2] * static_cast<double>(at(2)));
        else
          to[i * components + k] = at(nearest);
      }
    });
    return to;
  };
  return {attribute.name, attribute.components, std::visit(take, attribute.values)};
}

void replace(Attributes& attributes, Attributes added) {
  for (Attribute& attribute : added) {
    std::erase_if(attributes, [&](const Attribute& old) { return old.name == attribute.name; });
    attributes.push_back(std::move(attribute));
  }
}

Array<Vec3d> middles_of_faces(const TriangleSoup& mesh) {
  Array<Vec3d> middles(mesh.triangles.size());
  parallel_for(middles.size(), [&](std::size_t f) {
    const Triangle& t = mesh.triangles[f];
    middles[f] = (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) * (1. / 3);
  });
  return middles;
}

}  // namespace

void transfer_attributes(const exec::Stream& stream, const TriangleSoup& from, const Bvh& surface,
                         TriangleSoup& to, const ProgressCallback& progress) {
  if (surface.size() == 0) return;
  if (const auto wrong = to.validate()) throw InputError(*wrong);
  Attributes of_vertices;
  if (!from.vertex_attributes.empty()) {
    const ClosestPoints points = closest_points(stream, surface, to.positions, progress);
    Array<Vec3d> parts(points.points.size());
    parallel_for(parts.size(), [&](std::size_t i) {
      parts[i] = corner_parts(from, points.faces[i], points.points[i]);
    });
    for (const Attribute& attribute : from.vertex_attributes)
      of_vertices.push_back(at_points(attribute, from, points, parts));
  }
  Attributes of_faces;
  if (!from.face_attributes.empty()) {
    const ClosestPoints points = closest_points(stream, surface, middles_of_faces(to), progress);
    of_faces = gather(from.face_attributes, points.faces);
  }
  replace(to.vertex_attributes, std::move(of_vertices));
  replace(to.face_attributes, std::move(of_faces));
}

void transfer_attributes(const exec::Stream& stream, const TriangleSoup& from, TriangleSoup& to,
                         const ProgressCallback& progress) {
  if (const auto wrong = from.validate()) throw InputError(*wrong);
  if (from.vertex_attributes.empty() && from.face_attributes.empty()) return;
  transfer_attributes(stream, from, Bvh(stream, from), to, progress);
}

}  // namespace tessera::surface
