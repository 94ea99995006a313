// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "patched_input.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/surface/face_box.h"

namespace tessera::cli {
namespace {

constexpr std::size_t grain = 16384;

surface::PatchedMesh make_mesh(Run& run, const SharedFlags& flags, const TriangleSoup& soup,
                               const std::string& wanted) {
  surface::PatchOptions options;
  options.seed = flags.seed;
  options.progress = run.progress();
  return run.stage("patch", [&] {
    if (soup.triangles.empty()) throw InputError("a mesh without faces has no " + wanted);
    return surface::PatchedMesh(run.device(), soup, options);
  });
}

surface::VertexAttribute<Vec3f> positions_for_kernels(const KernelUnits& units,
                                                      const surface::PatchedMesh& mesh,
                                                      const TriangleSoup& soup) {
  Array<Vec3f> positions(soup.positions.size());
  parallel_for_ranges(positions.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      positions[v] = units.position_for_kernels(soup.positions[v]);
  });
  return surface::attribute_from_host<surface::Vertex, Vec3f>(mesh, "position",
                                                              std::span<const Vec3f>(positions));
}

}  // namespace

KernelUnits KernelUnits::fit(const exec::Stream& stream, const TriangleSoup& soup) {
  if (soup.triangles.empty()) return {};
  const Box box = surface::box_of_faces(stream, soup);
  KernelUnits units{box.middle(), 1};
  const Vec3d half = box.half_extent();
  const double size = std::max({half[0], half[1], half[2]});
  // Nothing smaller: one over the unit must be a number, too.
  if (size > 0) units.unit = std::ldexp(1.0, std::max(std::ilogb(size), -1000));
  return units;
}

Vec3f KernelUnits::position_for_kernels(const Vec3d& in_model) const {
  return cast<float>((in_model - origin) * (1 / unit));
}

Vec3d KernelUnits::position_in_model(const Vec3f& in_kernels) const {
  return cast<double>(in_kernels) * unit + origin;
}

PatchedInput::PatchedInput(Run& run, const SharedFlags& flags, const TriangleSoup& soup,
                           const std::string& wanted)
    : units(KernelUnits::fit(run.device(), soup)),
      mesh(make_mesh(run, flags, soup, wanted)),
      positions(positions_for_kernels(units, mesh, soup)) {}

void PatchedInput::store_positions(TriangleSoup& soup) const {
  const Array<Vec3f> moved = surface::attribute_to_host(mesh, positions);
  parallel_for_ranges(moved.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const bool stayed = moved[v] == units.position_for_kernels(soup.positions[v]);
      if (!stayed) soup.positions[v] = units.position_in_model(moved[v]);
    }
  });
}

Array<double> scaled(const Array<float>& values, double factor) {
  Array<double> result(values.size());
  parallel_for_ranges(values.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) result[i] = static_cast<double>(values[i]) * factor;
  });
  return result;
}

void set_attribute(Attributes& attributes, Attribute added) {
  std::erase_if(attributes, [&](const Attribute& old) { return old.name == added.name; });
  attributes.push_back(std::move(added));
}

void set_attribute(Attributes& attributes, const std::string& name, const Array<double>& values) {
  const double largest = parallel_reduce(
      values.size(), grain, 0.0,
      [&](std::size_t begin, std::size_t end, double most) {
        for (std::size_t i = begin; i < end; ++i)
          if (std::isfinite(values[i])) most = std::max(most, std::abs(values[i]));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  using Float = std::numeric_limits<float>;
  // A thousandth of the largest should be exact, too.
  if (largest > static_cast<double>(Float::max()) ||
      (largest > 0 && largest < 1e3 * static_cast<double>(Float::min()))) {
    set_attribute(attributes, {name, 1, values});
    return;
  }
  Array<float> numbers(values.size());
  std::transform(values.begin(), values.end(), numbers.begin(),
                 [](double x) { return static_cast<float>(x); });
  set_attribute(attributes, {name, 1, std::move(numbers)});
}

void set_attribute(Attributes& attributes, const std::string& name, const Array<Vec3f>& values) {
  Array<float> numbers(3 * values.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = values[i / 3][static_cast<int>(i % 3)];
  set_attribute(attributes, {name, 3, std::move(numbers)});
}

}  // namespace tessera::cli
