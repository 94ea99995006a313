// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"
#include "tessera/io/format.h"

namespace tessera::cli::testing {
namespace {

using Words = std::vector<std::string>;

constexpr double pi = std::numbers::pi;

/// The corners of a tetrahedron with everything that can be wrong: a face less, one twice, one
/// turned over, one without area, a vertex without faces.
constexpr const char* bad_tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 9 9 9\n"
    "f 1 3 2\nf 1 2 4\nf 2 4 3\nf 3 1 2\nf 1 1 2\n";

TEST(Cli, InfoHasEveryKey) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "500"});
  const nlohmann::json info = report(folder, {"info", "a.obj"});
  for (const char* key : {"vertices",
                          "edges",
                          "faces",
                          "components",
                          "euler_characteristic",
                          "genus",
                          "boundary_edges",
                          "boundary_loops",
                          "non_manifold_edges",
                          "non_manifold_vertices",
                          "unreferenced_vertices",
                          "duplicate_faces",
                          "degenerate_faces",
                          "closed",
                          "manifold",
                          "orientable",
                          "area",
                          "volume",
                          "bounding_box",
                          "extent",
                          "min_edge_length",
                          "mean_edge_length",
                          "max_edge_length",
                          "min_quality",
                          "mean_quality",
                          "min_angle",
                          "file",
                          "format",
                          "notes"})
    EXPECT_TRUE(info.contains(key)) << key;
}

TEST(Cli, InfoOfAnIcosphere) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.ply", "--faces", "20480"});
  const nlohmann::json info = report(folder, {"info", "a.ply"});
  EXPECT_EQ(info["format"], "PLY");
  EXPECT_EQ(info["faces"], 20480);
  EXPECT_EQ(info["vertices"], 10242);
  EXPECT_EQ(info["edges"], 30720);
  EXPECT_EQ(info["components"], 1);
  EXPECT_EQ(info["euler_characteristic"], 2);
  EXPECT_EQ(info["genus"], 0);
  EXPECT_EQ(info["closed"], true);
  EXPECT_EQ(info["manifold"], true);
  EXPECT_EQ(info["orientable"], true);
  EXPECT_NEAR(info["area"], 4 * pi, 0.02);
  EXPECT_NEAR(info["volume"], 4 * pi / 3, 0.01);
  EXPECT_NEAR(info["bounding_box"]["max"][2], 1, 1e-6);
  EXPECT_NEAR(info["bounding_box"]["min"][2], -1, 1e-6);
  EXPECT_GT(info["min_quality"], 0.9);
  EXPECT_GT(info["min_angle"], 50);
  EXPECT_LT(info["min_edge_length"], info["mean_edge_length"]);
  EXPECT_LT(info["mean_edge_length"], info["max_edge_length"]);
}

TEST(Cli, InfoOfATorusAndAPlane) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "torus.off", "--faces", "50000"});
  const nlohmann::json torus = report(folder, {"info", "torus.off"});
  EXPECT_EQ(torus["euler_characteristic"], 0);
  EXPECT_EQ(torus["genus"], 1);
  EXPECT_EQ(torus["closed"], true);
  EXPECT_NEAR(torus["area"], 4 * pi * pi * 0.4, 0.02);
  EXPECT_NEAR(torus["volume"], 2 * pi * pi * 0.16, 0.01);

  succeed(folder, {"generate", "plane", "plane.stl", "--faces", "128"});
  const nlohmann::json plane = report(folder, {"info", "plane.stl"});
  EXPECT_EQ(plane["vertices"], 81);
  EXPECT_EQ(plane["edges"], 208);
  EXPECT_EQ(plane["faces"], 128);
  EXPECT_EQ(plane["boundary_edges"], 32);
  EXPECT_EQ(plane["boundary_loops"], 1);
  EXPECT_EQ(plane["closed"], false);
  EXPECT_TRUE(plane["volume"].is_null());
  EXPECT_NEAR(plane["area"], 1, 1e-6);
  EXPECT_NEAR(plane["min_angle"], 45, 1e-4);
}

