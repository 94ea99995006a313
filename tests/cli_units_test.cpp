// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Kernels compute in float. Neither the units of a model nor a stray vertex may show in the result.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"
#include "tessera/exec/device.h"
#include "tessera/io/triangles.h"
#include "tessera/surface/generate.h"

namespace tessera::cli::testing {
namespace {

constexpr double scales[] = {1e-30, 1e-12, 1e12, 1e30};

/// A sphere with a little noise: smoothing has something to do.
TriangleSoup rough_sphere() {
  surface::GenerateOptions options;
  options.faces = 1280;
  options.noise = 0.01;
  return surface::generate(exec::Device::cpu(), surface::Shape::noisy_sphere, options);
}

TriangleSoup scaled(TriangleSoup mesh, double scale) {
  for (Vec3d& p : mesh.positions) p *= scale;
  return mesh;
}

/// What a command makes of a mesh.
TriangleSoup result_of(const TemporaryFolder& folder, const TriangleSoup& mesh,
                       std::vector<std::string> words) {
  io::write_triangles(folder / "in.ply", mesh);
  words.insert(words.begin() + 1, {"in.ply", "out.ply"});
  succeed(folder, words);
  return io::read_triangles(folder / "out.ply").mesh;
}

/// Numbers of an attribute in double.
std::vector<double> numbers(const TriangleSoup& mesh, const std::string& name) {
  const Attribute* attribute = find(mesh.vertex_attributes, name);
  if (attribute == nullptr) return {};
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); },
                    attribute->values);
}

/// Each number is the other's times a factor.
void expect_scaled(const std::vector<double>& small, const std::vector<double>& large,
                   double factor, double tolerance) {
  ASSERT_EQ(small.size(), large.size());
  ASSERT_FALSE(small.empty());
  double worst = 0;
  for (std::size_t i = 0; i < small.size(); ++i)
    worst = std::max(worst, std::abs(large[i] / factor - small[i]));
  EXPECT_LT(worst, tolerance);  // also false where a number is none
}

std::vector<double> coordinates(const TriangleSoup& mesh) {
  std::vector<double> all;
  for (const Vec3d& p : mesh.positions) all.insert(all.end(), p.v, p.v + 3);
  return all;
}

TEST(CliUnits, NormalsDoNotDependOnThem) {
  const TemporaryFolder folder;
  const TriangleSoup mesh = rough_sphere();
  for (const std::string weight : {"area", "angle", "max"}) {
    const std::vector<std::string> words{"normals", "--weight", weight};
    const auto expected = numbers(result_of(folder, mesh, words), "normal");
    for (const double scale : scales) {
      SCOPED_TRACE(weight + ", " + std::to_string(std::log10(scale)));
      const TriangleSoup result = result_of(folder, scaled(mesh, scale), words);
      expect_scaled(expected, numbers(result, "normal"), 1, 1e-5);
    }
  }
}

TEST(CliUnits, SmoothedPositionsScaleWithThem) {
  const TemporaryFolder folder;
  const TriangleSoup mesh = rough_sphere();
  for (const std::string method : {"laplacian", "taubin", "mcf", "bilateral"}) {
    const std::vector<std::string> words{"smooth", "--method", method};
    const auto expected = coordinates(result_of(folder, mesh, words));
    double moved = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      moved = std::max(moved, std::abs(expected[i] - coordinates(mesh)[i]));
    EXPECT_GT(moved, 1e-3);
    for (const double scale : scales) {
      SCOPED_TRACE(method + ", " + std::to_string(std::log10(scale)));
      const TriangleSoup result = result_of(folder, scaled(mesh, scale), words);
      expect_scaled(expected, coordinates(result), scale, 1e-5);
    }
  }
}

TEST(CliUnits, TimeStepsAreInTheModelsUnits) {
  const TemporaryFolder folder;
  const TriangleSoup mesh = rough_sphere();
  const auto flow = [&](double scale) {
    io::write_triangles(folder / "in.ply", scaled(mesh, scale));
    const nlohmann::json done =
        report(folder, {"smooth", "in.ply", "out.ply", "--method", "mcf", "--time-step",
                        nlohmann::json(0.01 * scale * scale).dump()});
    EXPECT_NEAR(done["time_step"].get<double>() / (0.01 * scale * scale), 1, 1e-6);
    return coordinates(io::read_triangles(folder / "out.ply").mesh);
  };
  const auto expected = flow(1);
  for (const double scale : {1e-12, 1e12}) expect_scaled(expected, flow(scale), scale, 1e-5);
}

TEST(CliUnits, CurvatureAndDistancesAreInTheModelsUnits) {
  const TemporaryFolder folder;
  const TriangleSoup mesh = rough_sphere();
  const TriangleSoup bent = result_of(folder, mesh, {"curvature"});
  const TriangleSoup far = result_of(folder, mesh, {"geodesic"});
  const nlohmann::json expected = report(folder, {"geodesic", "in.ply", "out.ply"});
  for (const double scale : scales) {
    SCOPED_TRACE(std::log10(scale));
    const TriangleSoup result = result_of(folder, scaled(mesh, scale), {"curvature"});
    expect_scaled(numbers(bent, "mean_curvature"), numbers(result, "mean_curvature"), 1 / scale,
                  1e-3);
    expect_scaled(numbers(bent, "gaussian_curvature"), numbers(result, "gaussian_curvature"),
                  1 / scale / scale, 1e-2);
    const nlohmann::json done = report(folder, {"geodesic", "in.ply", "out.ply"});
    EXPECT_NEAR(done["max_distance"].get<double>() / scale, expected["max_distance"], 1e-4);
    expect_scaled(numbers(far, "distance"),
                  numbers(io::read_triangles(folder / "out.ply").mesh, "distance"), scale, 1e-3);
  }
}

TEST(CliUnits, AStrayVertexHasNoSay) {
  const TemporaryFolder folder;
  const TriangleSoup mesh = rough_sphere();
  TriangleSoup with_stray = mesh;
  with_stray.positions.push_back({1e12, -1e11, 3e12});
  const auto without_last = [](std::vector<double> all, std::size_t last) {
    all.resize(all.size() - last);
    return all;
  };
  expect_scaled(numbers(result_of(folder, mesh, {"normals"}), "normal"),
                without_last(numbers(result_of(folder, with_stray, {"normals"}), "normal"), 3), 1,
                1e-6);
  for (const std::string method : {"taubin", "mcf", "bilateral"}) {
    const std::vector<std::string> words{"smooth", "--method", method};
    const TriangleSoup result = result_of(folder, with_stray, words);
    expect_scaled(coordinates(result_of(folder, mesh, words)), without_last(coordinates(result), 3),
                  1, 1e-6);
    EXPECT_EQ(result.positions.back(), with_stray.positions.back());
  }
  expect_scaled(
      numbers(result_of(folder, mesh, {"curvature"}), "mean_curvature"),
      without_last(numbers(result_of(folder, with_stray, {"curvature"}), "mean_curvature"), 1), 1,
      1e-6);
  expect_scaled(numbers(result_of(folder, mesh, {"geodesic"}), "distance"),
                without_last(numbers(result_of(folder, with_stray, {"geodesic"}), "distance"), 1),
                1, 1e-6);
}

}  // namespace
}  // namespace tessera::cli::testing
