// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/core/polyhedral_soup.h"
#include "tessera/exec/input.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/view.h"
#include "tessera/volume/detail/cell_shapes.h"

namespace tessera::volume::detail {

/// A soup as kernels see it.
struct SoupView {
  exec::View<const Vec3d> positions;
  exec::View<const Index> polygon_offsets;
  exec::View<const Index> polygon_corners;
  exec::View<const CellType> cell_types;
  exec::View<const Index> cell_offsets;
  exec::View<const Index> cell_entries;

  TESSERA_KERNEL Index polygons() const { return static_cast<Index>(polygon_offsets.size()) - 1; }
  TESSERA_KERNEL Index cells() const { return static_cast<Index>(cell_types.size()); }
  TESSERA_KERNEL LocalFace face(Index cell, int f) const {
    return face_of(cell_types[cell], cell_entries.data() + cell_offsets[cell], f);
  }
};

/// The same on its device.
struct SoupOnDevice {
  SoupOnDevice(const exec::Stream& stream, const PolyhedralSoup& soup)
      : positions(stream, soup.positions),
        polygon_offsets(stream, soup.polygon_offsets),
        polygon_corners(stream, soup.polygon_corners),
        cell_types(stream, soup.cell_types),
        cell_offsets(stream, soup.cell_offsets),
        cell_entries(stream, soup.cell_entries),
        segments(stream, soup.segments) {}

  SoupView view() const {
    return {positions.view(),  polygon_offsets.view(), polygon_corners.view(),
            cell_types.view(), cell_offsets.view(),    cell_entries.view()};
  }

  exec::Input<Vec3d> positions;
  exec::Input<Index> polygon_offsets;
  exec::Input<Index> polygon_corners;
  exec::Input<CellType> cell_types;
  exec::Input<Index> cell_offsets;
  exec::Input<Index> cell_entries;
  exec::Input<Segment> segments;
};

}  // namespace tessera::volume::detail
