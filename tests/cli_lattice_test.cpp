// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// `tessera lattice ...`
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "io_support.h"
#include "program.h"
#include "tessera/io/lattice.h"
#include "tessera/io/polyhedra.h"
#include "volume_meshes.h"

namespace tessera::cli::testing {
namespace {

class CliLattice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!io::testing::reads_three_mf()) GTEST_SKIP() << "this build has no lib3mf";
  }
  TemporaryFolder folder;
};

TEST_F(CliLattice, GenerateAndMesh) {
  const nlohmann::json made =
      report(folder, {"lattice", "generate", "a.3mf", "--cell", "octet", "--size", "3x2x1",
                      "--radius", "0.05:0.03", "--cell-size", "2"});
  // A diagonal of each square of half cells: 6 x 4 on three planes, 6 x 2 on five, 4 x 2 on seven.
  EXPECT_EQ(made["struts"], 188);
  const nlohmann::json mesh = report(folder, {"lattice", "mesh", "a.3mf", "a.stl"});
  EXPECT_EQ(mesh["struts"], made["struts"]);
  EXPECT_EQ(mesh["nodes"], made["nodes"]);
  EXPECT_EQ(mesh["closed_nodes"], 0);
  const nlohmann::json info = report(folder, {"info", "a.stl"});
  EXPECT_EQ(info["faces"], mesh["facets"]);
  EXPECT_EQ(info["boundary_edges"], 0);
  EXPECT_EQ(info["non_manifold_edges"], 0);
  EXPECT_EQ(info["consistently_oriented"], true);
  EXPECT_EQ(info["components"], 1);
}

TEST_F(CliLattice, SeveralResolutionsFromOneMetaMesh) {
  succeed(folder, {"lattice", "generate", "a.3mf", "--size", "1x1x1"});
  succeed(folder, {"lattice", "mesh", "a.3mf", "a.stl", "--chord-error", "0.02,0.2"});
  EXPECT_FALSE(std::filesystem::exists(folder / "a.stl"));
  const nlohmann::json fine = report(folder, {"info", "a-0.02.stl"});
  const nlohmann::json coarse = report(folder, {"info", "a-0.2.stl"});
  EXPECT_GT(fine["faces"].get<int>(), coarse["faces"].get<int>());
  succeed(folder, {"lattice", "mesh", "a.3mf", "-o", "null:"});
}

TEST_F(CliLattice, BlocksAndMetaMeshes) {
  const std::vector<std::string> lattice{"--cell", "kelvin", "--size", "9x3x3", "--radius", "0.06"};
  const auto generate = [&](const std::string& output) {
    std::vector<std::string> arguments{"lattice", "generate", output};
    arguments.insert(arguments.end(), lattice.begin(), lattice.end());
    return report(folder, arguments);
  };
  const nlohmann::json blocks = generate("a.tlat");
  const nlohmann::json direct = generate("direct.stl");
  EXPECT_EQ(blocks["struts"], direct["struts"]);
  const nlohmann::json from_blocks =
      report(folder, {"lattice", "mesh", "a.tlat", "a.stl", "--memory", "0.1"});
  EXPECT_EQ(from_blocks["facets"], direct["facets"]);
  const nlohmann::json meta = report(folder, {"lattice", "meta", "a.tlat", "m.tlat"});
  EXPECT_EQ(meta["arcs"], direct["arcs"]);
  EXPECT_EQ(report(folder, {"lattice", "mesh", "m.tlat", "m.stl"})["facets"], direct["facets"]);
  EXPECT_EQ(read_bytes(folder / "a.stl"), read_bytes(folder / "m.stl"));
  // Formats that share vertices.
  for (const char* name : {"m.ply", "m.3mf", "m.obj"}) {
    EXPECT_EQ(report(folder, {"lattice", "mesh", "m.tlat", name})["faces"], direct["facets"]);
    const nlohmann::json info = report(folder, {"info", name});
    EXPECT_EQ(info["faces"], direct["facets"]) << name;
    EXPECT_EQ(info["boundary_edges"], 0) << name;
    EXPECT_EQ(info["components"], 1) << name;
  }
  generate("null:");
}

