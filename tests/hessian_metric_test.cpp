// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/hessian_metric.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/metric_recipe.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using surface::Shape;
using Function = std::function<double(const Vec3d&)>;

Attribute field_on(const TriangleSoup& mesh, const Function& f) {
  Array<double> values(mesh.positions.size());
  std::transform(mesh.positions.begin(), mesh.positions.end(), values.begin(), f);
  return {"field", 1, std::move(values)};
}

/// Vertices moved along the axes by up to a length.
void shake(TriangleSoup& mesh, double most, int axes, const Function& how_much) {
  const Random random(5);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const double length = most * how_much(mesh.positions[v]);
    for (int k = 0; k < axes; ++k)
      mesh.positions[v][k] +=
          length * (2 * random.uniform(3 * v + static_cast<std::uint64_t>(k)) - 1);
  }
}
TriangleSoup shaken_square(std::uint64_t faces) {
  TriangleSoup mesh = generated(Shape::plane, faces);
  shake(mesh, 0.2 / std::sqrt(static_cast<double>(faces) / 2), 2, [](const Vec3d& p) {
    return std::min({p[0], p[1], 1 - p[0], 1 - p[1]}) > 1e-9 ? 1.0 : 0.0;
  });
  return mesh;
}
TriangleSoup shaken_sphere(std::uint64_t faces, double how_much) {
  TriangleSoup mesh = generated(Shape::icosphere, faces);
  shake(mesh, how_much * std::sqrt(29.0 / static_cast<double>(faces)), 3,
        [](const Vec3d&) { return 1; });
  for (Vec3d& p : mesh.positions) p *= 1 / length(p);
  return mesh;
}

/// A metric that shows second derivatives as they are: eigenvalues are their magnitudes.
HessianMetricOptions plain() {
  HessianMetricOptions options;
  options.error = 1.0 / 8;
  options.smallest = 1e-6;
  options.largest = 1e6;
  options.stretch = Stretch::along;
  return options;
}

Vector3d eigen(const Vec3d& p) {
  return {p[0], p[1], p[2]};
}
Matrix3d matrix_of(const MetricField& field, std::size_t v) {
  const Vector3d a = eigen(field.metrics[v].axis);
  const Vector3d b = eigen(field.normals[v]).cross(a);
  return field.metrics[v].along * a * a.transpose() + field.metrics[v].across * b * b.transpose();
}
Matrix3d magnitude(const Matrix3d& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(a);
  return solver.eigenvectors() * solver.eigenvalues().cwiseAbs().asDiagonal() *
         solver.eigenvectors().transpose();
}

TEST(HessianMetric, IsExactForQuadraticFieldsOnAPlane) {
  // A plane in any position.
  Matrix3d turn;
  turn = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized());
  TriangleSoup sheet = shaken_square(500);
  const Attribute field = field_on(sheet, [](const Vec3d& p) {
    return 2 + p[0] - 3 * p[1] + 1.5 * p[0] * p[0] + 2 * p[0] * p[1] - p[1] * p[1];
  });
  for (Vec3d& p : sheet.positions) {
    const Vector3d q = turn * eigen(p) + Vector3d(5, -3, 2);
    p = {q[0], q[1], q[2]};
  }
  Matrix3d second;
  second << 3, 2, 0, 2, -2, 0, 0, 0, 0;
  const Matrix3d expected = turn * magnitude(second) * turn.transpose();
  const MetricField metric = hessian_metric(test_device(), sheet, field, plain());
  for (std::size_t v = 0; v < metric.metrics.size(); ++v)
    ASSERT_LT((matrix_of(metric, v) - expected).norm(), 1e-8) << v;
}