TEST(Cli, InfoFindsWhatIsWrong) {
  const TemporaryFolder folder;
  write_bytes(folder / "bad.obj", bad_tetrahedron);
  const nlohmann::json info = report(folder, {"info", "bad.obj"});
  EXPECT_EQ(info["unreferenced_vertices"], 1);
  EXPECT_EQ(info["duplicate_faces"], 1);
  EXPECT_EQ(info["degenerate_faces"], 1);
  EXPECT_EQ(info["manifold"], false);
  EXPECT_TRUE(info["genus"].is_null());
}

TEST(Cli, InfoAsText) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20480"});
  const Outcome outcome = succeed(folder, {"info", "a.obj"});
  EXPECT_EQ(outcome.err, "");
  for (const char* line : {"\nvertices               10,242\n", "\nEuler characteristic   2\n",
                           "\nclosed                 yes\n", "\nnon-manifold edges     0\n",
                           "\nmin angle (degrees)    "})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << outcome.out;
  EXPECT_EQ(succeed(folder, {"info", "a.obj", "--quiet"}).out, "");
}

TEST(Cli, InfoTellsTheEndsOfTheBoxApart) {
  const TemporaryFolder folder;
  // A scan of a few metres in coordinates of a country.
  write_bytes(folder / "a.obj",
              "v 5400000.25 0 1e-9\nv 5400001.75 0 3e-9\nv 5400000.5 2 1e-9\nf 1 2 3\n");
  const Outcome text = succeed(folder, {"info", "a.obj"});
  for (const char* part : {"\nbounding box           (5400000.25, 0, 1e-09) to "
                           "(5400001.75, 2, 3e-09)\n",
                           "\nextent                 (1.5, 2, 2e-09)\n"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  const nlohmann::json info = report(folder, {"info", "a.obj"});
  EXPECT_EQ(info["extent"][0], 1.5);
  EXPECT_EQ(info["extent"][1], 2);
  EXPECT_NEAR(info["extent"][2], 2e-9, 1e-15);
}

TEST(Cli, InfoOfAMeshWithoutFaces) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.obj", "v 0 0 0\nv 1 0 0\n");
  const nlohmann::json info = report(folder, {"info", "a.obj"});
  for (const char* key : {"manifold", "orientable", "consistently_oriented", "bounding_box",
                          "extent", "genus", "volume"})
    EXPECT_TRUE(info.at(key).is_null()) << key;
  EXPECT_EQ(info["closed"], false);
  EXPECT_EQ(info["unreferenced_vertices"], 2);
  const Outcome text = succeed(folder, {"info", "a.obj"});
  EXPECT_NE(text.out.find("\nmanifold               no faces\n"), std::string::npos) << text.out;
}

TEST(Cli, RepairReportsEachCount) {
  const TemporaryFolder folder;
  write_bytes(folder / "bad.obj", bad_tetrahedron);
  const nlohmann::json done =
      report(folder, {"repair", "bad.obj", "good.obj", "--degenerate", "--duplicate",
                      "--split-non-manifold", "--orient", "--fill-holes", "--unreferenced"});
  EXPECT_EQ(done["degenerate_removed"], 1);
  EXPECT_EQ(done["duplicates_removed"], 1);
  EXPECT_EQ(done["vertices_added"], 0);
  EXPECT_EQ(done["faces_flipped"], 1);
  EXPECT_EQ(done["non_orientable_components"], 0);
  EXPECT_EQ(done["holes_filled"], 1);
  EXPECT_EQ(done["holes_skipped"], 0);
  EXPECT_EQ(done["faces_added"], 1);
  EXPECT_EQ(done["unreferenced_removed"], 1);
  EXPECT_EQ(done["vertices"], 4);
  EXPECT_EQ(done["faces"], 4);
  const nlohmann::json info = report(folder, {"info", "good.obj"});
  EXPECT_EQ(info["closed"], true);
  EXPECT_NEAR(info["volume"], 1.0 / 6, 1e-12);

  // What was not asked for is neither done nor reported.
  const nlohmann::json copied = report(folder, {"repair", "bad.obj", "same.obj"});
  EXPECT_FALSE(copied.contains("degenerate_removed"));
  EXPECT_EQ(copied["vertices"], 5);
  EXPECT_EQ(copied["faces"], 5);
  const Outcome text = succeed(folder, {"repair", "bad.obj", "text.obj", "--degenerate"});
  EXPECT_NE(text.out.find("degenerate faces removed  1\n"), std::string::npos) << text.out;
}

TEST(Cli, RepairLeavesLargeHoles) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "plane", "a.obj", "--faces", "128"});
  const nlohmann::json done =
      report(folder, {"repair", "a.obj", "b.obj", "--fill-holes", "--max-hole-edges", "31"});
  EXPECT_EQ(done["holes_filled"], 0);
  EXPECT_EQ(done["holes_skipped"], 1);
  EXPECT_EQ(done["faces"], 128);
}

