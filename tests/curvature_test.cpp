// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/curvature.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

constexpr double pi = std::numbers::pi;

/// Curvature on the host, in the order of the input.
struct Values {
  Array<float> mean;
  Array<float> gaussian;
  Array<float> area;
  Array<float> defect;
  Index boundary_vertices = 0;
};

Values computed(const exec::Device& device, const TriangleSoup& soup, int patch_faces = 512) {
  PatchOptions options;
  options.patch_faces = patch_faces;
  const PatchedMesh mesh(device, soup, options);
  const Curvature result = curvature(mesh, positions_of(mesh, soup));
  return {attribute_to_host(mesh, result.mean), attribute_to_host(mesh, result.gaussian),
          attribute_to_host(mesh, result.area), attribute_to_host(mesh, result.angle_defect),
          result.boundary_vertices};
}

double total(const Array<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct TwinVertex {
  double angles = 0;
  double area = 0;
  Vec3d normal{};
  Vec3d laplacian{};
  bool used = false;
  bool boundary = false;
};

double angle_at(const Vec3d& p, const Vec3d& q, const Vec3d& r) {
  const double cosine = dot(q - p, r - p) / (length(q - p) * length(r - p));
  return std::acos(std::clamp(cosine, -1.0, 1.0));
}

/// Face by face, with angles from their cosines and cotangents from the angles.
std::vector<TwinVertex> twin(const TriangleSoup& soup) {
  std::vector<TwinVertex> vertices(soup.positions.size());
  for (const Triangle& t : soup.triangles) {
    for (const Index v : t.v) vertices[v].used = true;
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    Vec3d p[3];
    for (int k = 0; k < 3; ++k) p[k] = cast<double>(cast<float>(soup.positions[t[k]]));
    const Vec3d normal = cross(p[1] - p[0], p[2] - p[0]);
    double angle[3];
    for (int k = 0; k < 3; ++k) angle[k] = angle_at(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
    const bool flat = length(normal) < 1e-11;
    const double largest = std::max({angle[0], angle[1], angle[2]});
    for (int k = 0; k < 3; ++k) {
      const int q = (k + 1) % 3;
      const int r = (k + 2) % 3;
      TwinVertex& v = vertices[t[k]];
      v.angles += angle[k];
      if (flat) continue;
      v.normal += normal;
      v.laplacian +=
          (p[k] - p[q]) * (1 / std::tan(angle[r])) + (p[k] - p[r]) * (1 / std::tan(angle[q]));
      if (largest > pi / 2) {
        v.area += length(normal) / (angle[k] == largest ? 4 : 8);
      } else {
        v.area += squared_length(p[r] - p[k]) / std::tan(angle[q]) / 8 +
                  squared_length(p[q] - p[k]) / std::tan(angle[r]) / 8;
      }
    }
  }
  for (const auto& [ends, faces] : faces_at_edges(soup))
    if (faces.size() == 1 && ends.first != ends.second)
      vertices[ends.first].boundary = vertices[ends.second].boundary = true;
  return vertices;
}

TEST(Curvature, AgreesWithTwin) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    const std::vector<TwinVertex> expected = twin(named.mesh);
    for (const int size : {16, 512}) {
      const Values found = computed(test_device(), named.mesh, size);
      Index boundary = 0;
      for (Index v = 0; v < expected.size(); ++v) {
        const TwinVertex& e = expected[v];
        boundary += e.boundary ? 1 : 0;
        const double defect = e.used ? (e.boundary ? pi : 2 * pi) - e.angles : 0;
        EXPECT_NEAR(found.defect[v], defect, 1e-5) << v;
        EXPECT_NEAR(found.area[v], e.area, 1e-6 * (1 + e.area)) << v;
        ASSERT_TRUE(std::isfinite(found.mean[v]) && std::isfinite(found.gaussian[v])) << v;
        if (e.area < 1e-9) {
          EXPECT_EQ(found.mean[v], 0);
          EXPECT_EQ(found.gaussian[v], 0);
          continue;
        }
        EXPECT_NEAR(found.gaussian[v], defect / e.area, 1e-5 * (1 + 1 / e.area)) << v;
        const double normal = length(e.normal);
        const double along = normal > 0 ? dot(e.laplacian, e.normal) / normal : 0;
        const double size_of = e.boundary ? std::abs(along) : length(e.laplacian);
        EXPECT_NEAR(std::abs(found.mean[v]), size_of / (4 * e.area), 1e-4 * (1 + size_of) / e.area)
            << v;
        if (std::abs(along) > 1e-6 * (1 + length(e.laplacian))) {
          EXPECT_EQ(found.mean[v] < 0, along < 0) << v;
        }
      }
      EXPECT_EQ(found.boundary_vertices, boundary);
    }
  }
}

