// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/build.h"

#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/reduce.h"
#include "tessera/volume/detail/find_elements.h"
#include "tessera/volume/detail/orient_polyhedra.h"
#include "tessera/volume/detail/soup_view.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

struct IsDegenerate {
  SoupView soup;
  TESSERA_KERNEL bool operator()(Index c) const {
    const CellType type = soup.cell_types[c];
    if (type == CellType::polyhedron) return false;
    int faces = 0;
    for (int f = 0; f < face_count(type); ++f)
      if (soup.face(c, f).size > 0) ++faces;
    return faces < 4;
  }
};

/// The first polygon with an edge from a vertex to itself, or no_index.
struct FindLoop {
  SoupView soup;
  TESSERA_KERNEL Index operator()(Index p) const {
    const Index begin = soup.polygon_offsets[p];
    const Index end = soup.polygon_offsets[p + 1];
    for (Index i = begin; i < end; ++i)
      if (soup.polygon_corners[i] == soup.polygon_corners[i + 1 == end ? begin : i + 1]) return p;
    return no_index;
  }
};

struct FindSegmentLoop {
  View<const Segment> segments;
  TESSERA_KERNEL Index operator()(Index s) const {
    return segments[s][0] == segments[s][1] ? s : no_index;
  }
};

/// The soup without some cells.
PolyhedralSoup without(PolyhedralSoup soup, const Array<Index>& cells) {
  Array<Index> kept;
  Array<Index> offsets{0};
  Array<Index> entries;
  Array<CellType> types;
  auto next = cells.begin();
  for (Index c = 0; c < soup.cell_count(); ++c) {
    if (next != cells.end() && *next == c) {
      ++next;
      continue;
    }
    kept.push_back(c);
    types.push_back(soup.cell_types[c]);
    entries.insert(entries.end(), soup.cell_entries.begin() + soup.cell_offsets[c],
                   soup.cell_entries.begin() + soup.cell_offsets[c + 1]);
    offsets.push_back(static_cast<Index>(entries.size()));
  }
  soup.cell_attributes = gather(soup.cell_attributes, kept);
  soup.cell_types = std::move(types);
  soup.cell_offsets = std::move(offsets);
  soup.cell_entries = std::move(entries);
  return soup;
}

/// The cells that no complex can have.
Array<Index> find_degenerate(const exec::Stream& stream, const SoupView& soup) {
  Buffer<Index> cells(stream, soup.cells());
  const Index count = exec::compact(stream, soup.cells(), IsDegenerate{soup}, cells.view());
  return exec::download(stream, cells.const_view().subview(0, count));
}

/// Throws InputError where a polygon or a segment has an edge from a vertex to itself.
void require_edges(const exec::Stream& stream, const PolyhedralSoup& soup,
                   const SoupOnDevice& device) {
  const SoupView view = device.view();
  const Index polygon =
      exec::reduce(stream, view.polygons(), no_index, FindLoop{view}, exec::Minimum{});
  if (polygon != no_index)
    throw InputError("polygon " + std::to_string(polygon) + " visits a vertex twice in a row");
  const Index segment = exec::reduce(stream, static_cast<Index>(soup.segments.size()), no_index,
                                     FindSegmentLoop{device.segments.view()}, exec::Minimum{});
  if (segment != no_index)
    throw InputError("edge " + std::to_string(segment) + " goes from a vertex to itself");
}

bool has_polyhedra(const PolyhedralSoup& soup) {
  for (const CellType type : soup.cell_types)
    if (type == CellType::polyhedron) return true;
  return false;
}

}  // namespace

BuildResult build_complex(const exec::Stream& stream, const PolyhedralSoup& soup) {
  if (const auto wrong = soup.validate()) throw InputError("not a valid mesh: " + *wrong);
  Array<Index> degenerate;
  {
    const SoupOnDevice device(stream, soup);
    require_edges(stream, soup, device);
    degenerate = find_degenerate(stream, device.view());
  }
  if (degenerate.empty() && !has_polyhedra(soup)) return {find_elements(stream, soup), 0, 0, {}};
  PolyhedralSoup better = degenerate.empty() ? soup : without(soup, degenerate);
  const Array<Index> open = orient_polyhedra(stream, better);
  if (!open.empty()) better = without(std::move(better), open);
  BuildResult result{find_elements(stream, better),
                     static_cast<Index>(degenerate.size()),
                     static_cast<Index>(open.size()),
                     {}};
  if (!degenerate.empty())
    result.notes.push_back(std::to_string(degenerate.size()) +
                           " cells of fewer than four faces were left out");
  if (!open.empty())
    result.notes.push_back(std::to_string(open.size()) +
                           " polyhedra that their polygons do not close were left out");
  return result;
}

}  // namespace tessera::volume
