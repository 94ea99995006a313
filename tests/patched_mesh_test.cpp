// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/patched_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "surface_meshes.h"
#include "tessera/core/error.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

PatchedMesh patched(const TriangleSoup& mesh, int size, std::uint64_t seed = 0) {
  PatchOptions options;
  options.patch_faces = size;
  options.seed = seed;
  return PatchedMesh(test_device(), mesh, options);
}

/// For each face of the input its patch.
std::vector<Index> patch_of_input_face(const PatchedMesh& mesh) {
  const auto begin = exec::download(mesh.stream(), mesh.view().faces.begin);
  std::vector<Index> patches(mesh.faces());
  for (Index p = 0; p < mesh.patches(); ++p)
    for (Index f = begin[p]; f < begin[p + 1]; ++f) patches[mesh.input_faces()[f]] = p;
  return patches;
}

/// How many pieces the patches are in, if faces hang together by their edges.
std::size_t count_pieces(const TriangleSoup& mesh, const std::vector<Index>& patch) {
  std::vector<Index> parent(mesh.triangles.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Index f) {
    while (parent[f] != f) f = parent[f] = parent[parent[f]];
    return f;
  };
  std::map<std::tuple<Index, Index, Index>, Index> face_at;  // by patch and edge
  for (Index f = 0; f < mesh.triangles.size(); ++f)
    for (int k = 0; k < 3; ++k) {
      const Index a = mesh.triangles[f][k];
      const Index b = mesh.triangles[f][(k + 1) % 3];
      const auto [at, is_new] =
          face_at.emplace(std::tuple{patch[f], std::min(a, b), std::max(a, b)}, f);
      if (!is_new) parent[root(f)] = root(at->second);
    }
  std::set<Index> roots;
  for (Index f = 0; f < parent.size(); ++f) roots.insert(root(f));
  return roots.size();
}

TEST(PatchedMesh, IsValid) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    for (const int size : {16, 40, 512}) {
      const PatchedMesh mesh = patched(named.mesh, size);
      EXPECT_EQ(mesh.validate(named.mesh), std::nullopt);
      EXPECT_LE(mesh.statistics().max_patch_faces, static_cast<std::uint64_t>(size));
      EXPECT_EQ(count_pieces(named.mesh, patch_of_input_face(mesh)), mesh.patches());
    }
  }
}

TEST(PatchedMesh, LargerMeshes) {
  for (const Shape shape : {Shape::noisy_sphere, Shape::plane, Shape::soup}) {
    const TriangleSoup soup = generated(shape, 20000);
    const PatchedMesh mesh = patched(soup, 512);
    EXPECT_EQ(mesh.validate(soup), std::nullopt);
    EXPECT_LE(mesh.statistics().max_patch_faces, 512u);
    EXPECT_EQ(count_pieces(soup, patch_of_input_face(mesh)), mesh.patches());
  }
}

TEST(PatchedMesh, StoresLittle) {
  const PatchedMesh mesh = patched(generated(Shape::icosphere, 100000), 512);
  EXPECT_LE(mesh.statistics().bytes_per_face, 18.75);
  EXPECT_LE(mesh.statistics().ribbon_ratio, 0.25);
  EXPECT_GE(static_cast<double>(mesh.faces()) / static_cast<double>(mesh.patches()), 400.0);
}

TEST(PatchedMesh, SameOnAnyNumberOfThreads) {
  const TriangleSoup soup = generated(Shape::noisy_sphere, 30000);
  const auto patches = [&](const exec::Device& device, std::uint64_t seed) {
    PatchOptions options;
    options.patch_faces = 256;
    options.seed = seed;
    return patch_of_input_face(PatchedMesh(device, soup, options));
  };
  const auto one = patches(exec::Device::cpu(1), 3);
  EXPECT_EQ(patches(exec::Device::cpu(4), 3), one);
  EXPECT_EQ(patches(test_device(), 3), one);
  EXPECT_NE(patches(test_device(), 4), one);
}

TEST(PatchedMesh, ManyFacesAtOneVertex) {
  // Discs of triangles around their centre, which one patch must know all of.
  const auto disc = [](Index n) {
    TriangleSoup soup;
    soup.positions.push_back({0, 0, 0});
    for (Index i = 0; i < n; ++i)
      soup.positions.push_back({std::cos(6.28 / n * i), std::sin(6.28 / n * i), 0});
    for (Index i = 0; i < n; ++i) soup.triangles.push_back({0, 1 + i, 1 + (i + 1) % n});
    return soup;
  };
  for (const Index n : {3000U, 16384U}) {
    const TriangleSoup soup = disc(n);
    EXPECT_EQ(patched(soup, 512).validate(soup), std::nullopt);
  }
  EXPECT_THROW(patched(disc(16385), 512), InputError);
}

TEST(PatchedMesh, OwnPatches) {
  const TriangleSoup soup = generated(Shape::torus, 1000);
  std::vector<Index> stripes;
  for (Index f = 0; f < soup.triangles.size(); ++f) stripes.push_back(f % 7);
  const PatchedMesh mesh(test_device(), soup, stripes);
  EXPECT_EQ(mesh.patches(), 7u);
  EXPECT_EQ(mesh.validate(soup), std::nullopt);
  EXPECT_EQ(patch_of_input_face(mesh), stripes);
  stripes[0] = 9;
  EXPECT_THROW(PatchedMesh(test_device(), soup, stripes), InputError);
  stripes.pop_back();
  EXPECT_THROW(PatchedMesh(test_device(), soup, stripes), InputError);
}

TEST(PatchedMesh, BadInput) {
  EXPECT_THROW(patched({}, 512), InputError);
  EXPECT_THROW(patched(make_mesh({{1, 2, 3}}, {}), 512), InputError);
  EXPECT_THROW(patched(make_mesh({{1, 2, 3}}, {{0, 0, 1}}), 512), InputError);
  EXPECT_THROW(patched(tetrahedron(), 2), InputError);
  EXPECT_THROW(patched(tetrahedron(), 100000), InputError);
  EXPECT_THROW(patched(book(2000), 512), InputError);
}

TEST(PatchedMesh, ValidateFindsFault) {
  const TriangleSoup soup = generated(Shape::torus, 1000);
  const PatchedMesh mesh = patched(soup, 64);
  TriangleSoup other = soup;
  std::swap(other.triangles[17][0], other.triangles[17][1]);
  EXPECT_NE(mesh.validate(other), std::nullopt);
  other = soup;
  other.triangles[5][2] = 0;
  EXPECT_NE(mesh.validate(other), std::nullopt);
  other.triangles.pop_back();
  EXPECT_NE(mesh.validate(other), std::nullopt);
}

TEST(PatchedMesh, Cancelled) {
  const TriangleSoup soup = generated(Shape::torus, 1000);
  const std::vector<Index> one_patch(soup.triangles.size(), 0);
  for (const int yes : {0, 1, 2, 5}) {
    PatchOptions options;
    options.progress = cancel_after(yes);
    EXPECT_THROW(PatchedMesh(test_device(), soup, options), Cancelled);
    EXPECT_THROW(PatchedMesh(test_device(), soup, one_patch, cancel_after(yes)), Cancelled);
  }
  PatchOptions options;
  options.progress = cancel_after(10);
  EXPECT_THROW(PatchedMesh(test_device(), soup, options), Cancelled);
}

}  // namespace
}  // namespace tessera::surface