TEST(Cli, SubdivideMakesFourOfOne) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "300"});
  const nlohmann::json before = report(folder, {"info", "a.ply"});
  const nlohmann::json after =
      report(folder, {"subdivide", "a.ply", "b.ply", "--method", "loop", "--levels", "2"});
  EXPECT_EQ(after["faces"], 16 * before["faces"].get<int>());
  EXPECT_EQ(report(folder, {"info", "b.ply"})["genus"], 1);
}

TEST(Cli, CompareSurfaces) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  succeed(folder, {"subdivide", "a.ply", "b.ply", "--method", "loop"});
  const nlohmann::json same = report(folder, {"compare", "a.ply", "a.ply", "--samples", "1000"});
  EXPECT_LT(same["max_distance"]["both"], 1e-15);
  EXPECT_EQ(same["samples"]["a"], 1000);
  const nlohmann::json done =
      report(folder, {"compare", "a.ply", "b.ply", "--samples", "1000", "-o", "c.ply"});
  EXPECT_GT(done["mean_distance"]["a_to_b"], 0);
  EXPECT_GE(done["rms_distance"]["both"], done["mean_distance"]["both"]);
  EXPECT_GE(done["max_distance"]["both"], done["max_distance"]["b_to_a"]);
  EXPECT_EQ(done["farthest_a"]["distance"], done["max_distance"]["a_to_b"]);
  EXPECT_LT(done["volume"]["change"], 0);
  EXPECT_EQ(done["output"], "c.ply");
  EXPECT_EQ(report(folder, {"info", "c.ply"})["vertex_attributes"], (Words{"distance"}));
  const Outcome text = succeed(folder, {"compare", "a.ply", "b.ply", "--samples", "0"});
  EXPECT_NE(text.out.find("B to A"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("normal deviation"), std::string::npos) << text.out;

  succeed(folder, {"generate", "plane", "flat.ply", "--faces", "50"});
  EXPECT_TRUE(
      report(folder, {"compare", "a.ply", "flat.ply", "--samples", "10"})["volume"].is_null());
}

TEST(Cli, CompareRefuses) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  write_bytes(folder / "points.obj", "v 0 0 0\nv 1 0 0\n");
  for (const Words& arguments :
       {Words{"compare", "a.ply"}, Words{"compare", "a.ply", "none.ply"},
        Words{"compare", "a.ply", "points.obj"}, Words{"compare", "a.ply", "a.ply", "-o", "c.xyz"},
        Words{"compare", "a.ply", "a.ply", "--samples", "-1"},
        Words{"compare", "a.ply", "a.ply", "--samples", "4294967297"}}) {
    LaunchOptions options;
    options.folder = folder / "";
    const Outcome outcome = run(arguments, options);
    EXPECT_EQ(outcome.exit_code, 2) << arguments.back();
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err, "");
  }
}

TEST(Cli, CurvatureOfATorus) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "5000"});
  const nlohmann::json done = report(folder, {"curvature", "a.ply", "-o", "b.ply"});
  EXPECT_NEAR(done["total_gaussian_curvature"], 0, 1e-3);
  EXPECT_EQ(done["two_pi_euler_characteristic"], 0);
  EXPECT_EQ(done["boundary_vertices"], 0);
  // Inner and outer equator of the radii 1 and 0.4.
  EXPECT_NEAR(done["gaussian_curvature_min"], -1 / (0.4 * 0.6), 0.1);
  EXPECT_NEAR(done["gaussian_curvature_max"], 1 / (0.4 * 1.4), 0.1);
  EXPECT_NEAR(done["mean_curvature_min"], 0.5 / 0.4 - 0.5 / 0.6, 0.05);
  EXPECT_NEAR(done["mean_curvature_max"], 0.5 / 0.4 + 0.5 / 1.4, 0.05);
  EXPECT_LT(done["mean_curvature_min"], done["mean_curvature_mean"]);
  EXPECT_LT(done["gaussian_curvature_mean"], done["gaussian_curvature_max"]);
  const nlohmann::json info = report(folder, {"info", "b.ply"});
  EXPECT_EQ(info["vertex_attributes"], (Words{"mean_curvature", "gaussian_curvature"}));
  // A second time they are replaced.
  succeed(folder, {"curvature", "b.ply", "c.ply"});
  EXPECT_EQ(read_bytes(folder / "b.ply"), read_bytes(folder / "c.ply"));
}

