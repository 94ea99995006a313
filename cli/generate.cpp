// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/generate.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "commands.h"

namespace tessera::cli {

void add_generate(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    surface::Shape shape{};
    std::string output;
    surface::GenerateOptions generate;
    io::WriteOptions write;
  };
  const std::map<std::string, surface::Shape> shapes{{"icosphere", surface::Shape::icosphere},
                                                     {"torus", surface::Shape::torus},
                                                     {"plane", surface::Shape::plane},
                                                     {"cylinder", surface::Shape::cylinder},
                                                     {"noisy-sphere", surface::Shape::noisy_sphere},
                                                     {"soup", surface::Shape::soup}};
  CLI::App* command = program.add_subcommand("generate", "Make a mesh for tests and benchmarks");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("shape", options->shape,
                   "icosphere, torus, plane, cylinder, noisy-sphere or soup (random triangles)")
      ->required()
      ->transform(one_of(shapes))
      ->type_name("SHAPE");
  add_output(*command, options->output, options->write);
  command->get_option("--precision")
      ->description(
          "of coordinates: float or double (default: double); STL, 3MF and GLB are float");
  surface::GenerateOptions& generate = options->generate;
  command
      ->add_option("--faces", generate.faces,
                   "faces wanted, up to 100 million and more; the nearest possible number is made")
      ->check(whole_number(1))
      ->capture_default_str();
  command->add_option("--noise", generate.noise, "noisy-sphere: radii are within 1 -+ this")
      ->check(number_between(0, 1))
      ->capture_default_str();
  command
      ->add_option("--non-manifold-share", generate.non_manifold_share,
                   "soup: share of edges with more than two faces")
      ->check(number_between(0, 1))
      ->capture_default_str();
  command->footer("Example: tessera generate torus big.ply --faces 10000000");
  command->callback([=, &flags] {
    const auto is = [&](surface::Shape shape) {
      return options->shape == shape ? Used::yes : Used::no;
    };
    refuse_unused(*command, "--noise", is(surface::Shape::noisy_sphere),
                  "is for noisy-sphere only");
    refuse_unused(*command, "--non-manifold-share", is(surface::Shape::soup), "is for soup only");
    Run run(flags);
    options->generate.seed = flags.seed;
    options->generate.progress = run.progress();
    const TriangleSoup mesh = run.stage("generate", [&] {
      const exec::Device device = run.device();
      // A triangle, and half a vertex; the peak was no higher at 2 million faces.
      constexpr double bytes_a_face = sizeof(Triangle) + 0.5 * sizeof(Vec3d);
      Run::require_memory(device, options->generate.faces, bytes_a_face);
      return surface::generate(device, options->shape, options->generate);
    });
    run.write(options->output, mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
