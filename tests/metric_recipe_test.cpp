// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/metric_recipe.h"

#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/remesh/hessian_metric.h"
#include "test_device.h"

namespace tessera::remesh {
namespace {

using surface::Shape;

double size_of(double value) {
  return 1 / std::sqrt(value);
}

void expect_refused(const TriangleSoup& mesh, const MetricRecipe& recipe, const std::string& part) {
  try {
    make_metric(test_device(), mesh, recipe);
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(MetricRecipe, ASizeIsThatEverywhere) {
  const TriangleSoup torus = generated(Shape::torus, 2000);
  MetricRecipe recipe;
  recipe.size = 0.1;
  const MetricResult made = make_metric(test_device(), torus, recipe);
  for (const SurfaceMetric& m : made.field.metrics) ASSERT_NEAR(size_of(m.along), 0.1, 1e-12);
  EXPECT_NEAR(made.report.points, points_of(torus, made.field), 1e-6);
  EXPECT_NEAR(made.report.smallest, 0.1, 1e-12);
  EXPECT_NEAR(made.report.largest, 0.1, 1e-12);
  EXPECT_NEAR(made.report.aspect, 1, 1e-12);
  EXPECT_EQ(made.report.gradation.shortened, 0U);
}

TEST(MetricRecipe, TakesTheShortestOfAllInEachDirection) {
  const TriangleSoup torus = generated(Shape::torus, 5000);
  MetricRecipe recipe;
  recipe.error = 2e-3;
  recipe.size = 0.3;
  recipe.stretch = Stretch::along;
  recipe.gradation = 0;
  Attribute sizes{"sizes", 1, Array<float>(torus.positions.size(), 0.5F)};
  std::get<Array<float>>(sizes.values)[7] = 0.01F;
  recipe.metrics = {sizes};
  const MetricResult made = make_metric(test_device(), torus, recipe);
  // The same by the functions that each do one thing.
  CurvatureMetricOptions bend;
  bend.error = recipe.error;
  bend.stretch = Stretch::along;
  bend.largest = 100;
  bend.smallest = 1e-5;
  const MetricField expected = intersected(intersected(curvature_metric(test_device(), torus, bend),
                                                       uniform_metric(test_device(), torus, 0.3)),
                                           metric_of(test_device(), torus, sizes));
  for (std::size_t v = 0; v < expected.metrics.size(); ++v) {
    ASSERT_NEAR(made.field.metrics[v].along, expected.metrics[v].along,
                1e-9 * expected.metrics[v].along);
    ASSERT_NEAR(made.field.metrics[v].across, expected.metrics[v].across,
                1e-9 * expected.metrics[v].across);
  }
  EXPECT_NEAR(made.report.smallest, 0.01, 1e-6);
  EXPECT_GT(made.report.aspect, 1.5);
}

TEST(MetricRecipe, LimitsHold) {
  const TriangleSoup torus = generated(Shape::torus, 5000);
  MetricRecipe recipe;
  recipe.error = 1e-3;
  recipe.smallest = 0.06;
  recipe.largest = 0.1;
  recipe.stretch = Stretch::along;
  const MetricResult made = make_metric(test_device(), torus, recipe);
  EXPECT_NEAR(made.report.smallest, 0.06, 1e-12);
  EXPECT_NEAR(made.report.largest, 0.1, 1e-12);
}

TEST(MetricRecipe, PointsAreMet) {
  for (const Shape shape : {Shape::torus, Shape::cylinder, Shape::noisy_sphere})
    for (const double points : {50.0, 3000.0, 200000.0})
      for (const double gradation : {0.0, 1.1, 1.5}) {
        const TriangleSoup mesh = generated(shape, 3000);
        MetricRecipe recipe;
        recipe.points = points;
        recipe.gradation = gradation;
        EXPECT_NEAR(make_metric(test_device(), mesh, recipe).report.points, points, 0.02 * points);
        recipe.error = 1e-3;
        recipe.stretch = Stretch::along;
        const MetricResult made = make_metric(test_device(), mesh, recipe);
        EXPECT_NEAR(made.report.points, points, 0.02 * points);
        EXPECT_NEAR(points_of(mesh, made.field), made.report.points, 1e-6 * points);
      }
}

TEST(MetricRecipe, WithPointsTheErrorOnlyWeighs) {
  const TriangleSoup torus = generated(Shape::torus, 3000);
  MetricRecipe recipe;
  recipe.points = 2000;
  recipe.stretch = Stretch::along;
  recipe.error = 1e-3;
  const MetricResult a = make_metric(test_device(), torus, recipe);
  recipe.error = 1e-2;
  const MetricResult b = make_metric(test_device(), torus, recipe);
  for (std::size_t v = 0; v < a.field.metrics.size(); ++v)
    ASSERT_NEAR(a.field.metrics[v].along / b.field.metrics[v].along, 1, 0.05);
}

/// A field on the vertices: waves along an axis.
Attribute waves(const TriangleSoup& mesh, int axis) {
  Array<double> values(mesh.positions.size());
  for (std::size_t v = 0; v < values.size(); ++v) values[v] = std::sin(4 * mesh.positions[v][axis]);
  return {"waves", 1, std::move(values)};
}

TEST(MetricRecipe, FieldsHaveTheirSay) {
  const TriangleSoup torus = generated(Shape::torus, 5000);
  MetricRecipe recipe;
  recipe.error = 2e-3;
  recipe.fields = {{waves(torus, 0), 0.02}, {waves(torus, 2)}};
  recipe.stretch = Stretch::along;
  recipe.gradation = 0;
  recipe.smallest = 0.001;
  recipe.largest = 1;
  const MetricResult made = make_metric(test_device(), torus, recipe);
  HessianMetricOptions of_field;
  of_field.error = 0.02;
  of_field.smallest = 1e-5;
  of_field.largest = 500;
  of_field.stretch = Stretch::along;
  MetricField expected = hessian_metric(test_device(), torus, waves(torus, 0), of_field);
  of_field.error = 0;
  expected = intersected(expected, hessian_metric(test_device(), torus, waves(torus, 2), of_field));
  CurvatureMetricOptions bend;
  bend.error = 2e-3;
  bend.smallest = 1e-5;
  bend.largest = 500;
  bend.stretch = Stretch::along;
  expected = intersected(curvature_metric(test_device(), torus, bend), expected);
  limit_sizes(expected, 0.001, 1);
  for (std::size_t v = 0; v < expected.metrics.size(); ++v) {
    const double density = expected.metrics[v].density();
    // Which of two comes first changes what is in both a little.
    ASSERT_NEAR(made.field.metrics[v].density(), density, 0.1 * density);
  }
}

TEST(MetricRecipe, WithPointsErrorsOfFieldsOnlyWeigh) {
  const TriangleSoup torus = generated(Shape::torus, 3000);
  MetricRecipe recipe;
  recipe.points = 2000;
  recipe.fields = {{waves(torus, 0), 0.01}, {waves(torus, 1), 0.03}};
  const MetricResult a = make_metric(test_device(), torus, recipe);
  recipe.fields = {{waves(torus, 0), 1}, {waves(torus, 1), 3}};
  const MetricResult b = make_metric(test_device(), torus, recipe);
  EXPECT_NEAR(a.report.points, 2000, 40);
  for (std::size_t v = 0; v < a.field.metrics.size(); ++v)
    ASSERT_NEAR(a.field.metrics[v].along / b.field.metrics[v].along, 1, 0.05);
}

TEST(MetricRecipe, SaysWhatContradicts) {
  const TriangleSoup mesh = generated(Shape::icosphere, 300);
  MetricRecipe recipe;
  expect_refused(mesh, recipe, "needs a length of edges, a number of points");
  recipe.size = 1;
  recipe.points = 5;
  expect_refused(mesh, recipe, "either a length of edges or a number of points");
  recipe.size = 0;
  recipe.largest = 0.01;
  expect_refused(mesh, recipe, "leave no metric of about so many points");
  recipe.smallest = 1;
  expect_refused(mesh, recipe, "above the largest");
  recipe.largest = 0;
  recipe.points = 1e6;
  expect_refused(mesh, recipe, "leave no metric");
  recipe = {};
  recipe.size = std::nan("");
  expect_refused(mesh, recipe, "no number");
  recipe.size = 1;
  recipe.gradation = 0.5;
  expect_refused(mesh, recipe, "neither 0 nor 1 or more");
  recipe.gradation = 0;
  recipe.metrics = {{"m", 1, Array<double>(mesh.positions.size(), 1.0)}};
  std::get<Array<double>>(recipe.metrics[0].values)[5] = 0;
  std::get<Array<double>>(recipe.metrics[0].values)[3] = -1;
  expect_refused(mesh, recipe, "the metric 'm' of vertex 3 is not positive");
  recipe = {};
  recipe.points = 10;
  expect_refused({}, recipe, "no area");
  recipe.fields = {{waves(mesh, 0), -1}};
  expect_refused(mesh, recipe, "the error of a field is negative");
  recipe.fields = {{{"f", 1, Array<double>(3)}}};
  expect_refused(mesh, recipe, "the field 'f' is that of another mesh");
}

TEST(MetricRecipe, CanBeCancelled) {
  const TriangleSoup mesh = generated(Shape::torus, 2000);
  MetricRecipe recipe;
  recipe.error = 1e-2;
  recipe.points = 500;
  for (const double gradation : {0.0, 1.5}) {
    recipe.gradation = gradation;
    recipe.progress = cancel_after(1);
    EXPECT_THROW(make_metric(test_device(), mesh, recipe), Cancelled);
  }
}

TEST(MetricRecipe, HoldsEveryMesh) {
  for (const NamedMesh& named : surface_meshes()) {
    MetricRecipe recipe;
    recipe.error = 0.01;
    recipe.stretch = Stretch::along;
    recipe.fields = {{waves(named.mesh, 0)}};
    recipe.metrics = {{"m", 1, Array<double>(named.mesh.positions.size(), 0.2)}};
    const MetricResult made = make_metric(test_device(), named.mesh, recipe);
    ASSERT_EQ(made.field.metrics.size(), named.mesh.positions.size()) << named.name;
    for (const SurfaceMetric& m : made.field.metrics)
      ASSERT_TRUE(m.along > 0 && m.across > 0 && std::isfinite(m.along + m.across)) << named.name;
  }
}

TEST(MetricRecipe, TheNumberOfThreadsChangesNothing) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 20000);
  MetricRecipe recipe;
  recipe.error = 1e-3;
  recipe.fields = {{waves(mesh, 1)}};
  recipe.points = 5000;
  recipe.stretch = Stretch::along;
  const MetricResult one = make_metric(exec::Device::cpu(1), mesh, recipe);
  const MetricResult three = make_metric(exec::Device::cpu(3), mesh, recipe);
  for (std::size_t v = 0; v < one.field.metrics.size(); ++v) {
    ASSERT_EQ(one.field.metrics[v].along, three.field.metrics[v].along);
    ASSERT_TRUE(one.field.metrics[v].axis == three.field.metrics[v].axis);
  }
}

}  // namespace
}  // namespace tessera::remesh