TEST(Cli, GeodesicWritesDistances) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.ply", "--faces", "20480"});
  const nlohmann::json done =
      report(folder, {"geodesic", "a.ply", "-o", "b.ply", "--source", "7", "--timings"});
  EXPECT_EQ(done["vertices"], 10242);
  EXPECT_EQ(done["reached"], 10242);
  EXPECT_GT(done["levels"], 60);
  EXPECT_GE(done["iterations"], done["levels"].get<int>() - 1);
  EXPECT_NEAR(done["max_distance"], pi, 0.05);
  EXPECT_LT(done["farthest_vertex"], 10242);
  EXPECT_GT(done["timings"]["geodesic"], 0);
  EXPECT_EQ(report(folder, {"info", "b.ply"})["vertex_attributes"], Words{"distance"});

  // Again, from the other end and from both: the attribute is replaced.
  const std::string far = std::to_string(done["farthest_vertex"].get<int>());
  const nlohmann::json both =
      report(folder, {"geodesic", "--source", "7," + far, "b.ply", "c.ply"});
  EXPECT_NEAR(both["max_distance"], pi / 2, 0.05);
  EXPECT_EQ(report(folder, {"info", "c.ply"})["vertex_attributes"], Words{"distance"});

  // What cannot be reached is infinite, in a text file too.
  write_bytes(folder / "two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\n");
  EXPECT_EQ(report(folder, {"geodesic", "two.obj", "two.ply", "--encoding", "text"})["reached"], 3);
  EXPECT_NE(read_bytes(folder / "two.ply").find("9 9 9 inf"), std::string::npos);
}

TEST(Cli, PatchSaysHowItWent) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.ply", "--faces", "100000"});
  const nlohmann::json done = report(folder, {"patch", "a.ply", "b.ply"});
  EXPECT_LE(done["max_patch_faces"], 512);
  EXPECT_LE(done["bytes_per_face"], 18.75);
  EXPECT_GT(done["patches"], 190);
  EXPECT_GT(done["ribbon_ratio"], 0.1);
  EXPECT_GE(done["seconds_total"], done["seconds_patching"]);
  EXPECT_EQ(report(folder, {"info", "b.ply"})["face_attributes"], Words{"patch"});
  EXPECT_EQ(report(folder, {"patch", "a.ply", "--patch-faces", "64"})["output"], nullptr);
}

TEST(Cli, SmoothTakesNoiseAway) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "noisy-sphere", "a.ply", "--faces", "20000"});
  const double area = report(folder, {"info", "a.ply"})["area"];
  for (const char* method : {"taubin", "laplacian", "mcf", "bilateral"}) {
    succeed(folder, {"smooth", "a.ply", "b.ply", "--method", method});
    EXPECT_LT(report(folder, {"info", "b.ply"})["area"], 0.995 * area) << method;
  }
  EXPECT_GT(report(folder, {"smooth", "a.ply", "b.ply", "--method", "mcf"})["solver_iterations"],
            3);
}

TEST(Cli, SmoothSaysWhatToChangeWhereTheSolverGivesUp) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "noisy-sphere", "a.ply", "--faces", "2000"});
  const nlohmann::json done =
      report(folder, {"smooth", "a.ply", "b.ply", "--method", "mcf", "--max-iterations", "2"});
  EXPECT_EQ(done["solver_iterations"], 2);
  ASSERT_EQ(done["notes"].size(), 1U);
  for (const char* part : {"after 2 iterations", "--max-iterations", "--tolerance", "--time-step"})
    EXPECT_NE(done["notes"][0].get<std::string>().find(part), std::string::npos) << done;
}

