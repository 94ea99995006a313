// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// `tessera lattice mesh` of files with a clipping mesh.
#include <string>

#include <gtest/gtest.h>

#include "clipped_lattice_file.h"
#include "program.h"
#include "tessera/io/triangles.h"
#include "tessera/lattice/generate.h"

namespace tessera::cli::testing {
namespace {

TEST(CliClipping, DropsStrutsOfClippedLattices) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "s.ply", "--faces", "500"});
  const TriangleSoup sphere = io::read_triangles(folder / "s.ply").mesh;
  lattice::GenerateOptions options;
  options.size = {4, 4, 4};
  options.origin = {-2, -2, -2};
  const LatticeGraph graph = lattice::generate(options);
  ASSERT_EQ(graph.struts.size(), 300U);
  const auto mesh = [&](ClipSide side) {
    io::testing::write_clipped_lattice(folder / "a.3mf", graph, sphere, side,
                                       {io::testing::unmoved});
    return report(folder, {"lattice", "mesh", "a.3mf", "a.stl"});
  };
  // Inside are the origin and, as balls that touch the sphere, six nodes around it.
  const nlohmann::json inside = mesh(ClipSide::inside);
  EXPECT_EQ(inside["struts"], 6);
  EXPECT_EQ(inside["nodes"], 7);
  EXPECT_EQ(inside["struts_dropped"], 294);
  EXPECT_NE(
      inside["notes"].dump().find("none was cut, and those that end beyond it (294) were dropped"),
      std::string::npos);
  EXPECT_EQ(report(folder, {"info", "a.stl"})["non_manifold_edges"], 0);
  const nlohmann::json outside = mesh(ClipSide::outside);
  EXPECT_EQ(outside["struts_dropped"], 6);
  EXPECT_EQ(outside["nodes"], 124);

  TriangleSoup elsewhere = sphere;
  for (Vec3d& p : elsewhere.positions) p[0] += 100;
  io::testing::write_clipped_lattice(folder / "b.3mf", graph, elsewhere, ClipSide::inside,
                                     {io::testing::unmoved});
  LaunchOptions launch;
  launch.folder = folder / "";
  const Outcome none = run({"lattice", "mesh", "b.3mf", "b.stl"}, launch);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("b.3mf: its clipping mesh leaves no strut"), std::string::npos)
      << none.err;
}

}  // namespace
}  // namespace tessera::cli::testing
