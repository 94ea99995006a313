// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"
#include "lattice_solids.h"
#include "tessera/core/error.h"
#include "tessera/io/facet_writer.h"
#include "tessera/io/lattice.h"
#include "tessera/io/triangles.h"
#include "tessera/lattice/from_edges.h"
#include "tessera/volume/detail/cell_shapes.h"
#include "volume_meshes.h"

namespace tessera::lattice {
namespace {

using io::testing::TemporaryFolder;

TEST(LatticeFiles, RoundTrip) {
  if (!io::testing::reads_three_mf()) GTEST_SKIP() << "this build has no lib3mf";
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.3mf";
  for (const auto& [name, graph] : lattices()) {
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < graph.struts.size(); ++s) {
      const Vec3d along = graph.nodes[graph.struts[s][1]] - graph.nodes[graph.struts[s][0]];
      if (length(along) > 0 && graph.radii[s][0] > 0 && graph.radii[s][1] > 0) kept.push_back(s);
    }
    std::filesystem::remove(path);
    if (kept.empty()) {
      EXPECT_THROW(io::write_lattice(path, graph), InputError) << name;
      EXPECT_FALSE(std::filesystem::exists(path)) << name;
      continue;
    }
    const io::WriteLatticeResult written = io::write_lattice(path, graph);
    EXPECT_EQ(written.bytes, std::filesystem::file_size(path));
    EXPECT_EQ(written.struts, kept.size());
    EXPECT_EQ(written.notes.size(), kept.size() < graph.struts.size() ? 1U : 0U) << name;
    const io::ReadLatticeResult read = io::read_lattice(path);
    EXPECT_TRUE(read.notes.empty()) << name << ": " << read.notes[0];
    ASSERT_EQ(read.graph.nodes.size(), graph.nodes.size()) << name;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      EXPECT_LT(length(read.graph.nodes[n] - graph.nodes[n]), 1e-5) << name;
    ASSERT_EQ(read.graph.struts.size(), kept.size()) << name;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(read.graph.struts[i], graph.struts[kept[i]]) << name;
      for (int k = 0; k < 2; ++k)
        EXPECT_NEAR(read.graph.radii[i][k], graph.radii[kept[i]][k], 1e-6) << name;
    }
  }
}

TEST(LatticeFiles, BadOnesAreNamed) {
  if (!io::testing::reads_three_mf()) GTEST_SKIP() << "this build has no lib3mf";
  const TemporaryFolder folder;
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message([] { io::read_lattice("a.stl"); }),
            "a.stl: lattices are read as 3MF files (.3mf)");
  EXPECT_EQ(message([] { io::write_lattice("a.stl", {}); }),
            "a.stl: lattices are written as 3MF files (.3mf)");
  EXPECT_EQ(message([] { io::parse_lattice({}, "a.3mf"); }), "a.3mf: the file is empty");
  EXPECT_NE(message([] {
              io::parse_lattice(std::string(100, 'x'), "a.3mf");
            }).find("a.3mf: lib3mf cannot read it"),
            std::string::npos);
  LatticeGraph huge = generate({});
  huge.nodes[0][0] = 1e200;
  const std::string path = (folder / "b.3mf").string();
  EXPECT_EQ(message([&] { io::write_lattice(path, huge); }),
            path + ": coordinates are too large for the single precision of 3MF files");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(LatticeFiles, FacetsAsStl) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.stl";
  const std::vector<Facet> facets{{Vec3f{0, 0, 0}, Vec3f{1, 0, 0}, Vec3f{0, 1, 0}},
                                  {Vec3f{1, 0, 0}, Vec3f{1, 1, 0}, Vec3f{0, 1, 0}}};
  {
    io::FacetWriter writer(path);
    writer.write(1, facets);
    writer.write(0, std::vector<Facet>{facets[0]});
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(writer.finish(), 84U + 3 * 50);
  }
  const io::ReadResult read = io::read_triangles(path);
  EXPECT_EQ(read.mesh.triangles.size(), 3U);
  EXPECT_EQ(read.mesh.positions.size(), 4U);
  { const io::FacetWriter dropped(folder / "b.stl"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "b.stl"));
}

TEST(LatticeFromEdges, EachEdgeOnce) {
  const Array<Vec3d> nodes{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const Array<Triangle> triangles{{0, 1, 2}, {2, 1, 3}, {3, 3, 1}};
  const Array<StrutNodes> edges = edges_of(triangles);
  const std::vector<float> radius{0.5F};
  const LatticeGraph graph = lattice_from_edges(nodes, edges, radius);
  EXPECT_EQ(graph.struts, (Array<StrutNodes>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(graph.radii.size(), 5U);
  EXPECT_EQ(graph.radii[4], (Vec2f{0.5F, 0.5F}));
  const std::vector<float> radii{1, 2, 3, 4};
  EXPECT_EQ(lattice_from_edges(nodes, edges, radii).radii[3], (Vec2f{2, 4}));
  EXPECT_THROW(lattice_from_edges(nodes, edges, std::vector<float>{1, 2}), InputError);
  EXPECT_THROW(lattice_from_edges({}, edges, radius), InputError);
}

TEST(LatticeFromEdges, CellsOfEveryKind) {
  for (const auto& [name, mesh] : volume_meshes()) {
    SCOPED_TRACE(name);
    // The sides of the faces of all cells.
    std::set<std::pair<Index, Index>> expected;
    const auto add_face = [&](const std::vector<Index>& corners) {
      for (std::size_t k = 0; k < corners.size(); ++k) {
        const auto [a, b] = std::minmax(corners[k], corners[(k + 1) % corners.size()]);
        if (a != b) expected.insert({a, b});
      }
    };
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      const Index* entries = mesh.cell_entries.data() + mesh.cell_offsets[c];
      const tessera::CellType type = mesh.cell_types[c];
      for (int f = 0; f < volume::detail::face_count(type); ++f) {
        const volume::detail::LocalFace face = volume::detail::local_face(type, f);
        std::vector<Index> corners;
        for (int k = 0; k < face.size; ++k) corners.push_back(entries[face.corner[k]]);
        add_face(corners);
      }
      if (type != tessera::CellType::polyhedron) continue;
      for (Index i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
        const Index entry = mesh.cell_entries[i];
        const Index polygon = entry < mesh.polygon_count() ? entry : ~entry;
        add_face({mesh.polygon_corners.begin() + mesh.polygon_offsets[polygon],
                  mesh.polygon_corners.begin() + mesh.polygon_offsets[polygon + 1]});
      }
    }
    const LatticeGraph graph =
        lattice_from_edges(mesh.positions, edges_of(mesh), std::vector<float>{0.1F});
    EXPECT_EQ(graph.nodes, mesh.positions);
    std::set<std::pair<Index, Index>> found;
    for (const StrutNodes& s : graph.struts) found.insert({s[0], s[1]});
    EXPECT_EQ(found.size(), graph.struts.size());
    EXPECT_EQ(found, expected);
  }
  PolyhedralSoup wrong = tetrahedron_soup();
  wrong.cell_entries[2] = 4;
  EXPECT_THROW(edges_of(wrong), InputError);
}

}  // namespace
}  // namespace tessera::lattice
