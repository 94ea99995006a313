// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/smooth.h"

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/flags.h"
#include "tessera/surface/mean_curvature_flow.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

std::vector<Vec3d> positions_after(const PatchedMesh& mesh,
                                   const VertexAttribute<Vec3f>& positions) {
  std::vector<Vec3d> result;
  for (const Vec3f& p : attribute_to_host(mesh, positions)) result.push_back(cast<double>(p));
  return result;
}

std::vector<std::set<Index>> neighbors_of(const TriangleSoup& soup) {
  std::vector<std::set<Index>> neighbors(soup.positions.size());
  for (const Triangle& t : soup.triangles)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j)
        if (t[j] != t[k]) neighbors[t[k]].insert(t[j]);
  return neighbors;
}

/// Laplacian smoothing with one step after the other, in double.
std::vector<Vec3d> twin(const TriangleSoup& soup, const Array<Flags>& flags, Boundary boundary,
                        const std::vector<double>& steps) {
  std::vector<Vec3d> x(soup.positions.begin(), soup.positions.end());
  const auto neighbors = neighbors_of(soup);
  for (const double step : steps) {
    std::vector<Vec3d> next = x;
    for (Index v = 0; v < x.size(); ++v) {
      if (neighbors[v].empty()) continue;
      if (boundary == Boundary::fixed && flags[v].is_boundary()) continue;
      Vec3d mean{};
      for (const Index w : neighbors[v]) mean += x[w];
      next[v] += step * (mean * (1.0 / static_cast<double>(neighbors[v].size())) - x[v]);
    }
    x = next;
  }
  return x;
}

double largest_distance(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, length(a[i] - b[i]));
  return largest;
}

TEST(Smooth, AgreesWithTwin) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    PatchOptions small;
    small.patch_faces = 32;
    const PatchedMesh mesh(test_device(), named.mesh, small);
    const auto flags = attribute_to_host(mesh, vertex_flags(mesh));
    for (const Boundary boundary : {Boundary::fixed, Boundary::free}) {
      LaplacianOptions options;
      options.iterations = 3;
      options.boundary = boundary;
      auto positions = positions_of(mesh, named.mesh);
      laplacian_smooth(mesh, positions, options);
      EXPECT_LT(largest_distance(positions_after(mesh, positions),
                                 twin(named.mesh, flags, boundary, {0.5, 0.5, 0.5})),
                2e-5);
      TaubinOptions taubin;
      taubin.iterations = 2;
      taubin.boundary = boundary;
      positions = positions_of(mesh, named.mesh);
      taubin_smooth(mesh, positions, taubin);
      EXPECT_LT(largest_distance(positions_after(mesh, positions),
                                 twin(named.mesh, flags, boundary, {0.5, -0.526, 0.5, -0.526})),
                2e-5);
    }
  }
}

double volume_of(TriangleSoup soup, const std::vector<Vec3d>& positions) {
  soup.positions.assign(positions.begin(), positions.end());
  return *analyze(test_device(), soup).volume;
}

TEST(Smooth, TaubinKeepsTheVolume) {
  const TriangleSoup soup = generated(Shape::noisy_sphere, 5000);
  const PatchedMesh mesh(test_device(), soup);
  auto by_taubin = positions_of(mesh, soup);
  TaubinOptions taubin;
  taubin.iterations = 50;
  taubin_smooth(mesh, by_taubin, taubin);
  auto by_laplacian = positions_of(mesh, soup);
  LaplacianOptions laplacian;
  laplacian.iterations = 100;
  laplacian_smooth(mesh, by_laplacian, laplacian);
  const double before = *analyze(test_device(), soup).volume;
  EXPECT_NEAR(volume_of(soup, positions_after(mesh, by_taubin)), before, 0.02 * before);
  EXPECT_LT(volume_of(soup, positions_after(mesh, by_laplacian)), 0.97 * before);
}

/// The system of the flow, assembled and solved by Eigen.
std::vector<Vec3d> solve_flow(const TriangleSoup& soup, const Array<Flags>& flags,
                              double time_step) {
  using Matrix = Eigen::SparseMatrix<double>;
  const auto n = static_cast<Eigen::Index>(soup.positions.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd right(n, 3);
  right.setZero();
  const auto fixed = [&](Index v) { return flags[v].is_boundary(); };
  std::vector<double> mass(soup.positions.size());
  for (const Triangle& t : soup.triangles) {
    const Vec3d p[3] = {soup.positions[t[0]], soup.positions[t[1]], soup.positions[t[2]]};
    const double area = length(cross(p[1] - p[0], p[2] - p[0]));
    for (int k = 0; k < 3; ++k) {
      mass[t[k]] += area / 6;
      const Index a = t[(k + 1) % 3];
      const Index b = t[(k + 2) % 3];
      const double weight =
          time_step * dot(p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]) / (2 * area);
      for (const auto& [v, w] : {std::pair{a, b}, std::pair{b, a}}) {
        if (fixed(v)) continue;
        entries.emplace_back(v, v, weight);
        if (!fixed(w))
          entries.emplace_back(v, w, -weight);
        else
          for (int i = 0; i < 3; ++i) right(v, i) += weight * soup.positions[w][i];
      }
    }
  }
  for (Index v = 0; v < soup.positions.size(); ++v) {
    entries.emplace_back(v, v, fixed(v) ? 1.0 : mass[v]);
    for (int i = 0; i < 3; ++i) right(v, i) += (fixed(v) ? 1.0 : mass[v]) * soup.positions[v][i];
  }
  Matrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Matrix> solver(matrix);
  const Eigen::MatrixXd x = solver.solve(right);
  std::vector<Vec3d> result;
  for (Eigen::Index v = 0; v < n; ++v) result.push_back({x(v, 0), x(v, 1), x(v, 2)});
  return result;
}

