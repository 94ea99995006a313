// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/metric_field.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/surface/subdivide.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using surface::Shape;

double size_of(double value) {
  return 1 / std::sqrt(value);
}

TEST(CurvatureMetric, OfASphereIsTheChordsEverywhere) {
  const TriangleSoup sphere = generated(Shape::icosphere, 5000);
  for (const Stretch stretch : {Stretch::none, Stretch::along}) {
    CurvatureMetricOptions options;
    options.error = 1e-3;
    options.stretch = stretch;
    const MetricField field = curvature_metric(test_device(), sphere, options);
    ASSERT_EQ(field.metrics.size(), sphere.positions.size());
    for (std::size_t v = 0; v < field.metrics.size(); ++v) {
      EXPECT_NEAR(size_of(field.metrics[v].along), std::sqrt(8e-3), 0.02 * std::sqrt(8e-3));
      EXPECT_NEAR(size_of(field.metrics[v].across), std::sqrt(8e-3), 0.02 * std::sqrt(8e-3));
      EXPECT_NEAR(dot(field.metrics[v].axis, field.normals[v]), 0, 1e-12);
      EXPECT_GT(dot(sphere.positions[v], field.normals[v]), 0.999);
    }
  }
}

TEST(CurvatureMetric, OfATorusHasItsPrincipalDirections) {
  const TriangleSoup torus = generated(Shape::torus, 40000);
  CurvatureMetricOptions options;
  options.error = 1e-3;
  options.largest = 1;
  options.stretch = Stretch::along;
  const MetricField field = curvature_metric(test_device(), torus, options);
  for (std::size_t v = 0; v < field.metrics.size(); ++v) {
    const Vec3d p = torus.positions[v];
    const double around = std::hypot(p[0], p[1]);
    // The tube bends by 1 / 0.4, the other way by the cosine over the distance from the axis.
    const double other = std::abs((around - 1) / 0.4) / around;
    EXPECT_NEAR(field.metrics[v].along * 8e-3, 2.5, 0.05);
    EXPECT_NEAR(field.metrics[v].across * 8e-3, std::max(other, 8e-3), 0.05);
    const Vec3d ring = Vec3d{-p[1], p[0], 0} * (1 / around);
    EXPECT_LT(std::abs(dot(field.metrics[v].axis, ring)), 0.05);
  }
}

TEST(CurvatureMetric, RidgesBendOnlyAlongThemselves) {
  surface::SubdivideOptions two;
  two.levels = 2;
  const TriangleSoup box = surface::subdivide(test_device(), unit_cube(), two);
  CurvatureMetricOptions options;
  options.error = 1e-3;
  options.largest = 0.7;
  for (const SurfaceMetric& m : curvature_metric(test_device(), box, options).metrics)
    EXPECT_NEAR(size_of(m.along), 0.7, 1e-9);
  // The rims of a cylinder are circles.
  const TriangleSoup cylinder = generated(Shape::cylinder, 4000);
  const MetricField field = curvature_metric(test_device(), cylinder, options);
  for (std::size_t v = 0; v < field.metrics.size(); ++v) {
    const Vec3d p = cylinder.positions[v];
    if (std::abs(std::hypot(p[0], p[1]) - 1) < 1e-9 && std::abs(std::abs(p[2]) - 1) < 1e-9) {
      EXPECT_LT(size_of(field.metrics[v].along), 1.02 * std::sqrt(8e-3));
    }
  }
}

TEST(MetricField, PointsAreThoseOfUnitTriangles) {
  const TriangleSoup sheet = generated(Shape::plane, 800);
  MetricField field = uniform_metric(test_device(), sheet, 0.01);
  EXPECT_NEAR(points_of(sheet, field), 1e4 / (std::sqrt(3.0) / 2), 1e-6);
  scale_to_points(sheet, field, 500);
  EXPECT_NEAR(points_of(sheet, field), 500, 1e-9);
}

/// Where a metric asks for short edges at one vertex, the next ones must not be much longer.
TEST(MetricField, GradationLimitsGrowth) {
  const TriangleSoup sheet = generated(Shape::plane, 5000);
  MetricField field = uniform_metric(test_device(), sheet, 0.5);
  const std::size_t middle = sheet.positions.size() / 2;
  field.metrics[middle] = SurfaceMetric{{1, 0, 0}, 1e6, 1e4};
  const MetricField before = field;
  constexpr double factor = 1.3;
  const GradationReport report = limit_gradation(test_device(), sheet, field, factor);
  EXPECT_GT(report.passes, 10);
  EXPECT_GT(report.shortened, 100U);
  EXPECT_EQ(field.metrics[middle].along, 1e6);
  const auto length_at = [&](std::size_t v, const Vec3d& direction) {
    return 1 / std::sqrt(field.metrics[v].squared_length_of(field.normals[v], direction));
  };
  for (const Triangle& t : sheet.triangles)
    for (int k = 0; k < 3; ++k) {
      const Index a = t[k];
      const Index b = t[(k + 1) % 3];
      const Vec3d edge = sheet.positions[b] - sheet.positions[a];
      const Vec3d along = edge * (1 / length(edge));
      for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        const double steps = length(edge) / length_at(from, along);
        ASSERT_LT(length_at(to, along),
                  1.01 * length_at(from, along) * (1 + steps * std::log(factor)));
      }
    }
  for (std::size_t v = 0; v < field.metrics.size(); ++v)
    ASSERT_GE(field.metrics[v].density(), before.metrics[v].density() * (1 - 1e-12));
}

