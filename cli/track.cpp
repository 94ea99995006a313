// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/track.h"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "tessera/core/progress.h"

namespace tessera::cli {
namespace {

/// wave.ply as wave-0007.ply.
std::string name_of_frame(const std::string& output, int frame) {
  const std::filesystem::path path(output);
  const std::string name =
      fmt::format("{}-{:04}{}", path.stem().string(), frame, path.extension().string());
  return (path.parent_path() / name).string();
}

}  // namespace

void add_track(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::TrackOptions track;
    int frames = 100;
    int every = 1;
    io::WriteOptions write;
  };
  CLI::App* command = program.add_subcommand(
      "track", "Let a random flow carry a surface along, and write a file for each frame");
  const auto options = std::make_shared<Options>();
  surface::TrackOptions& track = options->track;
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command->add_option("--frames", options->frames, "steps to make")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  command->add_option("--every", options->every, "write one frame of so many, and the last")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  command->add_option("--time-step", track.time_step, "from frame to frame")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  command
      ->add_option("--scale", track.scale,
                   "of the flow's eddies; without it half of the input's diagonal")
      ->check(positive_number());
  command
      ->add_option("--speed", track.speed,
                   "of the flow in a unit of time; without it a hundredth of the scale")
      ->check(positive_number());
  command->footer(
      "wave.ply is written as wave-0001.ply and so on. Edges are split, collapsed and flipped on\n"
      "the way so that triangles stay well shaped; the topology is kept. --seed gives other "
      "flows.\n"
      "Example: tessera generate plane grid.ply --faces 20000 && tessera track grid.ply wave.ply");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read_faces(options->input);
    run.drop_normals(file.mesh, "the surface moves");
    options->track.seed = flags.seed;
    const int frames = options->frames;
    surface::SurfaceTracker tracker = run.stage(
        "build", [&] { return surface::SurfaceTracker(run.device(), file.mesh, options->track); });
    const ProgressCallback callback = run.progress();
    Progress progress(callback, "tracking", static_cast<std::uint64_t>(frames));
    surface::ImproveReport sum;
    std::uint64_t files = 0;
    for (int frame = 1; frame <= frames; ++frame) {
      try {
        sum += run.stage("track", [&] { return tracker.advance(); });
        progress.advance(1);
      } catch (const Cancelled&) {
        if (files == 0) throw;
        throw Interrupted(fmt::format("interrupted; {} of the frames were written", files));
      }
      if (frame % options->every != 0 && frame != frames) continue;
      ++files;
      const TriangleSoup mesh = tracker.mesh().to_soup();
      const std::string name = name_of_frame(options->output, frame);
      if (frame == frames)
        run.write(name, mesh, options->write);
      else
        run.write_file(name, mesh, options->write);
    }
    run.report_count("files", "files", files);
    run.report_count("splits", "edges split", sum.splits);
    run.report_count("collapses", "edges collapsed", sum.collapses);
    run.report_count("flips", "edges flipped", sum.flips);
    run.finish();
  });
}

}  // namespace tessera::cli