TEST(HessianMetric, LinearInterpolationHasTheError) {
  const TriangleSoup sheet = shaken_square(200);
  const Attribute field = field_on(sheet, [](const Vec3d& p) { return 3 * p[0] * p[0]; });
  HessianMetricOptions options;
  options.error = 0.01;
  options.largest = 2;
  options.stretch = Stretch::along;
  for (const SurfaceMetric& m : hessian_metric(test_device(), sheet, field, options).metrics) {
    const double size = 1 / std::sqrt(m.along);
    // Between x - size / 2 and x + size / 2 the chord is above the field by that.
    EXPECT_NEAR(3 * size * size / 4, 0.01, 1e-8);
    EXPECT_NEAR(std::abs(m.axis[0]), 1, 1e-8);
    EXPECT_NEAR(m.across, 0.25, 1e-9);
  }
  options.stretch = Stretch::none;
  for (const SurfaceMetric& m : hessian_metric(test_device(), sheet, field, options).metrics) {
    EXPECT_NEAR(m.along, 6 / 0.08, 1e-6);
    EXPECT_EQ(m.along, m.across);
  }
  // Without an error it is a hundredth of the range, which is 3.
  options.error = 0;
  for (const SurfaceMetric& m : hessian_metric(test_device(), sheet, field, options).metrics)
    EXPECT_NEAR(m.along, 6 / 0.24, 1e-6);
}

// A field on the unit sphere whose derivatives are known.
double wave(const Vec3d& p) {
  return std::sin(3 * p[0]) * std::cos(2 * p[1]) + p[2] * p[2] / 2 + p[0] * p[2];
}
/// Second derivatives along great circles: those in space in the tangent plane, less those by the
/// bend of the sphere.
Matrix3d wave_on_sphere(const Vec3d& p) {
  const double s = std::sin(3 * p[0]);
  const double c = std::cos(3 * p[0]);
  const double t = std::sin(2 * p[1]);
  const double d = std::cos(2 * p[1]);
  Matrix3d second;
  second << -9 * s * d, -6 * c * t, 1, -6 * c * t, -4 * s * d, 0, 1, 0, 1;
  const Vector3d gradient(3 * c * d + p[2], -2 * s * t, p[2] + p[0]);
  const Vector3d n = eigen(p);
  const Matrix3d flat = Matrix3d::Identity() - n * n.transpose();
  return flat * second * flat - gradient.dot(n) * flat;
}
/// Root mean square and largest error, in parts of the root mean square of what is right.
std::pair<double, double> errors_on_sphere(const TriangleSoup& sphere) {
  const MetricField metric = hessian_metric(test_device(), sphere, field_on(sphere, wave), plain());
  double squares = 0;
  double all = 0;
  double largest = 0;
  for (std::size_t v = 0; v < metric.metrics.size(); ++v) {
    const Matrix3d expected = magnitude(wave_on_sphere(sphere.positions[v]));
    // In the plane that is right, not in that of the normals of faces.
    const Vector3d n = eigen(sphere.positions[v]);
    const Matrix3d flat = Matrix3d::Identity() - n * n.transpose();
    const double error = (flat * matrix_of(metric, v) * flat - expected).squaredNorm();
    squares += error;
    largest = std::max(largest, error);
    all += expected.squaredNorm();
  }
  const double mean = all / static_cast<double>(metric.metrics.size());
  return {std::sqrt(squares / all), std::sqrt(largest / mean)};
}

TEST(HessianMetric, IsOfTheSecondOrderOnASphere) {
  const auto [coarse, coarse_most] = errors_on_sphere(shaken_sphere(2000, 0.15));
  const auto [middle, middle_most] = errors_on_sphere(shaken_sphere(8000, 0.15));
  const auto [fine, fine_most] = errors_on_sphere(shaken_sphere(32000, 0.15));
  EXPECT_LT(middle, coarse / 3.5);
  EXPECT_LT(fine, middle / 3.5);
  EXPECT_LT(fine, 0.005);
  EXPECT_LT(fine_most, 0.015);
}

/// Faces that lie the wrong way round make ridges, and sides of few faces.
TEST(HessianMetric, FoldedFacesDoLittleHarm) {
  const TriangleSoup sphere = shaken_sphere(8000, 0.35);
  const auto [mean, most] = errors_on_sphere(sphere);
  EXPECT_LT(mean, 0.05);
  EXPECT_LT(most, 2);
}

