// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/subdivide.h"

#include <memory>
#include <variant>

#include <CLI/CLI.hpp>

#include "commands.h"

namespace tessera::cli {
namespace {

double bytes_of_element(const Attributes& attributes) {
  double bytes = 0;
  for (const Attribute& attribute : attributes)
    bytes += attribute.components *
             std::visit([](const auto& values) { return static_cast<double>(sizeof(values[0])); },
                        attribute.values);
  return bytes;
}

/// At least, for each face of the result; a closed mesh has half as many vertices as faces.
double bytes_a_face(const TriangleSoup& mesh) {
  // Result, level before and edges: 65 to 82 were measured at 1.6 to 4 million faces.
  constexpr double positions_and_triangles = 60;
  return positions_and_triangles + bytes_of_element(mesh.face_attributes) +
         0.5 * bytes_of_element(mesh.vertex_attributes);
}

}  // namespace

void add_subdivide(CLI::App& program, const SharedFlags& flags) {
  struct Options {
    std::string input;
    std::string output;
    surface::SubdivideOptions subdivide;
    io::WriteOptions write;
  };
  const std::map<std::string, surface::SubdivisionMethod> methods{
      {"midpoint", surface::SubdivisionMethod::midpoint},
      {"loop", surface::SubdivisionMethod::loop}};
  CLI::App* command =
      program.add_subcommand("subdivide", "Cut every face into four, several times");
  const auto options = std::make_shared<Options>();
  command->add_option("input", options->input, "mesh to read")->required();
  add_output(*command, options->output, options->write);
  command
      ->add_option("--method", options->subdivide.method,
                   "midpoint (keeps the shape; default) or loop (smooths)")
      ->transform(one_of(methods))
      ->type_name("METHOD");
  command
      ->add_option("--levels", options->subdivide.levels, "how often; each level has 4x the faces")
      ->check(whole_number(0, 16))
      ->capture_default_str();
  command->footer("Example: tessera subdivide cow.obj smooth.ply --method loop --levels 3");
  command->callback([=, &flags] {
    Run run(flags);
    io::ReadResult file = run.read(options->input);
    if (options->subdivide.levels > 0)
      run.drop_normals(file.mesh, "they do not fit the new positions");
    run.drop_ridges(file.mesh);
    options->subdivide.progress = run.progress();
    const TriangleSoup mesh = run.stage("subdivide", [&] {
      const exec::Device device = run.device();
      const std::uint64_t faces = file.mesh.triangles.size() << (2 * options->subdivide.levels);
      Run::require_memory(device, faces, bytes_a_face(file.mesh));
      return surface::subdivide(device, file.mesh, options->subdivide);
    });
    run.write(options->output, mesh, options->write);
    run.finish();
  });
}

}  // namespace tessera::cli
