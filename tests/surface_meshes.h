// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/random.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/surface/generate.h"
#include "test_device.h"

// Small meshes with every property that surface algorithms must cope with.

struct NamedMesh {
  std::string name;
  tessera::TriangleSoup mesh;
};

inline tessera::TriangleSoup make_mesh(const std::vector<tessera::Vec3d>& positions,
                                       const std::vector<tessera::Triangle>& triangles) {
  tessera::TriangleSoup mesh;
  mesh.positions.assign(positions.begin(), positions.end());
  mesh.triangles.assign(triangles.begin(), triangles.end());
  return mesh;
}

inline tessera::TriangleSoup tetrahedron() {
  return make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                   {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}});
}

inline tessera::TriangleSoup unit_cube() {
  return make_mesh(
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}},
      {{0, 2, 1},
       {1, 2, 3},
       {4, 5, 6},
       {5, 7, 6},
       {0, 1, 4},
       {1, 5, 4},
       {2, 6, 3},
       {3, 6, 7},
       {0, 4, 2},
       {2, 4, 6},
       {1, 3, 5},
       {3, 7, 5}});
}

inline tessera::TriangleSoup generated(tessera::surface::Shape shape, std::uint64_t faces,
                                       std::uint64_t seed = 1) {
  tessera::surface::GenerateOptions options;
  options.faces = faces;
  options.seed = seed;
  return tessera::surface::generate(test_device(), shape, options);
}

/// The faces at each pair of vertices, smaller one first, each once; by looking at all of them.
inline std::map<std::pair<tessera::Index, tessera::Index>, std::set<tessera::Index>> faces_at_edges(
    const tessera::TriangleSoup& mesh) {
  std::map<std::pair<tessera::Index, tessera::Index>, std::set<tessera::Index>> faces;
  for (tessera::Index f = 0; f < mesh.triangles.size(); ++f)
    for (int k = 0; k < 3; ++k) {
      const tessera::Triangle& t = mesh.triangles[f];
      faces[std::minmax({t[k], t[(k + 1) % 3]})].insert(f);
    }
  return faces;
}

/// Random places for meshes of which only the connections matter.
inline void scatter(tessera::TriangleSoup& mesh, std::size_t vertices) {
  const tessera::Random random(7);
  for (std::size_t v = 0; v < vertices; ++v)
    mesh.positions.push_back(
        {random.uniform(3 * v), random.uniform(3 * v + 1), random.uniform(3 * v + 2)});
}

/// A strip of n quads, joined with a twist: one boundary, one side.
inline tessera::TriangleSoup moebius_strip(tessera::Index n = 9) {
  tessera::TriangleSoup mesh;
  scatter(mesh, 2 * n);
  for (tessera::Index i = 0; i < n; ++i) {
    const tessera::Index a = 2 * i;
    const tessera::Index b = 2 * i + 1;
    const bool last = i + 1 == n;
    const tessera::Index c = last ? 1 : 2 * i + 2;
    const tessera::Index d = last ? 0 : 2 * i + 3;
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({c, b, d});
  }
  return mesh;
}

/// A grid whose columns go round, and whose rows do so the other way round: closed, one side.
inline tessera::TriangleSoup klein_bottle(tessera::Index rows = 5, tessera::Index columns = 6) {
  tessera::TriangleSoup mesh;
  scatter(mesh, rows * columns);
  const auto vertex = [=](tessera::Index row, tessera::Index column) {
    column %= columns;
    return row < rows ? row * columns + column : (columns - column) % columns;
  };
  for (tessera::Index r = 0; r < rows; ++r)
    for (tessera::Index c = 0; c < columns; ++c) {
      mesh.triangles.push_back({vertex(r, c), vertex(r, c + 1), vertex(r + 1, c + 1)});
      mesh.triangles.push_back({vertex(r, c), vertex(r + 1, c + 1), vertex(r + 1, c)});
    }
  return mesh;
}

/// Pages that share the edge 0-1.
inline tessera::TriangleSoup book(tessera::Index pages) {
  tessera::TriangleSoup mesh;
  scatter(mesh, pages + 2);
  for (tessera::Index i = 0; i < pages; ++i)
    mesh.triangles.push_back(i % 2 == 0 ? tessera::Triangle{0, 1, i + 2}
                                        : tessera::Triangle{1, 0, i + 2});
  return mesh;
}

inline void append(tessera::TriangleSoup& mesh, const tessera::TriangleSoup& other) {
  const auto first = static_cast<tessera::Index>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  for (const tessera::Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

/// Triangles over few vertices, so that everything bad happens: shared edges of many faces,
/// repeated vertices, duplicates, all orientations.
inline tessera::TriangleSoup dense_soup(std::uint64_t seed, tessera::Index vertices,
                                        std::size_t faces) {
  tessera::TriangleSoup mesh;
  scatter(mesh, vertices);
  const tessera::Random random(seed);
  for (std::uint64_t f = 0; f < faces; ++f)
    mesh.triangles.push_back({random.below(3 * f, vertices), random.below(3 * f + 1, vertices),
                              random.below(3 * f + 2, vertices)});
  return mesh;
}

inline std::vector<NamedMesh> surface_meshes() {
  using tessera::surface::Shape;
  std::vector<NamedMesh> meshes;
  const auto add = [&](std::string name, tessera::TriangleSoup mesh) {
    meshes.push_back({std::move(name), std::move(mesh)});
  };
  add("empty", {});
  add("vertices only", make_mesh({{1, 2, 3}, {4, 5, 6}}, {}));
  add("triangle", make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}));
  add("tetrahedron", tetrahedron());
  add("icosphere", generated(Shape::icosphere, 500));
  add("torus", generated(Shape::torus, 300));
  add("plane", generated(Shape::plane, 128));
  add("cylinder", generated(Shape::cylinder, 400));
  add("moebius strip", moebius_strip());
  add("klein bottle", klein_bottle());
  add("bow tie",
      make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}}, {{0, 1, 2}, {0, 3, 4}}));
  add("book", book(3));
  add("thick book", book(40));
  {
    auto mesh = tetrahedron();
    mesh.triangles.push_back({2, 1, 0});
    mesh.triangles.push_back({1, 3, 0});
    mesh.triangles.push_back({1, 2, 0});
    add("duplicate faces", mesh);
  }
  add("repeated vertex", make_mesh({{0, 0, 0}, {1, 0, 0}}, {{0, 0, 1}}));
  add("triangle and repeated vertex",
      make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {1, 1, 0}}));
  add("pillow", make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {2, 1, 0}}));
  add("degenerate faces",
      make_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}},
                {{0, 1, 2}, {1, 1, 3}, {0, 1, 3}, {2, 2, 2}, {3, 0, 3}, {1, 1, 3}, {2, 2, 2}}));
  {
    auto mesh = tetrahedron();
    append(mesh, generated(Shape::torus, 60));
    append(mesh, book(4));
    append(mesh, moebius_strip());
    mesh.positions.push_back({100, 100, 100});
    append(mesh, tetrahedron());
    std::swap(mesh.triangles.back()[0], mesh.triangles.back()[1]);
    add("several components", mesh);
  }
  for (const std::uint64_t seed : {1, 2, 3}) {
    add("soup " + std::to_string(seed), generated(Shape::soup, 500, seed));
    add("dense soup " + std::to_string(seed), dense_soup(seed, 12, 60));
    add("loose soup " + std::to_string(seed), dense_soup(seed, 60, 100));
    add("packed soup " + std::to_string(seed), dense_soup(seed, 5, 200));
  }
  return meshes;
}
