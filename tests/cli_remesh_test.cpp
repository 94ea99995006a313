// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// `tessera remesh` and `tessera delaunay`
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "program.h"

namespace tessera::cli::testing {
namespace {

TEST(CliRemesh, KeepsTheShapeOfACylinder) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "cylinder", "a.ply", "--faces", "600"});
  const nlohmann::json before = report(folder, {"info", "a.ply"});
  const nlohmann::json made = report(folder, {"remesh", "a.ply", "b.ply", "--length", "0.12"});
  EXPECT_GT(made["splits"], 0);
  EXPECT_EQ(made["edge_length"], 0.12);
  const nlohmann::json after = report(folder, {"info", "b.ply"});
  EXPECT_EQ(after["faces"], made["faces"]);
  EXPECT_EQ(after["euler_characteristic"], before["euler_characteristic"]);
  EXPECT_EQ(after["boundary_edges"], 0);
  EXPECT_GT(after["mean_quality"], before["mean_quality"]);
  const double volume = before["volume"];
  EXPECT_NEAR(after["volume"], volume, 0.01 * volume);
}

TEST(CliRemesh, GivenRidgesStay) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "plane", "a.obj", "--faces", "200"});
  std::ofstream(folder / "ridges.txt") << "1 2\n";
  for (const char* how : {"--length", "--size"}) {
    const nlohmann::json made =
        report(folder, {"remesh", "a.obj", "b.mesh", how, "0.3", "--ridges", "ridges.txt"});
    EXPECT_EQ(made["given_ridges"], 1);
    std::ifstream written(folder / "b.mesh");
    const std::string text{std::istreambuf_iterator<char>(written), {}};
    EXPECT_NE(text.find("Ridges\n"), std::string::npos) << how;
  }
  LaunchOptions there;
  there.folder = folder / "";
  std::ofstream(folder / "ridges.txt") << "1 2\n1 999\n";
  const Outcome outcome =
      run({"remesh", "a.obj", "c.obj", "--size", "0.3", "--ridges", "ridges.txt"}, there);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("ridges.txt:2: ridge 2 refers to vertex 999"), std::string::npos)
      << outcome.err;
  std::ofstream(folder / "ridges.txt") << "1 60\n";
  const Outcome none =
      run({"remesh", "a.obj", "c.obj", "--size", "0.3", "--ridges", "ridges.txt"}, there);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("ridges.txt: vertices 1 and 60 have no edge"), std::string::npos)
      << none.err;
}

TEST(CliRemesh, Delaunay) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "noisy-sphere", "a.ply", "--faces", "2000", "--noise", "0.1"});
  const nlohmann::json made = report(folder, {"delaunay", "a.ply", "b.ply"});
  EXPECT_GT(made["flips"], 0);
  EXPECT_EQ(report(folder, {"delaunay", "b.ply", "c.ply"})["flips"], 0);
}

TEST(CliRemesh, Simplify) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "2000"});
  EXPECT_EQ(report(folder, {"simplify", "a.ply", "b.ply", "--faces", "400"})["faces"], 400);
  EXPECT_EQ(report(folder, {"simplify", "a.ply", "b.ply", "--ratio", "0.5"})["faces"], 1000);
  EXPECT_EQ(report(folder, {"info", "b.ply"})["euler_characteristic"], 0);
  const nlohmann::json fitted =
      report(folder, {"simplify", "a.ply", "b.ply", "--ratio", "0.2", "--fit", "3"});
  EXPECT_EQ(fitted["faces"], 400);
  EXPECT_LT(fitted["distance_after_fit"], 0.85 * fitted["distance_before_fit"].get<double>());
}

TEST(CliRemesh, SaysWhatItCannotDo) {
  const TemporaryFolder folder;
  std::ofstream(folder / "none.obj") << "v 0 0 0\n";
  std::ofstream(folder / "mixed.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\nf 1 1 2\n";
  LaunchOptions there;
  there.folder = folder / "";
  for (const char* command : {"remesh", "simplify", "delaunay", "track"}) {
    const Outcome none = run({command, "none.obj", "a.ply"}, there);
    EXPECT_EQ(none.exit_code, 2) << command;
    EXPECT_NE(none.err.find("none.obj: it has no faces"), std::string::npos) << none.err;
  }
  EXPECT_EQ(report(folder, {"delaunay", "mixed.obj", "a.ply"})["notes"].size(), 2U);
  succeed(folder, {"generate", "icosphere", "b.ply", "--faces", "80"});
  EXPECT_EQ(report(folder, {"simplify", "b.ply", "c.ply", "--faces", "2"})["notes"].size(), 1U);
  EXPECT_EQ(run({"simplify", "b.ply", "c.ply", "--faces", "-5"}, there).exit_code, 2);
  // The border of a square leaves more.
  succeed(folder, {"generate", "plane", "d.ply", "--faces", "2000"});
  EXPECT_EQ(report(folder, {"remesh", "d.ply", "c.ply", "--points", "3"})["notes"].size(), 1U);
  succeed(folder, {"generate", "soup", "e.ply", "--faces", "300"});
  EXPECT_NE(report(folder, {"remesh", "e.ply", "c.ply"})["notes"].dump().find("stay as they are"),
            std::string::npos);
  std::ofstream(folder / "big.obj") << "v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nf 1 2 3\n";
  EXPECT_EQ(run({"remesh", "big.obj", "c.ply"}, there).exit_code, 2);
  EXPECT_EQ(run({"remesh", "b.ply", "c.ply", "--length", "0"}, there).exit_code, 2);
  EXPECT_EQ(run({"remesh", "b.ply", "c.ply", "--length", "1e-7"}, there).exit_code, 1);
}

TEST(CliRemesh, TrackWritesFrames) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "plane", "a.ply", "--faces", "500"});
  const nlohmann::json made =
      report(folder, {"track", "a.ply", "b.ply", "--frames", "5", "--every", "2"});
  EXPECT_EQ(made["files"], 3);
  EXPECT_EQ(made["output"], "b-0005.ply");
  for (const char* name : {"b-0002.ply", "b-0004.ply", "b-0005.ply"})
    EXPECT_EQ(report(folder, {"info", name})["euler_characteristic"], 1) << name;
  EXPECT_FALSE(std::filesystem::exists(folder / "b-0001.ply"));
}

TEST(CliRemesh, AttributesFollowButForNormals) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  succeed(folder, {"curvature", "a.ply", "b.ply"});
  succeed(folder, {"normals", "b.ply", "c.ply"});
  const nlohmann::json kept = {"mean_curvature", "gaussian_curvature"};
  for (const char* command : {"remesh", "simplify", "delaunay"}) {
    EXPECT_EQ(report(folder, {command, "c.ply", "d.ply"})["notes"].size(), 1U) << command;
    EXPECT_EQ(report(folder, {"info", "d.ply"})["vertex_attributes"], kept) << command;
  }
  EXPECT_EQ(report(folder, {"track", "c.ply", "d.ply", "--frames", "1"})["notes"].size(), 1U);
  EXPECT_EQ(report(folder, {"info", "d-0001.ply"})["vertex_attributes"], kept);
}

}  // namespace
}  // namespace tessera::cli::testing
