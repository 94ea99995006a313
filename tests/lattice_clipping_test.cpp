// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Clipping meshes of beam lattices in 3MF files.
#include <gtest/gtest.h>

#include "clipped_lattice_file.h"
#include "io_support.h"
#include "surface_meshes.h"
#include "tessera/io/lattice.h"
#include "tessera/lattice/clip.h"
#include "tessera/lattice/generate.h"
#include "test_device.h"

namespace tessera::lattice {
namespace {

using io::testing::TemporaryFolder;
using io::testing::unmoved;
using io::testing::write_clipped_lattice;

/// Cells around the unit sphere.
LatticeGraph cells() {
  GenerateOptions options;
  options.size = {8, 8, 8};
  options.cell_size = 0.3;
  options.origin = {-1.2, -1.2, -1.2};
  options.radius = 0.04;
  return generate(options);
}

TEST(LatticeClipping, IsReadInItsPlace) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.3mf";
  const TriangleSoup sphere = generated(surface::Shape::icosphere, 2000);
  const LatticeGraph graph = cells();
  // The second one is mirrored, twice as large and elsewhere.
  const NMR::MODELTRANSFORM mirrored{{{0, 2, 0, 10}, {2, 0, 0, 0}, {0, 0, 2, -5}}};
  for (const ClipSide side : {ClipSide::inside, ClipSide::outside}) {
    write_clipped_lattice(path, graph, sphere, side, {unmoved, mirrored});
    const io::ReadLatticeResult read = io::read_lattice(path);
    EXPECT_TRUE(read.notes.empty());
    const std::size_t struts = graph.struts.size();
    ASSERT_EQ(read.graph.struts.size(), 2 * struts);
    ASSERT_EQ(read.clippings.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const LatticeClipping& clipping = read.clippings[i];
      EXPECT_EQ(clipping.keep, side);
      EXPECT_EQ(clipping.first_strut, i * struts);
      EXPECT_EQ(clipping.struts, struts);
      EXPECT_EQ(clipping.surface.validate(), std::nullopt);
      ASSERT_EQ(clipping.surface.positions.size(), sphere.positions.size());
      ASSERT_EQ(clipping.surface.triangles.size(), sphere.triangles.size());
    }
    for (std::size_t v = 0; v < sphere.positions.size(); ++v) {
      const Vec3d& p = sphere.positions[v];
      EXPECT_LT(length(read.clippings[0].surface.positions[v] - p), 1e-5);
      const Vec3d there{2 * p[1] + 10, 2 * p[0], 2 * p[2] - 5};
      EXPECT_LT(length(read.clippings[1].surface.positions[v] - there), 1e-5);
    }
    // Both lose the same struts, which only a mirrored surface that still faces outwards does.
    const ClipResult one = side == ClipSide::inside ? keep_inside(test_device(), graph, sphere)
                                                    : keep_outside(test_device(), graph, sphere);
    const ClipResult both = clip(test_device(), read.graph, read.clippings);
    EXPECT_GT(one.struts_dropped, 100U);
    EXPECT_GT(one.graph.struts.size(), 100U);
    EXPECT_EQ(both.struts_dropped, 2 * one.struts_dropped);
    for (std::size_t n = 0; n < one.graph.nodes.size(); ++n)
      EXPECT_LT(length(both.graph.nodes[n] - one.graph.nodes[n]), 1e-5);
  }
}

TEST(LatticeClipping, NoneWithoutAMesh) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.3mf";
  io::write_lattice(path, cells());
  EXPECT_TRUE(io::read_lattice(path).clippings.empty());
}

}  // namespace
}  // namespace tessera::lattice