TEST(Cli, DropsNormalsThatNoLongerFit) {
  const TemporaryFolder folder;
  // The second face is turned over.
  write_bytes(folder / "a.off",
              "NOFF\n4 2 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n"
              "3 0 1 2\n3 0 3 2\n");
  const std::vector<Words> stale{{"repair", "a.off", "b.ply", "--orient"},
                                 {"subdivide", "a.off", "b.ply"},
                                 {"subdivide", "a.off", "b.ply", "--method", "loop"},
                                 {"smooth", "a.off", "b.ply"}};
  for (const Words& words : stale) {
    SCOPED_TRACE(words[0]);
    const nlohmann::json done = report(folder, words);
    ASSERT_EQ(done["notes"].size(), 1U) << done;
    EXPECT_NE(done["notes"][0].get<std::string>().find("normals"), std::string::npos);
    EXPECT_FALSE(report(folder, {"info", "b.ply"}).contains("vertex_attributes"));
  }
  // Where nothing was turned or made, they stay.
  const std::vector<Words> fine{{"repair", "a.off", "b.ply", "--duplicate"},
                                {"repair", "b.ply", "c.ply", "--degenerate"},
                                {"subdivide", "a.off", "b.ply", "--levels", "0"},
                                {"convert", "a.off", "b.ply"}};
  for (const Words& words : fine) {
    EXPECT_EQ(report(folder, words)["notes"].size(), 0U);
    EXPECT_EQ(report(folder, {"info", words[2]})["vertex_attributes"], Words{"normal"});
  }
}

TEST(Cli, NormalsBecomeAnAttribute) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "2000"});
  for (const char* weight : {"area", "angle", "max"})
    succeed(folder, {"normals", "a.ply", "b.ply", "--weight", weight});
  EXPECT_EQ(report(folder, {"info", "b.ply"})["vertex_attributes"], Words{"normal"});
}

TEST(Cli, ConvertsEveryFormatToEveryOther) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.obj", "--faces", "300", "--precision", "float"});
  const nlohmann::json original = report(folder, {"info", "a.obj"});
  for (const io::FormatInfo& from : io::formats()) {
    if (!from.writable) continue;
    const std::string input = "in" + std::string(from.extension);
    succeed(folder, {"convert", "a.obj", input});
    EXPECT_FALSE(read_bytes(folder / input).empty());
    if (!from.readable) continue;
    LaunchOptions here;
    here.folder = folder / "";
    const Outcome first = run({"info", input}, here);
    // A build without lib3mf says so.
    if (first.err.find("TESSERA_3MF") != std::string::npos) continue;
    for (const io::FormatInfo& to : io::formats()) {
      if (!to.writable) continue;
      const std::string output = "out" + std::string(to.extension);
      SCOPED_TRACE(input + " to " + output);
      const nlohmann::json done = report(folder, {"convert", input, output});
      EXPECT_EQ(done["faces"], original["faces"]);
      EXPECT_EQ(done["vertices"], to.format == io::Format::stl ? nullptr : original["vertices"]);
      EXPECT_EQ(done["bytes"], std::filesystem::file_size(folder / output));
      if (!to.readable) continue;
      const nlohmann::json info = report(folder, {"info", output});
      for (const char* key : {"vertices", "edges", "faces", "genus", "closed"})
        EXPECT_EQ(info[key], original[key]) << key;
      EXPECT_NEAR(info["volume"], original["volume"], 1e-5);
    }
  }
}

TEST(Cli, ConvertSaysWhatIsLost) {
  const TemporaryFolder folder;
  write_bytes(folder / "bad.obj", bad_tetrahedron);
  const std::map<std::string, std::pair<int, int>> kept{{"b.ply", {5, 5}},
                                                        {"b.off", {5, 5}},
                                                        {"b.mesh", {5, 5}},
                                                        {"b.stl", {4, 5}},
                                                        {"b.3mf", {5, 4}}};
  for (const auto& [name, counts] : kept) {
    SCOPED_TRACE(name);
    succeed(folder, {"convert", "bad.obj", name});
    LaunchOptions here;
    here.folder = folder / "";
    const Outcome outcome = run({"info", name, "--json"}, here);
    if (outcome.err.find("TESSERA_3MF") != std::string::npos) continue;
    const auto info = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(info["vertices"], counts.first);
    EXPECT_EQ(info["faces"], counts.second);
  }
  const Outcome outcome = succeed(folder, {"convert", "bad.obj", "b.3mf"});
  EXPECT_NE(outcome.err.find("note: b.3mf: "), std::string::npos) << outcome.err;
  const nlohmann::json three_mf = report(folder, {"convert", "bad.obj", "b.3mf"});
  EXPECT_EQ(three_mf["notes"].size(), 1U);
  EXPECT_EQ(three_mf["vertices"], 5);
  EXPECT_EQ(three_mf["faces"], 4);
  for (const char* encoding : {"binary", "text"}) {
    const nlohmann::json stl =
        report(folder, {"convert", "bad.obj", "b.stl", "--encoding", encoding});
    EXPECT_TRUE(stl["vertices"].is_null());
    EXPECT_EQ(stl["faces"], 5);
    ASSERT_EQ(stl["notes"].size(), 1U);
    EXPECT_NE(stl["notes"][0].get<std::string>().find("1 were left out"), std::string::npos);
  }
  write_bytes(folder / "points.obj", "v 0 0 0\nv 1 0 0\n");
  EXPECT_EQ(report(folder, {"convert", "points.obj", "b.3mf"})["vertices"], 0);
}

