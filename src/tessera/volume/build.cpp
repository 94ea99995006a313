// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/build.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/reduce.h"
#include "tessera/volume/detail/find_elements.h"
#include "tessera/volume/detail/orient_polyhedra.h"
#include "tessera/volume/detail/soup_view.h"

namespace tessera::volume {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

/// Whether a cell of few corners is none once corners in one place are taken as one: it has fewer
/// than four faces, or these do not close it as Complex::validate() asks. Corners that all differ
/// make a cell whatever they are.
struct IsDegenerate {
  SoupView soup;
  TESSERA_KERNEL bool operator()(Index c) const {
    if (soup.cell_types[c] == CellType::polyhedron || !has_corner_twice(c)) return false;
    Sides sides;
    return !list_sides(c, sides) || !are_paired(sides) || has_face_twice(sides);
  }

 private:
  struct Side {
    Index from;
    Index to;
    int face;
  };
  /// Those of all faces; a hexahedron has 24.
  struct Sides {
    Side side[24];
    int partner[24];
    int count = 0;
    int size_of_face[6]{};
  };

  TESSERA_KERNEL bool has_corner_twice(Index c) const {
    for (Index i = soup.cell_offsets[c]; i < soup.cell_offsets[c + 1]; ++i)
      for (Index k = soup.cell_offsets[c]; k < i; ++k)
        if (soup.cell_entries[i] == soup.cell_entries[k]) return true;
    return false;
  }

  /// False if there are fewer than four faces.
  TESSERA_KERNEL bool list_sides(Index c, Sides& sides) const {
    int faces = 0;
    for (int f = 0; f < face_count(soup.cell_types[c]); ++f) {
      const LocalFace face = soup.face(c, f);
      sides.size_of_face[f] = face.size;
      if (face.size > 0) ++faces;
      for (int i = 0; i < face.size; ++i)
        sides.side[sides.count++] = {face.corner[i], face.corner[i + 1 < face.size ? i + 1 : 0], f};
    }
    return faces >= 4;
  }

  /// Whether every edge has two sides, of two faces, that run against each other.
  TESSERA_KERNEL static bool are_paired(Sides& sides) {
    for (int i = 0; i < sides.count; ++i) {
      const Side& here = sides.side[i];
      int found = 0;
      for (int k = 0; k < sides.count; ++k) {
        const Side& there = sides.side[k];
        const bool same = there.from == here.from && there.to == here.to;
        const bool against = there.from == here.to && there.to == here.from;
        if (k == i || !(same || against)) continue;
        if (same || there.face == here.face) return false;
        sides.partner[i] = k;
        ++found;
      }
      if (found != 1) return false;
    }
    return true;
  }

  /// Whether two faces lie back to back: all sides of one have their partners in the other.
  TESSERA_KERNEL static bool has_face_twice(const Sides& sides) {
    for (int i = 0; i < sides.count; i += sides.size_of_face[sides.side[i].face]) {
      const int face = sides.side[i].face;
      const int other = sides.side[sides.partner[i]].face;
      bool all = sides.size_of_face[face] == sides.size_of_face[other];
      for (int k = i; k < i + sides.size_of_face[face]; ++k)
        if (sides.side[sides.partner[k]].face != other) all = false;
      if (all) return true;
    }
    return false;
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

/// The first polygon that goes along an edge twice, or no_index.
Index find_spur(const exec::Stream& stream, const PolyhedralSoup& soup) {
  std::atomic<Index> first = no_index;
  exec::host_for_ranges(
      stream, soup.polygon_count(), 1024, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<Index, Index>> edges;
        for (std::size_t p = begin; p < end && p < first; ++p) {
          const Index* corners = soup.polygon_corners.data() + soup.polygon_offsets[p];
          const Index size = soup.polygon_offsets[p + 1] - soup.polygon_offsets[p];
          if (size == 3) continue;
          edges.clear();
          for (Index i = 0; i < size; ++i)
            edges.push_back(std::minmax(corners[i], corners[i + 1 < size ? i + 1 : 0]));
          std::sort(edges.begin(), edges.end());
          if (std::adjacent_find(edges.begin(), edges.end()) == edges.end()) continue;
          Index known = first;
          while (p < known && !first.compare_exchange_weak(known, static_cast<Index>(p))) {
          }
        }
      });
  return first;
}

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

/// Throws InputError where a polygon or a segment has an edge from a vertex to itself, or one
/// twice.
void require_edges(const exec::Stream& stream, const PolyhedralSoup& soup,
                   const SoupOnDevice& device) {
  const SoupView view = device.view();
  const Index polygon =
      exec::reduce(stream, view.polygons(), no_index, FindLoop{view}, exec::Minimum{});
  if (polygon != no_index)
    throw InputError("polygon " + std::to_string(polygon) + " visits a vertex twice in a row");
  const Index spur = find_spur(stream, soup);
  if (spur != no_index)
    throw InputError("polygon " + std::to_string(spur) + " goes along an edge twice");
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

/// The result so far, with a note for each type of cells that were turned.
BuildResult finish(FoundElements found, Index turned_polyhedra = 0) {
  BuildResult result{std::move(found.complex), 0, 0, found.turned_cells, found.merged_polygons,
                     found.merged_segments,    {}};
  result.turned_cells[static_cast<std::size_t>(CellType::polyhedron)] = turned_polyhedra;
  constexpr const char* types[] = {"tetrahedra", "pyramids", "prisms", "hexahedra", "polyhedra"};
  for (std::size_t i = 0; i < result.turned_cells.size(); ++i)
    if (result.turned_cells[i] > 0)
      result.notes.push_back("all " + std::to_string(result.turned_cells[i]) + " " + types[i] +
                             " were turned, since most of them pointed inwards");
  if (result.merged_polygons > 0)
    result.notes.push_back(std::to_string(result.merged_polygons) +
                           " polygons are the same face as an earlier one");
  if (result.merged_segments > 0)
    result.notes.push_back(std::to_string(result.merged_segments) +
                           " edges are the same as an earlier one");
  return result;
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
  if (degenerate.empty() && !has_polyhedra(soup)) return finish(find_elements(stream, soup));
  PolyhedralSoup better = degenerate.empty() ? soup : without(soup, degenerate);
  const OrientedPolyhedra oriented = orient_polyhedra(stream, better);
  const Array<Index>& open = oriented.open;
  if (!open.empty()) better = without(std::move(better), open);
  BuildResult result = finish(find_elements(stream, better), oriented.turned);
  result.degenerate_cells = static_cast<Index>(degenerate.size());
  result.open_cells = static_cast<Index>(open.size());
  if (!degenerate.empty())
    result.notes.push_back(std::to_string(degenerate.size()) +
                           " cells that are not closed once corners in one place are taken as "
                           "one were left out");
  if (!open.empty())
    result.notes.push_back(std::to_string(open.size()) +
                           " polyhedra that their polygons do not close were left out");
  return result;
}

}  // namespace tessera::volume