/// The same by other means: vertices found by their numbers, coefficients by orthogonal columns.
Matrix3d fitted(const TriangleSoup& mesh, const std::vector<std::set<Index>>& neighbours, Index v,
                const Vec3d& normal, const Array<double>& field, bool is_on_border) {
  const Vector3d n = eigen(normal);
  const Vector3d x = n.unitOrthogonal();
  const Vector3d y = n.cross(x);
  std::vector<Index> near;
  for (const Index a : neighbours[v])
    for (const Index b : neighbours[a])
      if (b != v) near.push_back(b);
  const auto count = static_cast<Eigen::Index>(near.size());
  Eigen::MatrixXd places(count, 2);
  Eigen::VectorXd values(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Vector3d edge =
        eigen(mesh.positions[near[static_cast<std::size_t>(i)]] - mesh.positions[v]);
    const Vector3d turned = (edge - edge.dot(n) * n).normalized() * edge.norm();
    places.row(i) << turned.dot(x), turned.dot(y);
    values[i] = field[near[static_cast<std::size_t>(i)]] - field[v];
  }
  const Eigen::Matrix2d spread = places.transpose() * places / static_cast<double>(count);
  Eigen::MatrixXd rows(count, 9);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double a = places(i, 0);
    const double b = places(i, 1);
    rows.row(i) << a, b, a * a / 2, a * b, b * b / 2, a * a * a, a * a * b, a * b * b, b * b * b;
    const double far = places.row(i) * spread.inverse() * places.row(i).transpose();
    const double weight = is_on_border ? 1 : std::exp(-3 * far);
    rows.row(i) *= std::sqrt(weight);
    values[i] *= std::sqrt(weight);
  }
  const Eigen::VectorXd best =
      rows.leftCols(is_on_border ? 5 : 9).colPivHouseholderQr().solve(values);
  return best[2] * x * x.transpose() + best[3] * (x * y.transpose() + y * x.transpose()) +
         best[4] * y * y.transpose();
}

TEST(HessianMetric, AgreesWithAFitByOtherMeans) {
  TriangleSoup stretched = shaken_square(300);
  for (Vec3d& p : stretched.positions) p[0] *= 100;
  const TriangleSoup meshes[] = {shaken_sphere(500, 0.1), generated(Shape::torus, 800),
                                 shaken_square(300), stretched};
  for (const TriangleSoup& mesh : meshes) {
    const Attribute field = field_on(mesh, [](const Vec3d& p) {
      return std::exp(p[0] / 50) * std::sin(2 * p[1] + 1) + p[2] * p[0];
    });
    std::vector<std::set<Index>> neighbours(mesh.positions.size());
    std::vector<bool> is_on_border(mesh.positions.size());
    for (const auto& [edge, faces] : faces_at_edges(mesh)) {
      neighbours[edge.first].insert(edge.second);
      neighbours[edge.second].insert(edge.first);
      if (faces.size() == 1) is_on_border[edge.first] = is_on_border[edge.second] = true;
    }
    HessianMetricOptions options = plain();
    options.ridge_angle = 180;
    const MetricField metric = hessian_metric(test_device(), mesh, field, options);
    for (Index v = 0; v < mesh.positions.size(); ++v) {
      const Matrix3d expected =
          magnitude(fitted(mesh, neighbours, v, metric.normals[v],
                           std::get<Array<double>>(field.values), is_on_border[v]));
      ASSERT_LT((matrix_of(metric, v) - expected).norm(), 1e-6 * (1 + expected.norm())) << v;
    }
  }
}

