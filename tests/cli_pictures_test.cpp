// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// `tessera render`, and what `render`, `view` and `compare` share.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"
#include "read_png.h"

namespace tessera::cli::testing {
namespace {

using Words = std::vector<std::string>;

/// Pixels in the colour of boundary edges.
auto orange(const Image& image) {
  return std::count_if(image.pixels.begin(), image.pixels.end(), [](const Rgba& p) {
    return p[0] > 190 && p[1] > 60 && p[1] < 130 && p[2] < 60;
  });
}

/// Pixels that are not background.
auto drawn(const Image& image) {
  return std::count_if(image.pixels.begin(), image.pixels.end(),
                       [](const Rgba& p) { return p[3] > 0; });
}

/// The program refuses that with one line that has these words in it, and writes nothing.
void expect_refused(const TemporaryFolder& folder, const Words& arguments,
                    const std::string& words) {
  SCOPED_TRACE(words);
  const auto names = names_in(folder);
  LaunchOptions options;
  options.folder = folder / "";
  const Outcome outcome = run(arguments, options);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in(folder), names);
}

TEST(CliPictures, RenderDrawsTheMesh) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  const nlohmann::json done = report(folder, {"render", "a.ply", "a.png", "--size", "200x150",
                                              "--color", "quality", "--background", "transparent"});
  EXPECT_EQ(done["output"], "a.png");
  EXPECT_EQ(done["size"], (std::vector<int>{200, 150}));
  const Image image = read_png(folder / "a.png");
  EXPECT_EQ(image.width, 200);
  EXPECT_EQ(image.height, 150);
  EXPECT_GT(drawn(image), 5000);
}

TEST(CliPictures, RenderInAnySize) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  for (const std::string size : {"200x2", "84x4", "100x1200", "1x1", "90x90"}) {
    SCOPED_TRACE(size);
    succeed(folder, {"render", "a.ply", "a.PNG", "--size", size, "--color", "quality",
                     "--background", "transparent"});
    EXPECT_GT(drawn(read_png(folder / "a.PNG")), 0);
  }
}

TEST(CliPictures, RenderShowsBoundariesUnlessToldOtherwise) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "plane", "a.ply", "--faces", "50"});
  const auto lines = [&](const Words& flags) {
    Words arguments{"render", "a.ply", "a.png", "--size", "100x100", "--from", "top", "--up", "z"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    succeed(folder, arguments);
    return orange(read_png(folder / "a.png"));
  };
  EXPECT_GT(lines({}), 100);
  EXPECT_GT(lines({"--boundary"}), 100);
  EXPECT_EQ(lines({"--no-boundary"}), 0);
  expect_refused(folder, {"render", "a.ply", "b.png", "--boundary", "--no-boundary"},
                 "--no-boundary");
}

TEST(CliPictures, RangesAreChecked) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  for (const std::string range :
       {"x", "1", "1:", "2:1", "1:1", "-inf:inf", "0:inf", "nan:1", "0:1x", "0:1e99"})
    for (const std::string command : {"render", "view"})
      // Before anything is read: there is no such file.
      expect_refused(folder,
                     {command, "none.ply", "-o", command == "view" ? "b.html" : "b.png", "--color",
                      "quality", "--range", range},
                     "--range");
  expect_refused(folder, {"render", "a.ply", "b.png", "--range", "0:1"}, "--color");
  expect_refused(folder, {"view", "a.ply", "--range", "0:1"}, "--color");
  succeed(folder, {"render", "a.ply", "b.png", "--size", "50x50", "--color", "quality", "--range",
                   "-0.5:2"});
}

TEST(CliPictures, CompareBlamesTheRightFile) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  write_bytes(folder / "points.obj", "v 0 0 0\nv 1 0 0\n");
  expect_refused(folder, {"compare", "points.obj", "a.ply"}, "tessera: points.obj: ");
  expect_refused(folder, {"compare", "a.ply", "points.obj"}, "tessera: points.obj: ");
  for (const std::string samples : {"-1", "4294967297", "1.5", "x"})
    expect_refused(folder, {"compare", "a.ply", "a.ply", "--samples", samples}, samples);
}

TEST(CliPictures, PagesMayEndInCapitals) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  LaunchOptions options;
  options.folder = folder / "";
  const Outcome view = run({"view", "a.ply", "-o", "a.HTML"}, options);
  if (view.err.find("no viewer page") != std::string::npos) GTEST_SKIP() << "no viewer page";
  EXPECT_EQ(view.exit_code, 0) << view.err;
  succeed(folder, {"compare", "a.ply", "a.ply", "--samples", "100", "-o", "b.HTML"});
  EXPECT_GT(std::filesystem::file_size(folder / "b.HTML"), 100000U);
}

TEST(CliPictures, ServingLeavesTheReportAlone) {
  const TemporaryFolder folder;
  succeed(folder, {"generate", "torus", "a.ply", "--faces", "500"});
  LaunchOptions options;
  options.folder = folder / "";
  options.screen = Screen::terminal;
  Child child({"view", "a.ply", "--serve", "--json", "--quiet"}, options);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (child.running() && child.shown().find("serving on") == std::string::npos &&
         std::chrono::steady_clock::now() < end)
    Child::pause();
  if (child.shown().find("no viewer page") != std::string::npos) GTEST_SKIP() << "no viewer page";
  child.send(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_NE(outcome.err.find("serving on http://127.0.0.1:"), std::string::npos) << outcome.err;
  EXPECT_FALSE(nlohmann::json::parse(outcome.out, nullptr, false).is_discarded()) << outcome.out;
}

}  // namespace
}  // namespace tessera::cli::testing