TEST_F(CliLattice, EdgesOfAMesh) {
  succeed(folder, {"generate", "icosphere", "s.ply", "--faces", "80"});
  const nlohmann::json wires =
      report(folder, {"lattice", "from-edges", "s.ply", "s.3mf", "--radius", "0.02"});
  EXPECT_EQ(wires["struts"], 120);
  EXPECT_EQ(wires["nodes"], 42);
  succeed(folder, {"lattice", "mesh", "s.3mf", "s.stl"});
  EXPECT_EQ(report(folder, {"info", "s.stl"})["non_manifold_edges"], 0);
}

TEST_F(CliLattice, EdgesOfAVolumeMesh) {
  PolyhedralSoup soup = hexahedron_block(2, 2, 2);
  Array<float> thickness(soup.positions.size());
  for (std::size_t v = 0; v < thickness.size(); ++v)
    thickness[v] = 0.1F + 0.001F * static_cast<float>(v);
  soup.vertex_attributes.push_back({"thickness", 1, thickness});
  for (const char* name : {"block.vtu", "block.mesh", "block.msh"}) {
    SCOPED_TRACE(name);
    io::write_polyhedra(folder / name, soup);
    const nlohmann::json wires =
        report(folder, {"lattice", "from-edges", name, "a.3mf", "--radius", "0.1"});
    EXPECT_EQ(wires["struts"], 54);
    EXPECT_EQ(wires["nodes"], 27);
  }
  succeed(folder, {"lattice", "from-edges", "block.vtu", "b.3mf", "--radius", "thickness"});
  const io::ReadLatticeResult read = io::read_lattice(folder / "b.3mf");
  ASSERT_EQ(read.graph.struts.size(), 54U);
  for (std::size_t s = 0; s < 54; ++s)
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(read.graph.radii[s][i], thickness[read.graph.struts[s][i]], 1e-6);
  // The same file of a surface.
  succeed(folder, {"generate", "icosphere", "s.mesh", "--faces", "80"});
  EXPECT_EQ(
      report(folder, {"lattice", "from-edges", "s.mesh", "s.3mf", "--radius", "0.1"})["struts"],
      120);
  PolyhedralSoup flat;
  flat.positions = soup.positions;
  add_polygon(flat, {0, 1, 4, 3});
  io::write_polyhedra(folder / "flat.msh", flat);
  LaunchOptions launch;
  launch.folder = folder / "";
  const Outcome none = run({"lattice", "from-edges", "flat.msh", "c.3mf", "--radius", "1"}, launch);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("flat.msh: it has no cells"), std::string::npos) << none.err;
}

TEST_F(CliLattice, InsideASurface) {
  succeed(folder, {"generate", "icosphere", "s.stl", "--faces", "2000"});
  const nlohmann::json made = report(folder, {"lattice", "generate", "a.3mf", "--cell-size", "0.25",
                                              "--radius", "0.02", "--inside", "s.stl"});
  // The box is just below 2 wide: eight cells to each side.
  int expected = 0;
  const auto is_out = [](int x, int y, int z) {
    return 0.25 * std::sqrt(x * x + y * y + z * z) > 1.019;
  };
  for (int x = -4; x <= 4; ++x)
    for (int y = -4; y <= 4; ++y)
      for (int z = -4; z <= 4; ++z) {
        if (is_out(x, y, z)) continue;
        expected += (is_out(x + 1, y, z) ? 0 : 1) + (is_out(x, y + 1, z) ? 0 : 1) +
                    (is_out(x, y, z + 1) ? 0 : 1);
      }
  EXPECT_EQ(made["struts"], expected);
  succeed(folder, {"lattice", "mesh", "a.3mf", "a.stl"});
  const nlohmann::json box = report(folder, {"info", "a.stl"})["bounding_box"];
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(box["min"][i].get<double>(), -1.02, 5e-3);
    EXPECT_NEAR(box["max"][i].get<double>(), 1.02, 5e-3);
  }
  // With a size of its own it is a corner of that.
  const nlohmann::json corner =
      report(folder, {"lattice", "generate", "b.3mf", "--cell-size", "0.25", "--radius", "0.02",
                      "--inside", "s.stl", "--size", "4x8x8"});
  EXPECT_LT(corner["struts"].get<int>(), made["struts"].get<int>());
}

