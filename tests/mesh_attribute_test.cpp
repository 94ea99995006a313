// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/mesh_attribute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "tessera/surface/query.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

/// Values of a type that is not a number, to show that any plain one will do.
struct Labelled {
  double value;
  char label;
  bool operator==(const Labelled&) const = default;
};

template <class Element>
void expect_round_trip(const PatchedMesh& mesh) {
  Array<Labelled> values;
  for (Index i = 0; i < mesh.count<Element>(); ++i)
    values.push_back({0.5 * i, static_cast<char>(i % 100)});
  const auto attribute =
      attribute_from_host<Element, Labelled>(mesh, "mark", std::span<const Labelled>(values));
  EXPECT_EQ(attribute.name(), "mark");
  EXPECT_EQ(attribute_to_host(mesh, attribute), values);
}

TEST(MeshAttribute, RoundTripInTheOrderOfTheInput) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    PatchOptions options;
    options.patch_faces = 32;
    const PatchedMesh mesh(test_device(), named.mesh, options);
    expect_round_trip<Vertex>(mesh);
    expect_round_trip<Edge>(mesh);
    expect_round_trip<Face>(mesh);
  }
}

/// Adds up the numbers of a face's corners and of its edges.
struct SumCorners {
  AttributeView<Vertex, const Index> number;
  AttributeView<Face, std::uint64_t> sum;
  TESSERA_KERNEL void operator()(Face f, const Ring<Vertex>& corners) const {
    std::uint64_t total = 0;
    for (const Vertex v : corners) total = 1000 * total + number[v];
    sum[f] = total;
  }
};

struct SmallerEnd {
  AttributeView<Vertex, const Index> number;
  AttributeView<Edge, Index> smaller;
  TESSERA_KERNEL void operator()(Edge e, const Ring<Vertex>& ends) const {
    const Index a = number[ends[0]];
    const Index b = number[ends[1]];
    smaller[e] = a < b ? a : b;
  }
};

TEST(MeshAttribute, KernelsMeetTheValuesOfTheInput) {
  const TriangleSoup soup = generated(Shape::torus, 600);
  PatchOptions options;
  options.patch_faces = 64;
  const PatchedMesh mesh(test_device(), soup, options);
  Array<Index> numbers;
  for (Index v = 0; v < mesh.vertices(); ++v) numbers.push_back(v);
  const auto number =
      attribute_from_host<Vertex, Index>(mesh, "number", std::span<const Index>(numbers));

  FaceAttribute<std::uint64_t> sums(mesh, "sum");
  for_each<Op::fv>(mesh, SumCorners{number.view(), sums.view()});
  const auto found = attribute_to_host(mesh, sums);
  for (Index f = 0; f < mesh.faces(); ++f) {
    const Triangle& t = soup.triangles[f];
    EXPECT_EQ(found[f], (std::uint64_t{t[0]} * 1000 + t[1]) * 1000 + t[2]);
  }

  EdgeAttribute<Index> smaller(mesh, "smaller");
  for_each<Op::ev>(mesh, SmallerEnd{number.view(), smaller.view()});
  const auto ends = attribute_to_host(mesh, smaller);
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));  // edges are numbered by their vertices
}

TEST(MeshAttribute, Reductions) {
  const TriangleSoup soup = generated(Shape::noisy_sphere, 5000);
  const PatchedMesh mesh(test_device(), soup);
  const VertexAttribute<Vec3f> position = positions_of(mesh, soup);
  double squares = 0;
  for (const Vec3d& p : soup.positions) squares += squared_length(cast<double>(cast<float>(p)));
  EXPECT_NEAR(norm(mesh, position), std::sqrt(squares), 1e-9 * std::sqrt(squares));
  EXPECT_NEAR(dot(mesh, position, position), squares, 1e-9 * squares);

  Array<float> height;
  for (const Vec3d& p : soup.positions) height.push_back(static_cast<float>(p[2]));
  const auto attribute =
      attribute_from_host<Vertex, float>(mesh, "height", std::span<const float>(height));
  double total = 0;
  for (const float h : height) total += h;
  EXPECT_NEAR(sum(mesh, attribute), total, 1e-9 * static_cast<double>(height.size()));
  const auto low = minimum(mesh, attribute);
  const auto high = maximum(mesh, attribute);
  EXPECT_EQ(low.value, *std::min_element(height.begin(), height.end()));
  EXPECT_EQ(high.value, *std::max_element(height.begin(), height.end()));
  EXPECT_EQ(height[mesh.input_vertices()[low.element.index]], low.value);
  EXPECT_EQ(height[mesh.input_vertices()[high.element.index]], high.value);
}

