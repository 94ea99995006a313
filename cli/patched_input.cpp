// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "patched_input.h"

#include <algorithm>
#include <utility>

namespace tessera::cli {
namespace {

Vec3d middle(const TriangleSoup& soup) {
  if (soup.positions.empty()) return {};
  Vec3d low = soup.positions[0];
  Vec3d high = low;
  for (const Vec3d& p : soup.positions)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  return 0.5 * low + 0.5 * high;
}

surface::PatchedMesh make_mesh(Run& run, const SharedFlags& flags, const TriangleSoup& soup) {
  surface::PatchOptions options;
  options.seed = flags.seed;
  options.progress = run.progress();
  return run.stage("patch", [&] { return surface::PatchedMesh(run.device(), soup, options); });
}

}  // namespace

PatchedInput::PatchedInput(Run& run, const SharedFlags& flags, const TriangleSoup& soup)
    : origin(middle(soup)),
      mesh(make_mesh(run, flags, soup)),
      positions(surface::positions_of(mesh, soup, origin)) {}

void PatchedInput::store_positions(TriangleSoup& soup) const {
  const Array<Vec3f> moved = surface::attribute_to_host(mesh, positions);
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const bool stayed = moved[v] == cast<float>(soup.positions[v] - origin);
    if (!stayed) soup.positions[v] = cast<double>(moved[v]) + origin;
  }
}

void set_attribute(Attributes& attributes, Attribute added) {
  std::erase_if(attributes, [&](const Attribute& old) { return old.name == added.name; });
  attributes.push_back(std::move(added));
}

void set_attribute(Attributes& attributes, const std::string& name, const Array<Vec3f>& values) {
  Array<float> numbers(3 * values.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = values[i / 3][static_cast<int>(i % 3)];
  set_attribute(attributes, {name, 3, std::move(numbers)});
}

}  // namespace tessera::cli
