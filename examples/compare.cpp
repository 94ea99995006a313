// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// How far a smoothed surface moved away from the original, and the point of it nearest to a place.
#include "tessera/surface/compare.h"

#include <iostream>

#include "tessera/surface/bvh.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/subdivide.h"

int main() {
  using namespace tessera;
  const exec::Device device = exec::Device::best();
  surface::GenerateOptions shape;
  shape.faces = 2000;
  const TriangleSoup coarse = surface::generate(device, surface::Shape::torus, shape);
  surface::SubdivideOptions subdivision;
  subdivision.method = surface::SubdivisionMethod::loop;
  subdivision.levels = 2;
  const TriangleSoup smooth = surface::subdivide(device, coarse, subdivision);

  surface::CompareOptions options;
  options.samples = 100'000;
  const surface::Comparison result = surface::compare(device, coarse, smooth, options);
  std::cout << "mean distance " << result.mean << ", Hausdorff distance " << result.max << " ("
            << 100 * result.max / result.diagonal << " % of the diagonal)\n"
            << "mean angle of normals " << result.normals.mean << " degrees\n"
            << "area changes by " << result.area_change << '\n';
  if (result.volume_change) std::cout << "volume changes by " << *result.volume_change << '\n';

  const surface::Bvh tree(device, smooth);
  const surface::ClosestPoints found = surface::closest_points(device, tree, {{0, 0, 0}});
  std::cout << "the centre is " << found.distances[0] << " from face " << found.faces[0] << '\n';
}
