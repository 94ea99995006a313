// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/shape_histograms.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/analysis.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// Values one after the other.
struct Values {
  std::vector<double> quality;
  std::vector<double> angle;
  std::vector<double> edge_length;
};

/// Quality from Heron's area, angles from cosines, edges from a set.
Values twin(const TriangleSoup& mesh) {
  Values values;
  std::set<std::pair<Index, Index>> edges;
  for (const Triangle& t : mesh.triangles) {
    double side[3];
    for (int k = 0; k < 3; ++k) {
      const auto ends = std::minmax({t[k], t[(k + 1) % 3]});
      side[k] = length(mesh.positions[ends.first] - mesh.positions[ends.second]);
      if (ends.first != ends.second && edges.insert(ends).second)
        values.edge_length.push_back(side[k]);
    }
    const double half = (side[0] + side[1] + side[2]) / 2;
    const double square = half * (half - side[0]) * (half - side[1]) * (half - side[2]);
    const double product = side[0] * side[1] * side[2];
    values.quality.push_back(product > 0 ? std::max(0.0, 8 * square / (half * product)) : 0);
    for (int k = 0; k < 3; ++k) {
      const double a = side[k];
      const double b = side[(k + 1) % 3];
      const double c = side[(k + 2) % 3];
      const double cosine = (a * a + b * b - c * c) / (2 * a * b);
      values.angle.push_back(
          a * b > 0 ? std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi : 0);
    }
  }
  return values;
}

/// Whether the counts are those of the values, each of which may be off by a rounding error: then
/// what is below a border lies between what surely is and what may be.
void expect_counts(const Histogram& histogram, const std::vector<double>& values) {
  const auto bins = static_cast<double>(histogram.counts.size());
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b + 1 < histogram.counts.size(); ++b) {
    sum += histogram.counts[b];
    const double border = histogram.max * static_cast<double>(b + 1) / bins;
    const double error = 1e-5 * histogram.max;
    const auto below = [&](double limit) {
      return static_cast<std::uint64_t>(
          std::count_if(values.begin(), values.end(), [=](double v) { return v < limit; }));
    };
    EXPECT_GE(sum, below(border - error)) << b;
    EXPECT_LE(sum, below(border + error)) << b;
  }
  EXPECT_EQ(sum + histogram.counts.back(), values.size());
}

TEST(ShapeHistograms, AgreeWithTwin) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const Values expected = twin(named.mesh);
    for (const int bins : {1, 7, 50}) {
      const ShapeHistograms found = shape_histograms(test_device(), named.mesh, bins);
      ASSERT_EQ(found.quality.counts.size(), static_cast<std::size_t>(bins));
      EXPECT_EQ(found.quality.max, 1);
      EXPECT_EQ(found.angle.max, 180);
      const auto& lengths = expected.edge_length;
      const double longest =
          lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
      EXPECT_NEAR(found.edge_length.max, longest, 1e-12 * longest);
      expect_counts(found.quality, expected.quality);
      expect_counts(found.angle, expected.angle);
      expect_counts(found.edge_length, expected.edge_length);
    }
  }
}

TEST(ShapeHistograms, ManyTeams) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 100000);
  const Values expected = twin(mesh);
  const ShapeHistograms found = shape_histograms(test_device(), mesh);
  expect_counts(found.quality, expected.quality);
  expect_counts(found.angle, expected.angle);
  expect_counts(found.edge_length, expected.edge_length);
}

TEST(ShapeHistograms, EquilateralAndFlat) {
  const double height = std::sqrt(3.0) / 2;
  const TriangleSoup mesh =
      make_mesh({{0, 0, 0}, {1, 0, 0}, {0.5, height, 0}, {2, 0, 0}}, {{0, 1, 2}, {0, 1, 3}});
  const ShapeHistograms found = shape_histograms(test_device(), mesh, 5);
  EXPECT_EQ(found.quality.counts, (std::vector<std::uint64_t>{1, 0, 0, 0, 1}));
  EXPECT_EQ(found.angle.counts, (std::vector<std::uint64_t>{2, 3, 0, 0, 1}));
  EXPECT_EQ(found.edge_length.counts, (std::vector<std::uint64_t>{0, 0, 4, 0, 1}));
}

TEST(ShapeHistograms, HugeCoordinatesAreCounted) {
  const TriangleSoup mesh = make_mesh({{0, 0, 0}, {1e200, 0, 0}, {0, 1e200, 1e200}}, {{0, 1, 2}});
  const ShapeHistograms found = shape_histograms(test_device(), mesh, 3);
  for (const Histogram* histogram : {&found.quality, &found.angle, &found.edge_length})
    EXPECT_EQ(std::accumulate(histogram->counts.begin(), histogram->counts.end(), 0U),
              histogram == &found.quality ? 1U : 3U);
}

TEST(ShapeHistograms, SameOnAnyNumberOfThreads) {
  const TriangleSoup mesh = generated(Shape::noisy_sphere, 50000);
  const ShapeHistograms one = shape_histograms(exec::Device::cpu(1), mesh);
  const ShapeHistograms four = shape_histograms(exec::Device::cpu(4), mesh);
  EXPECT_EQ(one.quality.counts, four.quality.counts);
  EXPECT_EQ(one.angle.counts, four.angle.counts);
  EXPECT_EQ(one.edge_length.counts, four.edge_length.counts);
  EXPECT_EQ(one.edge_length.max, four.edge_length.max);
}

TEST(ShapeHistograms, RefuseNonsense) {
  TriangleSoup mesh = tetrahedron();
  EXPECT_THROW(shape_histograms(test_device(), mesh, 0), InputError);
  EXPECT_THROW(shape_histograms(test_device(), mesh, 4097), InputError);
  mesh.triangles[0][0] = 4;
  EXPECT_THROW(shape_histograms(test_device(), mesh), InputError);
  EXPECT_THROW(face_qualities(test_device(), mesh), InputError);
}

TEST(FaceQualities, AreThoseOfTheAnalysis) {
  for (const NamedMesh& named : surface_meshes()) {
    SCOPED_TRACE(named.name);
    const Array<float> found = face_qualities(test_device(), named.mesh);
    const std::vector<double> expected = twin(named.mesh).quality;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t f = 0; f < found.size(); ++f) EXPECT_NEAR(found[f], expected[f], 1e-6) << f;
    if (found.empty()) continue;
    const MeshInfo info = analyze(test_device(), named.mesh);
    EXPECT_NEAR(*std::min_element(found.begin(), found.end()), info.min_quality, 1e-6);
  }
}

}  // namespace
}  // namespace tessera::surface