TEST(MeanCurvatureFlow, AgreesWithSparseSolve) {
  for (const Shape shape : {Shape::noisy_sphere, Shape::torus, Shape::plane, Shape::cylinder}) {
    TriangleSoup soup = generated(shape, 4000);
    const Random random(5);
    for (Index v = 0; v < soup.positions.size(); ++v)
      soup.positions[v][2] += 0.01 * random.uniform(v);
    const PatchedMesh mesh(test_device(), soup);
    auto positions = positions_of(mesh, soup);
    const MeanCurvatureFlowResult result = mean_curvature_flow(mesh, positions);
    EXPECT_EQ(result.stop, SolverStop::converged);
    EXPECT_GT(result.iterations, 3);
    EXPECT_LE(result.residual, 1e-6);
    const auto expected =
        solve_flow(soup, attribute_to_host(mesh, vertex_flags(mesh)), result.time_step);
    const auto found = positions_after(mesh, positions);
    double difference = 0;
    double moved = 0;
    for (std::size_t v = 0; v < found.size(); ++v) {
      difference += squared_length(found[v] - expected[v]);
      moved += squared_length(expected[v] - soup.positions[v]);
    }
    // Against how far the surface moved, which is harder than against where it is.
    EXPECT_LT(std::sqrt(difference / moved), 1e-4) << static_cast<int>(shape);
  }
}

TEST(MeanCurvatureFlow, AnyMeshWillDo) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    const PatchedMesh mesh(test_device(), named.mesh);
    auto positions = positions_of(mesh, named.mesh);
    mean_curvature_flow(mesh, positions);
    for (const Vec3d& p : positions_after(mesh, positions))
      EXPECT_TRUE(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]));
  }
}

TEST(Smooth, BadOptions) {
  const TriangleSoup soup = tetrahedron();
  const PatchedMesh mesh(test_device(), soup);
  auto positions = positions_of(mesh, soup);
  LaplacianOptions laplacian;
  laplacian.step = 2;
  EXPECT_THROW(laplacian_smooth(mesh, positions, laplacian), InputError);
  TaubinOptions taubin;
  taubin.back_step = 0.5F;
  EXPECT_THROW(taubin_smooth(mesh, positions, taubin), InputError);
  MeanCurvatureFlowOptions flow;
  flow.time_step = -1;
  EXPECT_THROW(mean_curvature_flow(mesh, positions, flow), InputError);
  flow = {};
  flow.max_iterations = -1;
  EXPECT_THROW(mean_curvature_flow(mesh, positions, flow), InputError);
  flow = {};
  flow.steps = -1;
  EXPECT_THROW(mean_curvature_flow(mesh, positions, flow), InputError);
  const PatchedMesh other(test_device(), soup);
  EXPECT_THROW(laplacian_smooth(other, positions), std::invalid_argument);
  EXPECT_THROW(taubin_smooth(other, positions), std::invalid_argument);
  EXPECT_THROW(mean_curvature_flow(other, positions), std::invalid_argument);
}

TEST(Smooth, CancelledLeavesPositions) {
  const TriangleSoup soup = generated(Shape::noisy_sphere, 500);
  const PatchedMesh mesh(test_device(), soup);
  auto positions = positions_of(mesh, soup);
  const auto before = attribute_to_host(mesh, positions);
  for (const int yes : {0, 1, 2, 5}) {
    LaplacianOptions laplacian;
    laplacian.progress = cancel_after(yes);
    EXPECT_THROW(laplacian_smooth(mesh, positions, laplacian), Cancelled);
    EXPECT_EQ(attribute_to_host(mesh, positions), before);
    TaubinOptions taubin;
    taubin.progress = cancel_after(yes);
    EXPECT_THROW(taubin_smooth(mesh, positions, taubin), Cancelled);
    EXPECT_EQ(attribute_to_host(mesh, positions), before);
    MeanCurvatureFlowOptions flow;
    flow.steps = 2;
    flow.progress = cancel_after(yes);
    EXPECT_THROW(mean_curvature_flow(mesh, positions, flow), Cancelled);
    EXPECT_EQ(attribute_to_host(mesh, positions), before);
  }
}

}  // namespace
}  // namespace tessera::surface