TEST(Curvature, GaussAndBonnet) {
  std::vector<NamedMesh> meshes = surface_meshes();
  meshes.push_back({"fine sphere", generated(Shape::icosphere, 200000)});
  meshes.push_back({"fine torus", generated(Shape::torus, 200000)});
  meshes.push_back({"noisy sphere", generated(Shape::noisy_sphere, 200000)});
  // Vertices at one place: no face has an angle of its own.
  TriangleSoup point = generated(Shape::icosphere, 500);
  for (Vec3d& p : point.positions) p = {1, 2, 3};
  meshes.push_back({"point", point});
  TriangleSoup flat = generated(Shape::icosphere, 500);
  for (Vec3d& p : flat.positions) p[1] = p[2] = 0;
  meshes.push_back({"flat", flat});
  int compared = 0;
  for (const NamedMesh& named : meshes) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    const MeshInfo info = analyze(test_device(), named.mesh);
    const bool repeats =
        std::any_of(named.mesh.triangles.begin(), named.mesh.triangles.end(),
                    [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
    if (!info.manifold || repeats || info.duplicate_faces > 0) continue;
    const Values found = computed(test_device(), named.mesh);
    const double expected = 2 * pi * static_cast<double>(info.euler_characteristic);
    EXPECT_NEAR(total(found.defect), expected, 1e-3 * std::max(2 * pi, std::abs(expected)));
    if (info.area > 0) {
      EXPECT_NEAR(total(found.area), info.area, 1e-5 * info.area);
    }
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

TEST(Curvature, OfASphere) {
  const double radius = 2.5;
  TriangleSoup sphere = generated(Shape::icosphere, 20000);
  for (Vec3d& p : sphere.positions) p *= radius;
  std::vector<int> valence(sphere.positions.size());
  for (const Triangle& t : sphere.triangles)
    for (const Index v : t.v) ++valence[v];
  const Values found = computed(test_device(), sphere);
  for (Index v = 0; v < valence.size(); ++v) {
    if (valence[v] != 6) continue;
    EXPECT_NEAR(found.mean[v], 1 / radius, 0.02 / radius);
    EXPECT_NEAR(found.gaussian[v], 1 / (radius * radius), 0.02 / (radius * radius));
  }
  EXPECT_EQ(found.boundary_vertices, 0U);

  // Seen from inside it is hollow.
  for (Triangle& t : sphere.triangles) std::swap(t[0], t[1]);
  const Values inside = computed(test_device(), sphere);
  for (Index v = 0; v < valence.size(); ++v) {
    EXPECT_NEAR(inside.mean[v], -found.mean[v], 1e-4);
    EXPECT_NEAR(inside.gaussian[v], found.gaussian[v], 1e-3);
  }
}

TEST(Curvature, OfATorus) {
  const double ring = 1;
  const double tube = 0.4;
  const TriangleSoup torus = generated(Shape::torus, 40000);
  const Values found = computed(test_device(), torus);
  for (Index v = 0; v < torus.positions.size(); ++v) {
    const Vec3d& p = torus.positions[v];
    const double from_axis = std::hypot(p[0], p[1]);
    const double cosine = (from_axis - ring) / tube;
    EXPECT_NEAR(found.mean[v], (ring + 2 * tube * cosine) / (2 * tube * from_axis), 0.03);
    EXPECT_NEAR(found.gaussian[v], cosine / (tube * from_axis), 0.06);
  }
}

TEST(Curvature, OfAnOpenPlane) {
  const TriangleSoup plane = generated(Shape::plane, 128);
  const Values found = computed(test_device(), plane);
  EXPECT_EQ(found.boundary_vertices, 32U);
  for (Index v = 0; v < plane.positions.size(); ++v) {
    const auto at_end = [](double x) { return x == 0 || x == 1; };
    const bool corner = at_end(plane.positions[v][0]) && at_end(plane.positions[v][1]);
    EXPECT_NEAR(found.mean[v], 0, 1e-4);
    EXPECT_NEAR(found.defect[v], corner ? pi / 2 : 0, 1e-6);
  }
}

TEST(Curvature, FaceWithARepeatedVertexMakesNoBoundary) {
  TriangleSoup sphere = generated(Shape::icosphere, 500);
  sphere.triangles.push_back({7, 7, 7});
  EXPECT_EQ(computed(test_device(), sphere).boundary_vertices, 0U);
}

TEST(Curvature, SameOnAnyNumberOfThreads) {
  const TriangleSoup soup = generated(Shape::noisy_sphere, 30000);
  const Values one = computed(exec::Device::cpu(1), soup);
  const Values four = computed(exec::Device::cpu(4), soup);
  EXPECT_EQ(one.mean, four.mean);
  EXPECT_EQ(one.gaussian, four.gaussian);
  EXPECT_EQ(one.area, four.area);
  EXPECT_EQ(one.defect, four.defect);
}

TEST(Curvature, RefusesAndStops) {
  const TriangleSoup soup = tetrahedron();
  const PatchedMesh mesh(test_device(), soup);
  const PatchedMesh other(test_device(), generated(Shape::torus, 300));
  const VertexAttribute<Vec3f> positions = positions_of(mesh, soup);
  EXPECT_THROW(curvature(other, positions), std::invalid_argument);
  for (int yes = 0; yes < 3; ++yes) {
    CurvatureOptions options;
    options.progress = cancel_after(yes);
    EXPECT_THROW(curvature(mesh, positions, options), Cancelled);
  }
}

}  // namespace
}  // namespace tessera::surface
