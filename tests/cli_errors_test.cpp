// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Bad input and bad usage: one line that says what and where, exit code 2, nothing written.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "program.h"
#include "sanitizers.h"
#include "tessera/core/random.h"
#include "tessera/io/format.h"

namespace tessera::cli::testing {
namespace {

constexpr const char* old_content = "# what was here before\n";

constexpr rlim_t two_gib = rlim_t{1} << 31;

/// Sanitizers reserve far more address space than any limit.
constexpr rlim_t memory_limit() {
  return is_sanitized ? RLIM_INFINITY : two_gib;
}

struct BadFile {
  std::string name;
  std::string content;
  std::string place;  ///< part of the message: where, or what
};

void expect_one_line(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("tessera: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with('\n')) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err << "does not say: " << part;
  EXPECT_LT(outcome.seconds, 20);
}

/// Converting the file fails as it should, and the file that was there stays as it was.
void expect_refused(const BadFile& file) {
  SCOPED_TRACE(file.name + ", " + file.place);
  const TemporaryFolder folder;
  write_bytes(folder / file.name, file.content);
  write_bytes(folder / "out.ply", old_content);
  const auto names = names_in(folder);
  LaunchOptions options;
  options.folder = folder / "";
  options.memory = memory_limit();
  const Outcome outcome =
      run({"convert", file.name, "out.ply", "--threads", "2", "--device", "cpu"}, options);
  expect_one_line(outcome, file.name);
  expect_one_line(outcome, file.place);
  EXPECT_EQ(read_bytes(folder / "out.ply"), old_content);
  EXPECT_EQ(names_in(folder), names);
}

template <class T>
std::string raw(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

/// The header of a binary STL and `triangles` triangles, the last coordinate of them being `last`.
std::string binary_stl(std::uint32_t announced, std::uint32_t triangles, float last = 1) {
  std::string text(80, ' ');
  text += raw<std::uint32_t>({announced});
  for (std::uint32_t i = 0; i < triangles; ++i)
    text += raw<float>({0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, i + 1 == triangles ? last : 1}) +
            std::string(2, '\0');
  return text;
}

std::string ply_header(const std::string& format, std::uint64_t vertices, std::uint64_t faces) {
  return "ply\nformat " + format + " 1.0\nelement vertex " + std::to_string(vertices) +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
         std::to_string(faces) + "\nproperty list uchar int vertex_indices\nend_header\n";
}

/// A triangle, the last coordinate of its second vertex being `z`.
std::string binary_ply(float z) {
  return ply_header("binary_little_endian", 3, 1) + raw<float>({0, 0, 0, 1, 0, z, 0, 1, 0}) + "\3" +
         raw<std::int32_t>({0, 1, 2});
}

std::string text_stl(const std::string& number) {
  return "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 " + number +
         "\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
}

std::string medit(const std::string& number) {
  return "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 " + number +
         " 0\n0 1 0 0\nTriangles\n1\n1 2 3 0\nEnd\n";
}

TEST(CliErrors, NumbersThatAreNone) {
  for (const std::string number : {"nan", "inf", "-inf", "NaN", "1e999", "x"}) {
    expect_refused({"a.obj", "v 0 0 0\nv 1 0 " + number + "\nv 0 1 0\nf 1 2 3\n", "a.obj:2"});
    expect_refused({"a.ply",
                    ply_header("ascii", 3, 1) + "0 0 0\n1 0 " + number + "\n0 1 0\n3 0 1 2\n",
                    "a.ply:11"});
    expect_refused({"a.stl", text_stl(number), "a.stl:5"});
    expect_refused({"a.off", "OFF\n3 1 0\n0 0 0\n1 0 " + number + "\n0 1 0\n3 0 1 2\n", "a.off:4"});
    expect_refused({"a.mesh", medit(number), "a.mesh:6"});
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const float number : {nan, inf, -inf}) {
    expect_refused({"b.stl", binary_stl(3, 3, number), "triangle 2"});
    expect_refused({"b.ply", binary_ply(number), "vertex 1"});
  }
}

TEST(CliErrors, Truncated) {
  const std::string stl = binary_stl(10, 10);
  expect_refused({"a.stl", stl.substr(0, 384), "10 triangles"});
  expect_refused({"a.stl", stl.substr(0, 83), "a.stl"});
  const std::string ply = binary_ply(0);
  for (const std::size_t lost : {1, 12, 13, 20, 48})
    expect_refused({"a.ply", ply.substr(0, ply.size() - lost), "a.ply"});
  expect_refused({"a.ply", ply.substr(0, 60), "a.ply"});
  expect_refused({"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n", "a.off"});
  expect_refused({"a.mesh", medit("0").substr(0, 55), "a.mesh"});
}

TEST(CliErrors, CountsLargerThanTheFile) {
  expect_refused({"a.stl", binary_stl(4'294'967'295U, 0) + "0123456789", "4294967295"});
  for (const std::string format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    expect_refused({"a.ply", ply_header(format, 4'294'967'295U, 1) + "0 0 0\n", "a.ply"});
    expect_refused({"a.ply", ply_header(format, 0, 4'294'967'295U) + "0 0 0\n", "a.ply"});
    expect_refused(
        {"a.ply", ply_header(format, std::numeric_limits<std::uint64_t>::max(), 1), "a.ply"});
  }
  expect_refused({"a.off", "OFF\n4294967295 4294967295 0\n0 0 0\n", "a.off"});
  expect_refused({"a.off", "OFF\n0 99999999999999999999 0\n", "a.off:2"});
  expect_refused(
      {"a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4294967295\n0 0 0 0\n", "a.mesh"});
}

TEST(CliErrors, IndicesOutOfRange) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (const std::string index : {"4", "0", "-4", "4294967297", "99999999999999999999", "1.5", "a"})
    expect_refused({"a.obj", vertices + "f 1 2 " + index + "\n", "a.obj:4"});
  expect_refused(
      {"a.ply", ply_header("ascii", 3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "a.ply:13"});
  expect_refused(
      {"a.ply", ply_header("ascii", 3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "a.ply:13"});
  expect_refused({"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "a.off:6"});
  std::string mesh = medit("0");
  mesh.replace(mesh.find("1 2 3 0"), 7, "1 2 4 0");
  expect_refused({"a.mesh", mesh, "a.mesh:10"});
}

TEST(CliErrors, EmptyAndGarbageOfEveryFormat) {
  const Random random(3);
  for (const io::FormatInfo& format : io::formats()) {
    const std::string name = "a" + std::string(format.extension);
    expect_refused({name, "", format.readable ? "empty" : "cannot be read"});
    std::string garbage;
    for (std::uint64_t i = 0; i < 1000; ++i)
      garbage += static_cast<char>(static_cast<unsigned char>(random.below(i, 256)));
    expect_refused({name, garbage, name});
    expect_refused({name, "once upon a time\n", name});
  }
}

TEST(CliErrors, Names) {
  const TemporaryFolder folder;
  LaunchOptions here;
  here.folder = folder / "";
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20"});
  std::filesystem::create_directory(folder / "folder.obj");
  std::filesystem::create_directory(folder / "folder");
  ASSERT_EQ(::mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  const auto names = names_in(folder);
  for (const std::string command :
       {"info", "convert", "repair", "subdivide", "geodesic", "remesh", "delaunay", "simplify"}) {
    SCOPED_TRACE(command);
    const auto with = [&](const std::string& input, const std::string& output) {
      std::vector<std::string> words{command, input};
      if (command != "info") words.push_back(output);
      return run(words, here);
    };
    expect_one_line(with("missing.obj", "b.obj"), "missing.obj");
    expect_one_line(with("folder.obj", "b.obj"), "folder.obj");
    expect_one_line(with("a.xyz", "b.obj"), "a.xyz");
    expect_one_line(with("a", "b.obj"), "tessera: a: ");
    if (command == "info") continue;
    expect_one_line(with("a.obj", "b.xyz"), "b.xyz");
    expect_one_line(with("a.obj", "b"), "tessera: b: ");
    expect_one_line(with("a.obj", "missing/b.obj"), "missing/b.obj");
    expect_one_line(with("a.obj", "folder.obj"), "folder.obj");
    expect_one_line(with("a.obj", "a.obj/b.obj"), "a.obj/b.obj");
    expect_one_line(with("a.obj", "/dev/stdout"), "/dev/stdout: cannot be written: it ");
    expect_one_line(with("a.obj", "/dev/null"), "a pipe or a device");
    expect_one_line(with("a.obj", "pipe.obj"), "a pipe or a device");
    expect_one_line(with("a.obj", std::string(252, 'b') + ".obj"), "too long");
  }
  for (const char* name : {"folder", "folder.obj"})
    expect_one_line(run({"info", name}, here), "it is a folder");
  expect_one_line(run({"generate", "torus", "missing/b.obj"}, here), "missing/b.obj");
  EXPECT_EQ(names_in(folder), names);
}

TEST(CliErrors, Usage) {
  const TemporaryFolder folder;
  LaunchOptions here;
  here.folder = folder / "";
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20"});
  const auto names = names_in(folder);
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "required"},
      {{"paint"}, "paint"},
      {{"paint", "a.obj"}, "paint"},
      {{"info"}, "file"},
      {{"info", "a.obj", "b.obj"}, "b.obj"},
      {{"info", "a.obj", "--paint"}, "--paint"},
      {{"info", "a.obj", "--device", "gpu"}, "--device"},
      {{"info", "a.obj", "--device"}, "--device"},
      {{"info", "a.obj", "--threads", "-1"}, "--threads: must be 0 to 4096, not -1"},
      {{"info", "a.obj", "--threads", "5000"}, "--threads: must be 0 to 4096, not 5000"},
      {{"info", "a.obj", "--threads", "two"}, "--threads: 'two' is no whole number"},
      {{"info", "a.obj", "--brush", "--paint", "red"}, ": --brush --paint red;"},
      {{"info", "a.obj", "b", "c"}, ": b c;"},
      {{"help", "paint"}, "paint"},
      {{"help", "lattice", "paint"}, "there is no command 'lattice paint'"},
      {{"lattice", "mesh", "a", "b", "c"}, "see 'tessera lattice mesh --help'"},
      {{"smooth", "a.obj", ""}, "'' is no name of a file"},
      {{"convert", "a.obj"}, "output"},
      {{"convert", "a.obj", "b.ply", "--encoding", "morse"}, "--encoding"},
      {{"convert", "a.obj", "b.ply", "--precision", "half"}, "--precision"},
      {{"generate", "teapot", "b.obj"}, "teapot"},
      {{"generate", "torus", "b.obj", "--faces", "-5"}, "--faces"},
      {{"generate", "torus", "b.obj", "--faces", "0"}, "--faces: must be at least 1, not 0"},
      {{"generate", "torus", "b.obj", "--faces", "1e6"}, "--faces: '1e6' is no whole number"},
      {{"generate", "torus", "b.obj", "--noise", "0.1"}, "--noise: is for noisy-sphere only"},
      {{"generate", "torus", "b.obj", "--non-manifold-share", "0.1"}, "is for soup only"},
      {{"generate", "torus", "b.obj", "--faces", "9999999999999"}, "9999999999999"},
      {{"generate", "noisy-sphere", "b.obj", "--noise", "2"}, "--noise: must be 0 to 1, not 2"},
      {{"generate", "soup", "b.obj", "--seed", "-1"}, "--seed"},
      {{"subdivide", "a.obj", "b.obj", "--levels", "-1"}, "--levels"},
      {{"subdivide", "a.obj", "b.obj", "--levels", "16"}, "16 times"},
      {{"geodesic", "a.obj", "b.ply", "--source", "12"}, "no source vertex 12"},
      {{"geodesic", "a.obj", "b.ply", "--source", "0,-1"}, "--source"},
      {{"geodesic", "a.obj", "b.ply", "--source", "99999999999"}, "--source"},
      {{"geodesic", "a.obj", "b.ply", "--source", ""}, "--source"},
      {{"geodesic", "a.obj", "b.ply", "--tolerance", "-1"}, "must be 0 or more, not -1"},
      {{"geodesic", "a.obj", "b.ply", "--tolerance", "nan"}, "'nan' is no number"},
      {{"smooth", "a.obj", "b.ply", "--method", "mcf", "--time-step", "0"}, "must be positive"},
      {{"smooth", "a.obj", "b.ply", "--max-iterations", "9"}, "is for --method mcf only"},
      {{"convert", "a.obj", "b.obj", "--encoding", "binary"}, "binary is for PLY, STL"},
      {{"convert", "a.obj", "b.stl", "--encoding", "big-endian"}, "big-endian is for PLY;"},
      {{"convert", "a.obj", "b.3mf", "--encoding", "text"}, "3MF files cannot be text"},
      {{"convert", "a.obj", "b.stl", "--precision", "double"}, "STL files cannot be double"},
      {{"patch", "a.obj", "--encoding", "text"}, "--encoding: is for an output file"},
      {{"patch", "a.obj", "--precision", "float"}, "--precision: is for an output file"},
      {{"repair", "a.obj", "b.obj", "--max-hole-edges", "-1"}, "--max-hole-edges"}};
  for (const auto& [words, part] : wrong) {
    std::string line = "tessera";
    for (const std::string& word : words) line += " " + word;
    SCOPED_TRACE(line);
    expect_one_line(run(words, here), part);
  }
  EXPECT_EQ(names_in(folder), names);
}

TEST(CliErrors, NameTheFileAndThePurpose) {
  const TemporaryFolder folder;
  LaunchOptions here;
  here.folder = folder / "";
  write_bytes(folder / "points.obj", "v 0 0 0\nv 1 0 0\n");
  for (const std::string command : {"normals", "smooth", "curvature", "geodesic", "patch"})
    expect_one_line(run({command, "points.obj", "b.ply"}, here),
                    "tessera: points.obj: a mesh without faces ");
  expect_one_line(run({"smooth", "points.obj", "b.ply"}, here), "no surface to smooth");
  expect_one_line(run({"geodesic", "points.obj", "b.ply"}, here), "no distances");
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20"});
  expect_one_line(run({"geodesic", "a.obj", "b.ply", "--source", "12"}, here), "tessera: a.obj: ");
  expect_one_line(run({"subdivide", "a.obj", "b.ply", "--levels", "16"}, here), "tessera: a.obj: ");
}

TEST(CliErrors, NotesComeEvenIfTheCommandFailsLater) {
  const TemporaryFolder folder;
  LaunchOptions here;
  here.folder = folder / "";
  write_bytes(folder / "a.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
  const std::vector<std::string> words{"normals", "a.obj", "b.ply"};
  for (const bool json : {false, true}) {
    std::vector<std::string> more = words;
    if (json) more.emplace_back("--json");
    const Outcome outcome = run(more, here);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("note: a.obj: ")) << outcome.err;
    EXPECT_NE(outcome.err.find("\ntessera: a.obj: "), std::string::npos) << outcome.err;
  }
  // Once, and only once, where all went well.
  write_bytes(folder / "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n");
  const Outcome outcome = succeed(folder, words);
  EXPECT_EQ(outcome.err.find("note: "), 0U);
  EXPECT_EQ(outcome.err.rfind("note: "), 0U);
  EXPECT_EQ(report(folder, words)["notes"].size(), 1U);
}

TEST(CliErrors, WhatCannotFitInMemoryIsNotStarted) {
  if (memory_limit() == RLIM_INFINITY) GTEST_SKIP() << "no limit under a sanitizer";
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20"});
  LaunchOptions small;
  small.folder = folder / "";
  small.memory = memory_limit();
  const std::vector<std::vector<std::string>> large{
      {"generate", "torus", "b.ply", "--faces", "1000000000", "--device", "cpu"},
      {"subdivide", "a.obj", "b.ply", "--levels", "12", "--device", "cpu"}};
  const auto names = names_in(folder);
  for (const auto& words : large) {
    const Outcome outcome = run(words, small);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find(" faces need about "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" GiB are free\n"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_LT(outcome.seconds, 10);
  }
  EXPECT_EQ(names_in(folder), names);
  EXPECT_EQ(
      run({"generate", "torus", "b.ply", "--faces", "100000", "--device", "cpu"}, small).exit_code,
      0);
}

TEST(CliErrors, NoGpu) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20"});
  LaunchOptions blind;
  blind.folder = folder / "";
  blind.environment = {"CUDA_VISIBLE_DEVICES=-1"};
  const Outcome outcome = run({"info", "a.obj", "--device", "cuda"}, blind);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.find("CUDA") != std::string::npos ||
              outcome.err.find("GPU") != std::string::npos)
      << outcome.err;
  EXPECT_EQ(run({"info", "a.obj", "--device", "auto"}, blind).exit_code, 0);
}

TEST(CliErrors, DiskFull) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "icosphere", "a.obj", "--faces", "20"});
  LaunchOptions full;
  full.folder = folder / "";
  full.out = "/dev/full";
  for (const char* style : {"--json", "--timings"}) {
    const Outcome outcome = run({"info", "a.obj", style}, full);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace tessera::cli::testing
