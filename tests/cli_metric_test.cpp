// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// `tessera metric`, and `tessera remesh` with fields
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"

namespace tessera::cli::testing {
namespace {

using Words = std::vector<std::string>;

/// A torus with the distances from a vertex.
void make_field(const TemporaryFolder& folder) {
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "3000"});
  succeed(folder, {"geodesic", "a.ply", "field.ply"});
}

TEST(CliMetric, MeshesGetAttributesToLookAt) {
  const TemporaryFolder folder;
  make_field(folder);
  const nlohmann::json made = report(
      folder, {"metric", "field.ply", "b.ply", "--error", "1%", "--anisotropic", "--hmax", "0.5"});
  EXPECT_EQ(made["output"], "b.ply");
  EXPECT_EQ(made["largest_size"], 0.5);
  EXPECT_GT(made["largest_aspect"], 1.2);
  EXPECT_EQ(report(folder, {"info", "b.ply"})["vertex_attributes"],
            (Words{"distance", "metric", "size_smallest", "size_largest", "aspect"}));
  succeed(folder, {"render", "b.ply", "b.png", "--color", "size_smallest", "--size", "80x60"});
  // Again from the attribute: the metric is the same.
  const nlohmann::json again =
      report(folder, {"metric", "b.ply", "c.ply", "--metric", "metric", "--gradation", "0"});
  EXPECT_NEAR(again["expected_points"], made["expected_points"], 1);
  EXPECT_EQ(report(folder, {"info", "c.ply"})["vertex_attributes"].size(), 5U);
}

TEST(CliMetric, SolFilesAreForRemeshAndOthers) {
  const TemporaryFolder folder;
  make_field(folder);
  const Words shared{"--field", "distance", "--anisotropic", "--points", "900"};
  Words words{"metric", "field.ply", "b.sol"};
  words.insert(words.end(), shared.begin(), shared.end());
  const nlohmann::json made = report(folder, words);
  EXPECT_EQ(made["components"], 6);
  EXPECT_EQ(made["vertices"], report(folder, {"info", "a.ply"})["vertices"]);
  EXPECT_EQ(report(folder, {"metric", "a.ply", "c.sol", "--size", "0.1"})["components"], 1);
  const nlohmann::json from_file =
      report(folder, {"remesh", "a.ply", "c.ply", "--metric", "b.sol", "--gradation", "0"});
  words = {"remesh", "field.ply", "d.ply"};
  words.insert(words.end(), shared.begin(), shared.end());
  const nlohmann::json at_once = report(folder, words);
  EXPECT_NEAR(from_file["expected_points"], 900, 30);
  EXPECT_NEAR(at_once["expected_points"], 900, 30);
  EXPECT_NEAR(from_file["points"], at_once["points"], 50);
  ASSERT_EQ(at_once["rounds"].size(), 5U);
  EXPECT_EQ(at_once["rounds"][4]["mean_quality"], at_once["mean_quality"]);
  EXPECT_GT(at_once["rounds"][4]["error"], 0);
  std::uint64_t faces = 0;
  for (const std::uint64_t count : at_once["quality_histogram"]) faces += count;
  EXPECT_EQ(faces, at_once["faces"]);
  EXPECT_EQ(report(folder, {"info", "d.ply"})["vertex_attributes"], Words{"distance"});
}

TEST(CliMetric, FieldsComeFromSolFilesToo) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.obj") << "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\n"
                                     "v 0 2 0\nv 1 2 0\nv 2 2 0\nf 1 2 5 4\nf 2 3 6 5\n"
                                     "f 4 5 8 7\nf 5 6 9 8\n";
  const auto write = [&](const char* name, const char* last) {
    std::ofstream(folder / name) << "MeshVersionFormatted 2\nDimension 3\nSolAtVertices\n9\n1 1\n"
                                 << "0\n1\n4\n0\n1\n4\n0\n1\n"
                                 << last << "\nEnd\n";
  };
  write("squares.sol", "4");
  write("wrong.sol", "nan");
  // The square of x bends by 2: edges of sqrt(8 * 0.01 / 2), or 4 times the error.
  const Words command{"metric", "a.obj", "b.ply",   "--hmin",     "0.01",
                      "--hmax", "1",     "--field", "squares.sol"};
  for (const auto& [error, size] : {std::pair{"0.01", 0.2}, std::pair{"1%", 0.4}}) {
    Words words = command;
    words.insert(words.end(), {"--field-error", error});
    EXPECT_NEAR(report(folder, words)["smallest_size"], size, 1e-9);
  }
  LaunchOptions there;
  there.folder = folder / "";
  const Outcome wrong = run({"metric", "a.obj", "c.ply", "--field", "wrong.sol"}, there);
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("the field 'wrong.sol' of vertex 8 is no number"), std::string::npos)
      << wrong.err;
}

TEST(CliMetric, FlagsMayStandBeforeFiles) {
  const TemporaryFolder folder;
  make_field(folder);
  succeed(folder, {"metric", "a.ply", "a.sol", "--size", "0.2"});
  succeed(folder, {"remesh", "--metric", "a.sol", "a.ply", "b.ply"});
  succeed(folder, {"metric", "--field", "distance", "--points", "300", "field.ply", "c.sol"});
}

TEST(CliMetric, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  make_field(folder);
  std::ofstream(folder / "none.obj") << "v 0 0 0\n";
  LaunchOptions there;
  there.folder = folder / "";
  const auto expect_refused = [&](const Words& words, const std::string& part) {
    const auto names = names_in(folder);
    const Outcome outcome = run(words, there);
    EXPECT_EQ(outcome.exit_code, 2) << part;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(names_in(folder), names);
  };
  expect_refused({"metric", "a.ply", "b.sol"}, "say how long edges are to be");
  expect_refused({"metric", "a.ply", "b.sol", "--size", "1", "--anisotropic"},
                 "--anisotropic: needs --error or --field");
  expect_refused({"metric", "a.ply", "b.sol", "--size", "1", "--field-error", "2"},
                 "--field-error: needs --field");
  expect_refused({"remesh", "a.ply", "b.ply", "--field-error", "2"}, "--field-error: needs");
  expect_refused({"metric", "a.ply", "b.sol", "--field", "distance"},
                 "a.ply: no vertex attribute is called 'distance'; there is none");
  expect_refused({"metric", "field.ply", "b.sol", "--field", "distanec"}, "there are: distance");
  expect_refused({"metric", "field.ply", "b.sol", "--field", "distance", "--precision", "float"},
                 "--precision: is for meshes");
  expect_refused({"metric", "a.ply", "no/b.sol", "--size", "1"}, "there is no folder no");
  expect_refused({"metric", "a.ply", "b.xyz", "--size", "1"}, "tells no format");
  expect_refused({"metric", "none.obj", "b.sol", "--size", "1"}, "without faces has no metric");
  succeed(folder, {"metric", "field.ply", "six.sol", "--error", "1%", "--anisotropic"});
  expect_refused({"metric", "field.ply", "b.sol", "--field", "six.sol"},
                 "six.sol: it has 6 numbers a vertex; a field is one of 1 number");
}

}  // namespace
}  // namespace tessera::cli::testing