TEST(HessianMetric, RidgesPartTangentPlanes) {
  surface::SubdivideOptions three;
  three.levels = 3;
  const TriangleSoup box = surface::subdivide(test_device(), unit_cube(), three);
  // It bends by 2 along x on four sides, and not at all on the two where x is the same.
  const MetricField metric = hessian_metric(
      test_device(), box, field_on(box, [](const Vec3d& p) { return p[0] * p[0]; }), plain());
  for (std::size_t v = 0; v < metric.metrics.size(); ++v) {
    const Vec3d p = box.positions[v];
    const auto is_end = [&](int k) { return p[k] < 1e-9 || p[k] > 1 - 1e-9; };
    const bool is_on_bent_side = is_end(1) || is_end(2);
    const SurfaceMetric& m = metric.metrics[v];
    if (is_end(0) && is_end(1) && is_end(2)) {
      EXPECT_GE(m.along, 2);  // two sides bend
      continue;
    }
    EXPECT_NEAR(m.along, is_on_bent_side ? 2 : 0, 1e-8) << v;
    EXPECT_NEAR(m.across, 0, 1e-8) << v;
    if (!is_on_bent_side) continue;
    EXPECT_NEAR(std::abs(m.axis[0]), is_end(0) ? std::sqrt(0.5) : 1, 1e-8) << v;
  }
}

TEST(HessianMetric, ConstantFieldsAndVerticesWithoutFacesHaveTheLargestSize) {
  TriangleSoup torus = generated(Shape::torus, 500);
  torus.positions.push_back({7, 7, 7});
  HessianMetricOptions options;
  options.largest = 0.4;
  const Function functions[] = {[](const Vec3d&) { return 1e9; },
                                [](const Vec3d& p) { return p[2]; }};
  for (const Function& f : functions) {
    const MetricField metric = hessian_metric(test_device(), torus, field_on(torus, f), options);
    EXPECT_NEAR(metric.metrics.back().along * 0.16, 1, 1e-12);
    EXPECT_NEAR(metric.metrics.back().across * 0.16, 1, 1e-12);
  }
  for (const SurfaceMetric& m :
       hessian_metric(test_device(), torus, field_on(torus, functions[0]), options).metrics)
    ASSERT_NEAR(m.along * 0.16, 1, 1e-12);
}

TEST(HessianMetric, SaysWhatIsWrong) {
  const TriangleSoup mesh = generated(Shape::icosphere, 80);
  const auto expect_refused = [&](const Attribute& field, const HessianMetricOptions& options,
                                  const std::string& part) {
    try {
      hessian_metric(test_device(), mesh, field, options);
      ADD_FAILURE() << "accepted; expected: " << part;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  Attribute field = field_on(mesh, wave);
  auto& values = std::get<Array<double>>(field.values);
  values[9] = std::numeric_limits<double>::infinity();
  values[7] = std::nan("");
  expect_refused(field, {}, "the field 'field' of vertex 7 is no number");
  values.resize(5);
  expect_refused(field, {}, "the field 'field' is that of another mesh");
  expect_refused({"velocity", 3, Array<float>(3 * mesh.positions.size())}, {},
                 "'velocity' has more than one component");
  field = field_on(mesh, wave);
  HessianMetricOptions options;
  options.error = -1;
  expect_refused(field, options, "negative");
  options = {};
  options.error_of_range = 0;
  expect_refused(field, options, "not a positive number");
  options = {};
  options.smallest = 2;
  options.largest = 1;
  expect_refused(field, options, "above the largest");
  options = {};
  options.ridge_angle = 200;
  expect_refused(field, options, "ridges");
}

TEST(HessianMetric, HoldsEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    HessianMetricOptions options;
    options.stretch = Stretch::along;
    const MetricField metric =
        hessian_metric(test_device(), named.mesh, field_on(named.mesh, wave), options);
    ASSERT_EQ(metric.metrics.size(), named.mesh.positions.size()) << named.name;
    for (std::size_t v = 0; v < metric.metrics.size(); ++v) {
      const SurfaceMetric& m = metric.metrics[v];
      ASSERT_TRUE(m.along > 0 && m.across > 0 && std::isfinite(m.along + m.across)) << named.name;
      ASSERT_NEAR(length(m.axis), 1, 1e-9) << named.name;
      ASSERT_NEAR(dot(m.axis, metric.normals[v]), 0, 1e-9) << named.name;
    }
  }
}

TEST(HessianMetric, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 20000);
  const Attribute field = field_on(mesh, wave);
  const MetricField one = hessian_metric(exec::Device::cpu(1), mesh, field);
  const MetricField three = hessian_metric(exec::Device::cpu(3), mesh, field);
  for (std::size_t v = 0; v < one.metrics.size(); ++v) {
    ASSERT_EQ(one.metrics[v].along, three.metrics[v].along);
    ASSERT_EQ(one.metrics[v].across, three.metrics[v].across);
    ASSERT_TRUE(one.metrics[v].axis == three.metrics[v].axis);
  }
}

