// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// `tessera volume ...`, and volumes in `view` and `render`.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"
#include "read_png.h"
#include "tessera/io/polyhedra.h"
#include "volume_meshes.h"

namespace tessera::cli::testing {
namespace {

/// A folder with block.vtu, 4 x 4 x 4 cubes of six tetrahedra each.
class CliVolume : public ::testing::Test {
 protected:
  CliVolume() {
    PolyhedralSoup soup = tetrahedron_block(4);
    Array<std::int32_t> refs;
    for (std::size_t c = 0; c < soup.cell_count(); ++c)
      refs.push_back(static_cast<std::int32_t>(c % 3));
    soup.cell_attributes.push_back({"ref", 1, refs});
    io::write_polyhedra(folder / "block.vtu", soup);
  }
  TemporaryFolder folder;
};

TEST_F(CliVolume, Info) {
  const nlohmann::json info = report(folder, {"volume", "info", "block.vtu"});
  EXPECT_EQ(info["cells"], 384);
  EXPECT_EQ(info["tetrahedra"], 384);
  EXPECT_EQ(info["vertices"], 125);
  EXPECT_EQ(info["euler_characteristic"], 1);
  EXPECT_EQ(info["boundary_faces"], 192);
  EXPECT_NEAR(info["volume"].get<double>(), 64, 1e-9);
  EXPECT_EQ(info["non_manifold_edges"], 0);
  EXPECT_GT(info["scaled_jacobian"]["min"].get<double>(), 0);
  EXPECT_EQ(info["format"], "VTU");
  EXPECT_EQ(info["cell_attributes"], nlohmann::json({"ref"}));
  EXPECT_FALSE(info.contains("vertex_attributes"));
}

TEST_F(CliVolume, ThroughEveryFormat) {
  const nlohmann::json first = report(folder, {"volume", "info", "block.vtu"});
  std::string before = "block.vtu";
  for (const std::string name : {"a.mesh", "b.msh", "c.node", "d.vtu"}) {
    succeed(folder, {"volume", "convert", before, name});
    before = name;
  }
  const nlohmann::json last = report(folder, {"volume", "info", "d.vtu"});
  for (const char* key : {"cells", "faces", "edges", "vertices", "boundary_faces"})
    EXPECT_EQ(first[key], last[key]) << key;
  EXPECT_NEAR(first["volume"].get<double>(), last["volume"].get<double>(), 1e-9);
}

TEST_F(CliVolume, BoundaryIsAClosedSurface) {
  succeed(folder, {"volume", "boundary", "block.vtu", "surface.ply"});
  const nlohmann::json info = report(folder, {"info", "surface.ply"});
  EXPECT_EQ(info["faces"], 192);
  EXPECT_EQ(info["closed"], true);
  EXPECT_EQ(info["consistently_oriented"], true);
  EXPECT_NEAR(info["volume"].get<double>(), 64, 1e-9);
}

TEST_F(CliVolume, SubdivideAndSlice) {
  const nlohmann::json fine =
      report(folder, {"volume", "subdivide", "block.vtu", "fine.vtu", "--levels", "2"});
  EXPECT_EQ(fine["cells"], 384 * 4 * 8);
  const nlohmann::json info = report(folder, {"volume", "info", "fine.vtu"});
  EXPECT_EQ(info["hexahedra"], 384 * 4 * 8);
  EXPECT_EQ(info["inverted_cells"], 0);
  const nlohmann::json left =
      report(folder, {"volume", "slice", "fine.vtu", "left.vtu", "--plane", "x"});
  const nlohmann::json right = report(
      folder, {"volume", "slice", "fine.vtu", "right.vtu", "--plane", "1,0,0,2", "--other-side"});
  EXPECT_EQ(left["cells"].get<int>() + right["cells"].get<int>(), 384 * 4 * 8);
  EXPECT_GT(left["cells"], 100);
}

TEST_F(CliVolume, NotesThatNothingIsLeft) {
  const nlohmann::json behind =
      report(folder, {"volume", "slice", "block.vtu", "none.vtu", "--plane", "x:-1"});
  EXPECT_EQ(behind["cells"], 0);
  EXPECT_EQ(behind["notes"], nlohmann::json({"block.vtu: no cell is on that side of the plane"}));
  const nlohmann::json again =
      report(folder, {"volume", "slice", "none.vtu", "more.vtu", "--plane", "x"});
  EXPECT_EQ(again["notes"].back(), "none.vtu: there are no cells to slice");
}

TEST_F(CliVolume, NotesFilesBeside) {
  succeed(folder, {"volume", "convert", "block.vtu", "block.ele"});
  EXPECT_TRUE(report(folder, {"volume", "info", "block.ele"})["notes"].empty());
  std::ofstream(folder / "block.face") << "0 1\n";
  for (const char* name : {"block.ele", "block.node"})
    EXPECT_EQ(report(folder, {"volume", "info", name})["notes"],
              nlohmann::json({std::string(name) +
                              ": block.face, with faces of the boundary and their markers, was not "
                              "read"}));
}

TEST_F(CliVolume, SmoothKeepsTheBoundary) {
  succeed(folder, {"volume", "smooth", "block.vtu", "smooth.vtu", "--iterations", "3"});
  const nlohmann::json info = report(folder, {"volume", "info", "smooth.vtu"});
  EXPECT_NEAR(info["volume"].get<double>(), 64, 1e-9);
}

TEST_F(CliVolume, CanBeSeen) {
  succeed(folder, {"render", "block.vtu", "block.png", "--size", "200x150", "--background",
                   "transparent", "--color", "scaled_jacobian"});
  const Image image = read_png(folder / "block.png");
  const auto drawn = std::count_if(image.pixels.begin(), image.pixels.end(),
                                   [](const Rgba& p) { return p[3] > 0; });
  EXPECT_GT(drawn, 3000);
  succeed(folder, {"render", "block.vtu", "ref.png", "--size", "64x64", "--color", "ref"});
}

TEST_F(CliVolume, BadInput) {
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& words) {
    SCOPED_TRACE(words);
    LaunchOptions options;
    options.folder = folder / "";
    const auto names = names_in(folder);
    const Outcome outcome = run(arguments, options);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_EQ(names_in(folder), names);
  };
  refused({"volume", "info", "missing.vtu"}, "missing.vtu");
  refused({"volume", "slice", "block.vtu", "x.vtu", "--plane", "w:1"}, "'w:1' is not like z");
  refused({"volume", "slice", "block.vtu", "x.vtu", "--plane", "0,0,0,1"}, "no direction");
  refused({"volume", "smooth", "block.vtu", "x.vtu", "--step", "2"}, "0 to 1");
  refused({"volume", "subdivide", "block.vtu", "x.stl"}, "x.stl");
  refused({"volume", "subdivide", "block.vtu", "no/x.vtu"}, "no");
  refused({"volume", "slice", "block.vtu", "x.vtu", "--plane", "x:nan"}, "'nan' is not finite");
  refused({"volume", "slice", "block.vtu", "x.vtu", "--plane", "inf,0,0,1"}, "'inf' is not finite");
  refused({"volume"}, "subcommand");
  refused({"volume", "foo"}, "there is no command 'volume foo'");
  refused({"volume", "foo", "block.vtu"}, "there is no command 'volume foo'");
  refused({"volume", "info", "nosuch.ele"}, "nosuch.ele: cannot be read");
  refused({"volume", "info", "nosuch.node"}, "nosuch.node: cannot be read");
  refused({"info", "block.vtu"},
          "block.vtu: VTU files hold volume meshes and cannot be read as surfaces; see 'tessera "
          "volume info'");
  refused({"render", "block.txt", "x.png"}, ".mesh, .vtu, .msh, .node, .ele, .ovm");
  refused({"render", "block.vtu", "x.png", "--color", "heat"},
          "there are ref, scaled_jacobian, aspect_ratio, cell_volume, quality, component, patch");
}

}  // namespace
}  // namespace tessera::cli::testing