TEST(Cli, NamesTheFileOfFields) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "300"});
  const nlohmann::json done = report(folder, {"curvature", "a.ply", "b.mesh"});
  EXPECT_EQ(done["output"], "b.mesh");
  EXPECT_EQ(done["fields_file"], "b.sol");
  EXPECT_EQ(done["bytes"], std::filesystem::file_size(folder / "b.mesh") +
                               std::filesystem::file_size(folder / "b.sol"));
  const Outcome text = succeed(folder, {"curvature", "a.ply", "b.mesh"});
  EXPECT_NE(text.out.find("  b.mesh, b.sol\n"), std::string::npos) << text.out;
  const nlohmann::json plain = report(folder, {"convert", "a.ply", "c.mesh"});
  EXPECT_FALSE(plain.contains("fields_file"));
  EXPECT_FALSE(std::filesystem::exists(folder / "c.sol"));
}

TEST(Cli, EncodingAndPrecision) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "300"});
  const auto begins = [&](const char* name, const std::string& text) {
    return read_bytes(folder / name).starts_with(text);
  };
  EXPECT_TRUE(begins("a.ply", "ply\nformat binary_little_endian 1.0\n"));
  succeed(folder, {"convert", "a.ply", "b.ply", "--encoding", "big-endian"});
  EXPECT_TRUE(begins("b.ply", "ply\nformat binary_big_endian 1.0\n"));
  succeed(folder, {"convert", "a.ply", "t.ply", "--encoding", "text", "--precision", "double"});
  EXPECT_TRUE(begins("t.ply", "ply\nformat ascii 1.0\n"));
  succeed(folder, {"convert", "a.ply", "t.stl", "--encoding", "text"});
  EXPECT_TRUE(begins("t.stl", "solid"));
  for (const char* name : {"b.ply", "t.ply", "t.stl"})
    EXPECT_EQ(report(folder, {"info", name})["vertices"],
              report(folder, {"info", "a.ply"})["vertices"]);

  succeed(folder, {"convert", "a.ply", "f.ply", "--precision", "float"});
  succeed(folder, {"convert", "a.ply", "d.ply", "--precision", "double"});
  EXPECT_NE(read_bytes(folder / "f.ply").find("property float x"), std::string::npos);
  EXPECT_NE(read_bytes(folder / "d.ply").find("property double x"), std::string::npos);
}

TEST(Cli, OutputAsAFlag) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.obj", "--faces", "300"});
  succeed(folder, {"generate", "torus", "-o", "b.obj", "--faces", "300"});
  EXPECT_EQ(read_bytes(folder / "a.obj"), read_bytes(folder / "b.obj"));
  for (const char* flag : {"-o", "--output"}) {
    succeed(folder, {"convert", "a.obj", flag, "c.obj"});
    EXPECT_EQ(read_bytes(folder / "a.obj"), read_bytes(folder / "c.obj"));
    std::filesystem::remove(folder / "c.obj");
  }
}

TEST(Cli, TimingsShowTheStages) {
  const TemporaryFolder folder;
  const nlohmann::json made =
      report(folder, {"generate", "torus", "a.obj", "--faces", "3000", "--timings"});
  EXPECT_GE(made["timings"]["generate"], 0);
  EXPECT_GT(made["timings"]["write"], 0);
  const Outcome text = succeed(folder, {"info", "a.obj", "--timings"});
  for (const char* stage : {"\nread ", "\nanalyze ", " s\n"})
    EXPECT_NE(text.out.find(stage), std::string::npos) << text.out;
  EXPECT_EQ(succeed(folder, {"info", "a.obj"}).out.find("\nread "), std::string::npos);
}