/// What stays between a front and linear interpolation of it, as a mean over the faces.
double mean_error(const TriangleSoup& mesh, const Function& f) {
  double sum = 0;
  double areas = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    const double area = length(cross(p[1] - p[0], p[2] - p[0]));
    areas += area;
    constexpr int parts = 6;
    int samples = 0;
    double of_face = 0;
    for (int i = 0; i <= parts; ++i)
      for (int j = 0; i + j <= parts; ++j) {
        const double a = static_cast<double>(i) / parts;
        const double b = static_cast<double>(j) / parts;
        const double linear = (1 - a - b) * f(p[0]) + a * f(p[1]) + b * f(p[2]);
        of_face += std::abs(f((1 - a - b) * p[0] + a * p[1] + b * p[2]) - linear);
        ++samples;
      }
    sum += area * of_face / samples;
  }
  return sum / areas;
}

/// On a mesh of which few cells cross the front, it is known well enough when the mesh has been
/// adapted once: then the field is computed anew.
TEST(HessianMetric, AFrontGetsCellsThatLieAlongIt) {
  const TriangleSoup sheet = generated(Shape::plane, 20000);
  const auto place = [](const Vec3d& p) { return p[0] - 0.6 + 0.2 * p[1] + 0.02 * p[1] * p[1]; };
  const auto front = [&](const Vec3d& p) { return std::tanh(100 * place(p)); };
  MetricRecipe recipe;
  recipe.points = 1500;
  recipe.stretch = Stretch::along;
  recipe.largest = 0.5;
  recipe.smallest = 1e-4;
  TriangleSoup mesh = sheet;
  for (int pass = 0; pass < 3; ++pass) {
    recipe.fields = {{field_on(mesh, front)}};
    const MetricResult metric = make_metric(test_device(), mesh, recipe);
    EXPECT_NEAR(metric.report.points, 1500, 30);
    mesh = adapt(test_device(), mesh, metric.field).mesh;
  }
  std::vector<double> aspects;
  double aligned = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    const Vec3d middle = (p[0] + p[1] + p[2]) * (1.0 / 3);
    if (std::abs(place(middle)) > 0.005) continue;
    Vec3d longest{};
    for (int k = 0; k < 3; ++k)
      if (squared_length(p[(k + 1) % 3] - p[k]) > squared_length(longest))
        longest = p[(k + 1) % 3] - p[k];
    aspects.push_back(squared_length(longest) / length(cross(p[1] - p[0], p[2] - p[0])));
    const Vec3d along{-0.2 - 0.04 * middle[1], 1, 0};
    aligned += std::abs(dot(along, longest)) / length(along) / length(longest);
  }
  ASSERT_GT(aspects.size(), 30U);
  std::sort(aspects.begin(), aspects.end());
  EXPECT_GT(aspects[aspects.size() / 2], 20);
  EXPECT_GT(aligned / static_cast<double>(aspects.size()), 0.995);
  // Against more points of one size.
  const TriangleSoup even = generated(Shape::plane, 4000);
  ASSERT_GT(even.positions.size(), mesh.positions.size());
  EXPECT_LT(mean_error(mesh, front), mean_error(even, front) / 20);
}

}  // namespace
}  // namespace tessera::remesh
