// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// What becomes of TriangleSoup::ridges.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/delaunay.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/isotropic_remesh.h"
#include "tessera/surface/repair.h"
#include "tessera/surface/simplify.h"
#include "test_device.h"

namespace tessera {
namespace {

void set_ridges(TriangleSoup& mesh, const std::vector<VertexPair>& ridges) {
  mesh.ridges.assign(ridges.begin(), ridges.end());
}

/// A sheet with bumps, and those of its edges that lie along a line across its middle.
struct Sheet {
  TriangleSoup mesh = generated(surface::Shape::plane, 800);
  double line = 2;  ///< y of the ridge
  double length = 0;

  explicit Sheet(double height) {
    for (const Vec3d& p : mesh.positions)
      if (std::abs(p[1] - 0.5) < std::abs(line - 0.5)) line = p[1];
    for (Vec3d& p : mesh.positions) p[2] = height * std::sin(5 * p[0]) * std::sin(4 * p[1]);
    std::vector<VertexPair> ridges;
    for (const auto& [edge, faces] : faces_at_edges(mesh))
      if (mesh.positions[edge.first][1] == line && mesh.positions[edge.second][1] == line)
        ridges.push_back({edge.first, edge.second});
    set_ridges(mesh, ridges);
    length = length_of(mesh);
  }

  static double length_of(const TriangleSoup& mesh) {
    double sum = 0;
    for (const VertexPair& ridge : mesh.ridges)
      sum += tessera::length(mesh.positions[ridge[1]] - mesh.positions[ridge[0]]);
    return sum;
  }
  void expect_kept(const TriangleSoup& made, double tolerance, const char* how) const {
    const auto edges = faces_at_edges(made);
    EXPECT_FALSE(made.ridges.empty()) << how;
    for (const VertexPair& ridge : made.ridges) {
      for (const Index v : {ridge[0], ridge[1]})
        EXPECT_NEAR(made.positions[v][1], line, tolerance) << how;
      EXPECT_TRUE(edges.count({std::min(ridge[0], ridge[1]), std::max(ridge[0], ridge[1])}) > 0);
    }
    EXPECT_NEAR(length_of(made), length, 0.01 * length + tolerance) << how;  // to both borders
  }
};

TEST(GivenRidges, StayInEveryWayToChangeAMesh) {
  for (const double height : {0.0, 0.1}) {
    const Sheet sheet(height);
    ASSERT_GT(sheet.mesh.ridges.size(), 10U);
    const double tolerance = height > 0 ? 0.01 : 1e-7;
    for (const double size : {0.02, 0.1, 0.2}) {
      const TriangleSoup adapted =
          remesh::adapt(test_device(), sheet.mesh,
                        remesh::uniform_metric(test_device(), sheet.mesh, size))
              .mesh;
      sheet.expect_kept(adapted, tolerance, "adapt");
      EXPECT_NEAR(static_cast<double>(adapted.ridges.size()), sheet.length / size,
                  0.4 * sheet.length / size);
      surface::IsotropicRemeshOptions options;
      options.length = size;
      sheet.expect_kept(surface::isotropic_remesh(test_device(), sheet.mesh, options).mesh,
                        tolerance, "remesh");
    }
    for (const int steps : {0, 3}) {
      surface::SimplifyOptions options;
      options.faces = 150;
      options.fitting_steps = steps;
      sheet.expect_kept(surface::simplify(test_device(), sheet.mesh, options).mesh, 5e-3,
                        "simplify");
    }
    surface::DynamicMesh mesh(test_device(), sheet.mesh);
    surface::make_delaunay(mesh);
    sheet.expect_kept(mesh.to_soup(), 1e-12, "delaunay");
    TriangleSoup repaired = sheet.mesh;
    surface::repair(test_device(), repaired, {});
    sheet.expect_kept(repaired, 0, "repair");
  }
}

TEST(GivenRidges, MetricsKnowNoCurvatureAcrossThem) {
  // A fold that is no ridge by its angle.
  Sheet sheet(0);
  for (Vec3d& p : sheet.mesh.positions) p[2] = 0.2 * std::abs(p[1] - sheet.line);
  remesh::CurvatureMetricOptions options;
  options.error = 1e-3;
  options.largest = 1;
  const auto shortest = [&] {
    double most = 0;
    const remesh::MetricField field = remesh::curvature_metric(test_device(), sheet.mesh, options);
    for (const remesh::SurfaceMetric& m : field.metrics) most = std::max({most, m.along, m.across});
    return 1 / std::sqrt(most);
  };
  EXPECT_GT(shortest(), 0.9);
  set_ridges(sheet.mesh, {});
  EXPECT_LT(shortest(), 0.3);
}

TEST(GivenRidges, OnBordersAreBorders) {
  TriangleSoup with = generated(surface::Shape::plane, 1800);
  const TriangleSoup without = with;
  std::vector<VertexPair> border;
  for (const auto& [edge, faces] : faces_at_edges(with))
    if (faces.size() == 1) border.push_back({edge.first, edge.second});
  set_ridges(with, border);
  surface::SimplifyOptions few;
  few.faces = 40;
  EXPECT_EQ(surface::simplify(test_device(), with, few).mesh.triangles.size(),
            surface::simplify(test_device(), without, few).mesh.triangles.size());
  const auto faces = [](const TriangleSoup& mesh) {
    return remesh::adapt(test_device(), mesh, remesh::uniform_metric(test_device(), mesh, 0.2))
        .mesh.triangles.size();
  };
  EXPECT_EQ(faces(with), faces(without));
}

TEST(GivenRidges, OfThreeFacesComeOnce) {
  TriangleSoup fins = make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}},
                                {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}});
  set_ridges(fins, {{1, 0}});
  const TriangleSoup same = surface::DynamicMesh(test_device(), fins).to_soup();
  ASSERT_EQ(same.ridges.size(), 1U);
  EXPECT_EQ(Sheet::length_of(same), 1);
}

TEST(GivenRidges, MustBeEdges) {
  Sheet sheet(0);
  sheet.mesh.ridges[0] = {0, static_cast<Index>(sheet.mesh.positions.size() - 1)};
  EXPECT_THROW(surface::DynamicMesh(test_device(), sheet.mesh), InputError);
}

}  // namespace
}  // namespace tessera