TEST(MeshAttribute, TiesGoToTheFirst) {
  const PatchedMesh mesh(test_device(), generated(Shape::torus, 2000));
  FaceAttribute<int> attribute(mesh, "same");
  fill(mesh, attribute, 7);
  EXPECT_EQ(minimum(mesh, attribute).element, Face{0});
  EXPECT_EQ(maximum(mesh, attribute).element, Face{0});
  EXPECT_EQ(sum(mesh, attribute), 7.0 * mesh.faces());
}

TEST(MeshAttribute, WrongSize) {
  const PatchedMesh mesh(test_device(), tetrahedron());
  const Array<int> three{1, 2, 3};
  EXPECT_THROW((attribute_from_host<Face, int>(mesh, "x", std::span<const int>(three))),
               std::invalid_argument);
}

TEST(MeshAttribute, PositionsTooFarForFloat) {
  TriangleSoup soup = tetrahedron();
  const PatchedMesh mesh(test_device(), soup);
  soup.positions[2] = {1e38, 0, 0};
  EXPECT_EQ(attribute_to_host(mesh, positions_of(mesh, soup))[2], (Vec3f{1e38F, 0, 0}));
  soup.positions[3] = {0, -1e39, 0};
  soup.positions[2] = {1e308, 0, 0};
  try {
    positions_of(mesh, soup);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("vertex 2"), std::string::npos) << error.what();
  }
  soup.positions[3] = {0, 0, 1};
  EXPECT_THROW(positions_of(mesh, soup, {-1e308, 0, 0}), InputError);
  soup = tetrahedron();
  for (Vec3d& p : soup.positions) p[0] += 1e39;
  EXPECT_THROW(positions_of(mesh, soup), InputError);
  EXPECT_NO_THROW(positions_of(mesh, soup, {1e39, 0, 0}));
}

TEST(MeshAttribute, BelongsToOneMesh) {
  const TriangleSoup soup = generated(Shape::torus, 600);
  PatchedMesh mesh(test_device(), soup);
  const PatchedMesh twin(test_device(), soup);  // of the same size
  VertexAttribute<float> attribute(mesh, "height");
  fill(mesh, attribute, 2);
  EXPECT_TRUE(attribute.is_of(mesh));
  EXPECT_FALSE(attribute.is_of(twin));
  EXPECT_THROW(attribute_to_host(twin, attribute), std::invalid_argument);
  EXPECT_THROW(fill(twin, attribute, 1), std::invalid_argument);
  EXPECT_THROW(sum(twin, attribute), std::invalid_argument);
  EXPECT_THROW(dot(twin, attribute, attribute), std::invalid_argument);
  EXPECT_THROW(norm(twin, attribute), std::invalid_argument);
  EXPECT_THROW(minimum(twin, attribute), std::invalid_argument);
  EXPECT_THROW(maximum(twin, attribute), std::invalid_argument);
  VertexAttribute<float> other(twin, "height");
  EXPECT_THROW(dot(mesh, attribute, other), std::invalid_argument);

  const PatchedMesh moved(std::move(mesh));
  EXPECT_EQ(sum(moved, attribute), 2.0 * moved.vertices());
  attribute.swap(other);
  EXPECT_TRUE(attribute.is_of(twin));
  EXPECT_TRUE(other.is_of(moved));
}

}  // namespace
}  // namespace tessera::surface