TEST_F(CliLattice, BadInput) {
  succeed(folder, {"lattice", "generate", "a.3mf", "--size", "1x1x1"});
  succeed(folder, {"generate", "icosphere", "s.3mf", "--faces", "80"});
  const auto refuse = [&](const std::vector<std::string>& arguments, const std::string& words) {
    LaunchOptions options;
    options.folder = folder / "";
    const Outcome result = run(arguments, options);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  refuse({"lattice", "mesh", "s.3mf", "b.stl"}, "s.3mf: it has no beam lattice");
  refuse({"lattice", "mesh", "no.3mf", "b.stl"}, "no.3mf: cannot be read");
  refuse({"lattice", "mesh", "a.3mf", "b.xyz"}, "b.xyz");
  refuse({"lattice", "meta", "a.3mf", "b.stl"}, "b.stl: meta-meshes are written to lattice files");
  refuse({"lattice", "generate", "b.3mf", "--chord-error", "0.1"},
         "--chord-error: is for meshes; the output is a lattice");
  write_bytes(folder / "bad.tlat", "TESSLATT and then nothing that makes sense");
  refuse({"lattice", "mesh", "bad.tlat", "b.stl"}, "bad.tlat: is a lattice file of version");
  refuse({"lattice", "mesh", "a.3mf", "b.stl", "--chord-error", "0.7"}, "--chord-error");
  refuse({"lattice", "mesh", "a.3mf", "nofolder/b.stl"}, "nofolder");
  refuse({"lattice", "generate", "b.xyz"}, "b.xyz: lattices are written to 3MF files");
  refuse({"lattice", "mesh", "s.xyz", "b.stl"}, "s.xyz: lattices are read from 3MF files");
  refuse({"lattice", "generate", "b.3mf", "--memory", "1"}, "--memory: is for meshes");
  refuse({"lattice", "generate", "b.stl", "--size", "100000x100000x100000"}, "more facets");
  refuse({"lattice", "generate", "b.stl", "--chord-error", "0.1", "0.2"}, "not expected here: 0.2");
  refuse({"lattice", "generate", "b.3mf", "--cell-size", "1e-300"}, "b.3mf: not written");
  refuse({"lattice", "generate", "b.3mf", "--size", "3x3"}, "'3x3' is not like 20x20x5");
  refuse({"lattice", "generate", "b.3mf", "--radius", "0:1"}, "'0:1' is not like");
  refuse({"lattice", "generate", "b.3mf", "--cell", "round"}, "'round' is none of");
  succeed(folder, {"generate", "icosphere", "s.stl", "--faces", "80"});
  write_bytes(folder / "none.obj", "v 0 0 0\n");
  refuse({"lattice", "generate", "b.3mf", "--inside", "no.stl"}, "no.stl: cannot be read");
  refuse({"lattice", "generate", "b.3mf", "--inside", "none.obj"}, "none.obj: it has no faces");
  refuse({"lattice", "generate", "b.3mf", "--inside", "s.stl", "--cell-size", "1e-12"},
         "s.stl: its box is");
  refuse({"lattice", "generate", "b.3mf", "--inside", "s.stl", "--cell-size", "5"},
         "s.stl: no strut lies inside");
  EXPECT_FALSE(std::filesystem::exists(folder / "b.stl"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.3mf"));
}

}  // namespace
}  // namespace tessera::cli::testing