TEST(MetricField, IntersectionsAreOfBoth) {
  const TriangleSoup sheet = generated(Shape::plane, 100);
  MetricField a = uniform_metric(test_device(), sheet, 0.5);
  const MetricField b = uniform_metric(test_device(), sheet, 0.2);
  a.metrics[3] = SurfaceMetric{{1, 0, 0}, 100, 1};
  const MetricField both = intersected(a, b);
  EXPECT_NEAR(size_of(both.metrics[0].along), 0.2, 1e-12);
  EXPECT_NEAR(size_of(both.metrics[3].along), 0.1, 1e-12);
  EXPECT_NEAR(size_of(both.metrics[3].across), 0.2, 1e-12);
  EXPECT_THROW(intersected(a, MetricField{}), InputError);
}

TEST(MetricField, AttributesHoldThem) {
  const TriangleSoup torus = generated(Shape::torus, 2000);
  CurvatureMetricOptions options;
  options.error = 1e-3;
  const MetricField round = curvature_metric(test_device(), torus, options);
  EXPECT_EQ(to_attribute(round).components, 1);
  options.stretch = Stretch::along;
  const MetricField stretched = curvature_metric(test_device(), torus, options);
  EXPECT_EQ(to_attribute(stretched).components, 6);
  for (const MetricField* field : {&round, &stretched}) {
    const MetricField again = metric_of(test_device(), torus, to_attribute(*field));
    for (std::size_t v = 0; v < field->metrics.size(); ++v) {
      const Vec3d edge =
          field->metrics[v].axis + 0.3 * cross(field->normals[v], field->metrics[v].axis);
      const double expected = field->metrics[v].squared_length_of(field->normals[v], edge);
      ASSERT_NEAR(again.metrics[v].squared_length_of(again.normals[v], edge), expected,
                  1e-9 * expected);
    }
  }
}

TEST(MetricField, RefusesWhatIsNoMetric) {
  const TriangleSoup mesh = tetrahedron();
  EXPECT_THROW(uniform_metric(test_device(), mesh, 0), InputError);
  EXPECT_THROW(metric_of(test_device(), mesh, {"m", 2, Array<double>(8)}), InputError);
  EXPECT_THROW(metric_of(test_device(), mesh, {"m", 1, Array<double>(3)}), InputError);
  EXPECT_THROW(metric_of(test_device(), mesh, {"m", 1, Array<double>{1, 1, -1, 1}}), InputError);
  MetricField field = uniform_metric(test_device(), mesh, 1);
  EXPECT_THROW(limit_gradation(test_device(), mesh, field, 1), InputError);
  EXPECT_THROW(scale_to_points(mesh, field, -1), InputError);
  CurvatureMetricOptions options;
  EXPECT_THROW(curvature_metric(test_device(), mesh, options), InputError);
  options.error = 1;
  options.smallest = 2;
  options.largest = 1;
  EXPECT_THROW(curvature_metric(test_device(), mesh, options), InputError);
}

TEST(MetricField, HoldsEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    CurvatureMetricOptions options;
    options.error = 0.01;
    options.stretch = Stretch::along;
    MetricField field = curvature_metric(test_device(), named.mesh, options);
    ASSERT_EQ(field.metrics.size(), named.mesh.positions.size()) << named.name;
    limit_gradation(test_device(), named.mesh, field, 1.5);
    for (const SurfaceMetric& m : field.metrics)
      ASSERT_TRUE(m.along > 0 && m.across > 0 && std::isfinite(m.along) && std::isfinite(m.across))
          << named.name;
  }
}

TEST(MetricField, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup torus = generated(Shape::torus, 5000);
  CurvatureMetricOptions options;
  options.error = 1e-3;
  options.stretch = Stretch::along;
  const auto run = [&](int threads) {
    MetricField field = curvature_metric(exec::Device::cpu(threads), torus, options);
    limit_gradation(exec::Device::cpu(threads), torus, field, 1.2);
    return field;
  };
  const MetricField one = run(1);
  const MetricField three = run(3);
  for (std::size_t v = 0; v < one.metrics.size(); ++v) {
    ASSERT_EQ(one.metrics[v].along, three.metrics[v].along);
    ASSERT_TRUE(one.metrics[v].axis == three.metrics[v].axis);
  }
}

}  // namespace
}  // namespace tessera::remesh
