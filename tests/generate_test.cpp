// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/generate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

TEST(Generate, ClosedShapesFaceOutwards) {
  struct Case {
    Shape shape;
    std::int64_t genus;
    double volume;
  };
  using std::numbers::pi;
  for (const Case& c : {Case{Shape::icosphere, 0, 4 * pi / 3},
                        {Shape::noisy_sphere, 0, 4 * pi / 3},
                        {Shape::torus, 1, 2 * pi * pi * 0.16},
                        {Shape::cylinder, 0, 2 * pi}}) {
    for (const std::uint64_t faces : {1, 20, 100, 3000, 20000}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(c.shape) << ", " << faces);
      const TriangleSoup mesh = generated(c.shape, faces);
      ASSERT_EQ(mesh.validate(), std::nullopt);
      const MeshInfo info = analyze(test_device(), mesh);
      EXPECT_TRUE(info.closed && info.manifold && info.consistently_oriented);
      EXPECT_EQ(info.components, 1u);
      EXPECT_EQ(info.genus, c.genus);
      EXPECT_EQ(info.unreferenced_vertices, 0u);
      EXPECT_EQ(info.degenerate_faces, 0u);
      EXPECT_EQ(info.duplicate_faces, 0u);
      EXPECT_GT(info.volume.value(), 0);
      if (faces >= 20000) {
        EXPECT_NEAR(info.volume.value(), c.volume, 0.01 * c.volume);
      }
    }
  }
}

TEST(Generate, SphereHasRadiusOneAndNearestNumberOfFaces) {
  for (const Vec3d& p : generated(Shape::icosphere, 5000).positions)
    EXPECT_NEAR(length(p), 1, 1e-15);
  EXPECT_EQ(generated(Shape::icosphere, 1).triangles.size(), 20u);
  EXPECT_EQ(generated(Shape::icosphere, 50).triangles.size(), 20u);
  EXPECT_EQ(generated(Shape::icosphere, 51).triangles.size(), 80u);
  EXPECT_EQ(generated(Shape::icosphere, 80).triangles.size(), 80u);
  EXPECT_EQ(generated(Shape::icosphere, 179).triangles.size(), 180u);
}

TEST(Generate, Plane) {
  for (const std::uint64_t faces : {1, 2, 10, 200, 5000}) {
    const TriangleSoup mesh = generated(Shape::plane, faces);
    const MeshInfo info = analyze(test_device(), mesh);
    EXPECT_TRUE(info.manifold && info.consistently_oriented && !info.closed);
    EXPECT_EQ(info.boundary_loops, 1u);
    EXPECT_EQ(info.genus, 0);
    EXPECT_NEAR(info.area, 1, 1e-12);
    EXPECT_EQ(info.bounding_box->min, (Vec3d{0, 0, 0}));
    EXPECT_EQ(info.bounding_box->max, (Vec3d{1, 1, 0}));
    EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), static_cast<double>(faces),
                std::sqrt(static_cast<double>(faces) / 2) + 1);
  }
}

TEST(Generate, NoiseStaysInItsRange) {
  GenerateOptions options;
  options.faces = 5000;
  options.noise = 0.25;
  const TriangleSoup mesh = generate(test_device(), Shape::noisy_sphere, options);
  double least = 2;
  double most = 0;
  for (const Vec3d& p : mesh.positions) {
    least = std::min(least, length(p));
    most = std::max(most, length(p));
  }
  EXPECT_GE(least, 0.75 - 1e-12);
  EXPECT_LT(least, 0.76);
  EXPECT_LE(most, 1.25);
  EXPECT_GT(most, 1.24);
  options.seed = 2;
  EXPECT_NE(generate(test_device(), Shape::noisy_sphere, options).positions[0], mesh.positions[0]);
}

TEST(Generate, SoupHasItsShareOfNonManifoldEdges) {
  for (const double share : {0.0, 0.3, 0.7, 1.0}) {
    GenerateOptions options;
    options.faces = 20000;
    options.non_manifold_share = share;
    const TriangleSoup mesh = generate(test_device(), Shape::soup, options);
    ASSERT_EQ(mesh.validate(), std::nullopt);
    const MeshInfo info = analyze(test_device(), mesh);
    EXPECT_EQ(info.faces, 20000u);
    EXPECT_NEAR(static_cast<double>(info.non_manifold_edges) / static_cast<double>(info.edges),
                share, 0.01);
    EXPECT_GE(info.unreferenced_vertices, info.vertices / 10);
    EXPECT_EQ(info.degenerate_faces, 0u);
  }
  for (const std::uint64_t faces : {1, 2, 9, 10, 11})
    EXPECT_EQ(generated(Shape::soup, faces).triangles.size(), faces);
}

TEST(Generate, ThreadsDoNotMatter) {
  for (const Shape shape : {Shape::icosphere, Shape::torus, Shape::plane, Shape::cylinder,
                            Shape::noisy_sphere, Shape::soup}) {
    GenerateOptions options;
    options.faces = 30000;
    const TriangleSoup one = generate(exec::Device::cpu(1), shape, options);
    for (const int threads : {2, 7}) {
      const TriangleSoup many = generate(exec::Device::cpu(threads), shape, options);
      EXPECT_EQ(many.positions, one.positions);
      EXPECT_EQ(many.triangles, one.triangles);
    }
  }
}

TEST(Generate, SaysWhatIsWrong) {
  GenerateOptions options;
  options.faces = 0;
  EXPECT_THROW(generate(test_device(), Shape::plane, options), InputError);
  options.faces = std::uint64_t{1} << 33;
  EXPECT_THROW(generate(test_device(), Shape::plane, options), InputError);
  options.faces = ~std::uint64_t{0};
  EXPECT_THROW(generate(test_device(), Shape::icosphere, options), InputError);
  options.faces = 100;
  options.non_manifold_share = 1.5;
  EXPECT_THROW(generate(test_device(), Shape::soup, options), InputError);
  options.non_manifold_share = 0.5;
  options.progress = [](std::string_view, double) { return Continue::no; };
  EXPECT_THROW(generate(test_device(), Shape::soup, options), Cancelled);
}

}  // namespace
}  // namespace tessera::surface