TEST(Cli, SameBytesOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::vector<Words> commands{
      {"generate", "noisy-sphere", "", "--faces", "50000"},
      {"generate", "soup", "", "--faces", "50000"},
      {"convert", "soup.ply", ""},
      {"subdivide", "soup.ply", "", "--method", "loop"},
      {"curvature", "soup.ply", ""},
      {"geodesic", "soup.ply", "", "--source", "5,77"},
      {"normals", "soup.ply", ""},
      {"smooth", "soup.ply", "", "--method", "taubin"},
      {"smooth", "soup.ply", "", "--method", "mcf"},
      {"patch", "soup.ply", ""},
      {"repair", "soup.ply", "", "--degenerate", "--duplicate", "--split-non-manifold", "--orient",
       "--fill-holes", "--unreferenced"}};
  succeed(folder, {"generate", "soup", "soup.ply", "--faces", "20000"});
  for (const io::FormatInfo& format : io::formats()) {
    if (!format.writable) continue;
    const std::string ending(format.extension);
    for (Words words : commands) {
      SCOPED_TRACE(words[0] + " " + ending);
      words.insert(words.end(), {"--threads", "1"});
      words[2] = "one" + ending;
      succeed(folder, words);
      words.back() = "2";
      words[2] = "two" + ending;
      succeed(folder, words);
      const bool same = read_bytes(folder / ("one" + ending)) == read_bytes(folder / words[2]);
      EXPECT_TRUE(same);
    }
  }
  Words info{"info", "soup.ply", "--json", "--threads", "1"};
  const std::string one = succeed(folder, info).out;
  info.back() = "2";
  EXPECT_EQ(succeed(folder, info).out, one);
}

TEST(Cli, SeedDecidesASoup) {
  const TemporaryFolder folder;
  const auto soup = [&](const char* seed) {
    succeed(folder, {"generate", "soup", "a.ply", "--faces", "1000", "--seed", seed});
    return read_bytes(folder / "a.ply");
  };
  const std::string one = soup("1");
  EXPECT_EQ(one, soup("1"));
  EXPECT_NE(one, soup("2"));
}

TEST(Cli, HelpOfEveryCommand) {
  const Words shared{"--device", "--threads", "--seed", "--json", "--quiet", "--timings", "--help"};
  const Words writing{"--output", "--encoding", "--precision"};
  const std::map<std::string, Words> flags{
      {"info", {}},
      {"convert", writing},
      {"repair",
       {"--output", "--degenerate", "--duplicate", "--split-non-manifold", "--orient",
        "--fill-holes", "--max-hole-edges", "--unreferenced"}},
      {"generate", {"--output", "--faces", "--noise", "--non-manifold-share"}},
      {"subdivide", {"--output", "--method", "--levels"}},
      {"curvature", writing},
      {"patch", {"--output", "--patch-faces"}},
      {"normals", {"--output", "--weight"}},
      {"smooth",
       {"--output", "--method", "--iterations", "--time-step", "--max-iterations", "--boundary"}},
      {"geodesic", {"--output", "--source", "--tolerance"}}};
  const Outcome general = run({"--help"});
  EXPECT_EQ(general.exit_code, 0);
  EXPECT_NE(general.out.find("Exit codes"), std::string::npos);
  for (const auto& [command, own] : flags) {
    SCOPED_TRACE(command);
    EXPECT_NE(general.out.find("\n  " + command + " "), std::string::npos);
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Usage: tessera " + command), std::string::npos) << help.out;
    for (const Words& list : {shared, own})
      for (const std::string& flag : list)
        EXPECT_NE(help.out.find(flag), std::string::npos) << flag;
  }
  EXPECT_EQ(run({"help"}).out, general.out);
  EXPECT_EQ(run({"help", "info"}).out, run({"info", "--help"}).out);
  EXPECT_EQ(run({"help", "info"}).exit_code, 0);
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("tessera ")) << version.out;
}

}  // namespace
}  // namespace tessera::cli::testing
