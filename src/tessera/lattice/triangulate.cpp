// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Triangulation of meta-meshes: Zou and Gao, section 5. In place of their filling of holes, each
// strut has its share of the ball (detail/strut_end.h).
#include "tessera/lattice/triangulate.h"

#include <cstdint>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/for_each.h"
#include "tessera/lattice/detail/arc_curve.h"
#include "tessera/lattice/detail/meta_mesh_data.h"
#include "tessera/lattice/detail/offsets.h"
#include "tessera/lattice/detail/rings.h"
#include "tessera/lattice/detail/zip.h"

namespace tessera::lattice {
namespace {

using detail::ArcCurve;
using detail::AxisView;
using detail::Offsets;
using detail::Polyline;
using detail::Rings;
using detail::Spacing;
using detail::StrutEnd;
using detail::StrutKind;
using exec::Buffer;
using exec::View;

struct MeshView {
  View<const Vec3d> nodes;
  View<const StrutEnd> ends;
  View<const StrutKind> kinds;
  View<const Index> loops;
  ArcsView arcs;
};

/// The arcs of a range of ends; numbers in the range start at zero.
struct ArcRange {
  MeshView mesh;
  Index first_end;
  Index first_arc;
  Spacing spacing;

  /// An arc as the strut with the smaller number sees it.
  struct Seen {
    const StrutEnd& first;
    const StrutEnd& second;
    Vec3d from;
    Vec3d to;
    bool is_first;  ///< is that the strut whose loop the arc is in?
    Arc arc;
  };
  TESSERA_KERNEL Seen see(Index end, Index arc) const {
    const Index begin = mesh.loops[end];
    const Index next = arc + 1 < mesh.loops[end + 1] ? arc + 1 : begin;
    const Arc a = mesh.arcs[arc];
    const StrutEnd& self = mesh.ends[end];
    const StrutEnd& other = mesh.ends[a.neighbour()];
    const double scale = 1 / self.radius;
    const Vec3d from = cast<double>(a.start) * scale;
    const Vec3d to = cast<double>(mesh.arcs[next].start) * scale;
    if (end < a.neighbour()) return {self, other, from, to, true, a};
    return {other, self, to, from, false, a};
  }
};

struct WriteArcEnds {
  ArcRange range;
  View<Index> arc_ends;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index end = range.first_end + i;
    for (Index a = range.mesh.loops[end]; a < range.mesh.loops[end + 1]; ++a)
      arc_ends[a - range.first_arc] = end;
  }
};

struct CountSegments {
  ArcRange range;
  View<const Index> arc_ends;
  View<Index> counts;
  View<double> angles;
  TESSERA_KERNEL void operator()(Index i) const {
    const ArcRange::Seen seen = range.see(arc_ends[i], range.first_arc + i);
    const ArcCurve curve(seen.first, seen.second, seen.from, seen.arc.is_on_ball());
    angles[i] = curve.angle_to(seen.to, seen.arc.is_long());
    counts[i] =
        curve.segments(seen.first, seen.second, angles[i], seen.from, seen.to, range.spacing);
  }
};

struct WriteLoopPoints {
  ArcRange range;
  View<const Index> arc_ends;
  View<const double> angles;
  View<const Index> offsets;
  View<Vec3f> points;
  TESSERA_KERNEL void operator()(Index i) const {
    const ArcRange::Seen seen = range.see(arc_ends[i], range.first_arc + i);
    const Vec3d node = range.mesh.nodes[seen.first.node];
    const Index at = offsets[i];
    points[at] = cast<float>(node + cast<double>(seen.arc.start));
    const Index segments = offsets[i + 1] - at;
    if (segments == 1) return;
    ArcCurve(seen.first, seen.second, seen.from, seen.arc.is_on_ball())
        .visit(angles[i], segments, [&](Index k, const Vec3d& y) {
          points[at + (seen.is_first ? k : segments - k)] =
              cast<float>(node + y * seen.first.radius);
        });
  }
};

/// The loops of a range of ends as points.
struct LoopPoints {
  View<const Index> loops;
  Index first_end;
  Index first_arc;
  View<const Index> offsets;
  View<const Vec3f> points;
  TESSERA_KERNEL Polyline operator()(Index end) const {
    const Index begin = offsets[loops[end] - first_arc];
    return {points.data() + begin, offsets[loops[end + 1] - first_arc] - begin, false};
  }
};

struct RingRange {
  MeshView mesh;
  LoopPoints loop;
  Spacing spacing;
  TESSERA_KERNEL Rings rings(Index end) const {
    const StrutEnd& e = mesh.ends[end];
    return Rings(e, mesh.nodes[e.node], loop(end), spacing, Random(end).uniform(0));
  }
};

struct CountRings {
  RingRange range;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    counts[i] = range.rings(range.loop.first_end + i).count();
  }
};

struct CountRingPoints {
  RingRange range;
  View<const Index> ring_offsets;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    if (ring_offsets[i] == ring_offsets[i + 1]) return;
    const Rings rings = range.rings(range.loop.first_end + i);
    for (Index ring = 0; ring < rings.count(); ++ring) {
      Index count = 0;
      rings.visit(ring, [&count](const Vec3f&) { ++count; });
      counts[ring_offsets[i] + ring] = count;
    }
  }
};

struct WriteRingPoints {
  RingRange range;
  View<const Index> ring_offsets;
  View<const Index> point_offsets;
  View<Vec3f> points;
  TESSERA_KERNEL void operator()(Index i) const {
    if (ring_offsets[i] == ring_offsets[i + 1]) return;
    const Rings rings = range.rings(range.loop.first_end + i);
    for (Index ring = 0; ring < rings.count(); ++ring) {
      Index at = point_offsets[ring_offsets[i] + ring];
      rings.visit(ring, [&](const Vec3f& p) { points[at++] = p; });
    }
  }
};

/// A strut as a stack of polylines, from the loop of its first end to that of its second.
struct Strips {
  MeshView mesh;
  LoopPoints loop;
  View<const Index> ring_offsets;
  View<const Index> ring_point_offsets;
  View<const Vec3f> ring_points;

  TESSERA_KERNEL Index end_size(Index end) const {
    const Index i = end - loop.first_end;
    const Index rings = ring_offsets[i + 1] - ring_offsets[i];
    return rings + (mesh.loops[end] < mesh.loops[end + 1] ? 1 : 0);
  }
  /// Polyline k of an end: its rings from the tangent circle on, then its loop.
  TESSERA_KERNEL Polyline at(Index end, Index k) const {
    const Index i = end - loop.first_end;
    const Index rings = ring_offsets[i + 1] - ring_offsets[i];
    Polyline line = loop(end);
    if (k < rings) {
      const Index ring = ring_offsets[i] + k;
      line = {ring_points.data() + ring_point_offsets[ring],
              ring_point_offsets[ring + 1] - ring_point_offsets[ring], false};
    }
    line.is_reversed = end % 2 == 1;
    return line;
  }
  template <class Emit>
  TESSERA_KERNEL void visit(Index strut, const Emit& emit) const {
    if (mesh.kinds[strut] == StrutKind::pinched) return;
    const Index ends[2] = {2 * strut, 2 * strut + 1};
    const StrutEnd& first = mesh.ends[ends[0]];
    const AxisView axis{detail::frame_around(first.direction), mesh.nodes[first.node]};
    const Index sizes[2] = {end_size(ends[0]), end_size(ends[1])};
    Polyline lower = at(ends[0], sizes[0] - 1);
    for (Index k = 1; k < sizes[0] + sizes[1]; ++k) {
      const Polyline upper =
          k < sizes[0] ? at(ends[0], sizes[0] - 1 - k) : at(ends[1], k - sizes[0]);
      detail::zip(lower, upper, axis, emit);
      lower = upper;
    }
  }
};

struct CountFacets {
  Strips strips;
  Index first;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    Index count = 0;
    strips.visit(first + i, [&count](const Facet&) { ++count; });
    counts[i] = count;
  }
};

struct WriteFacets {
  Strips strips;
  Index first;
  View<const Index> offsets;
  View<Facet> facets;
  TESSERA_KERNEL void operator()(Index i) const {
    Index at = offsets[i];
    strips.visit(first + i, [&](const Facet& facet) { facets[at++] = facet; });
  }
};

}  // namespace

exec::Buffer<Facet> triangulate(const MetaMesh& mesh, double chord_error, Index first,
                                Index count) {
  if (!(chord_error > 0 && chord_error <= 0.5))
    throw InputError("the chord error is not between 0 and 0.5 of the radius");
  if (first > mesh.struts() || count > mesh.struts() - first)
    throw InputError("there are no such struts");
  const exec::Stream& stream = mesh.stream();
  const Spacing spacing = Spacing::of_chord_error(chord_error);
  const detail::MetaMeshData& data = mesh.data();
  const MeshView view{data.nodes.const_view(), data.ends.const_view(), data.kinds.const_view(),
                      mesh.loops(), mesh.arc_views()};
  if (count == 0) return Buffer<Facet>(stream, 0);
  const Index first_end = 2 * first;
  const Index ends = 2 * count;
  const Index first_arc = exec::download(stream, mesh.loops().subview(first_end, 1))[0];
  const Index arcs =
      exec::download(stream, mesh.loops().subview(first_end + ends, 1))[0] - first_arc;

  const ArcRange arc_range{view, first_end, first_arc, spacing};
  Buffer<Index> arc_ends(stream, arcs);
  exec::for_each(stream, ends, WriteArcEnds{arc_range, arc_ends.view()});
  Buffer<double> angles(stream, arcs);
  const Offsets offsets =
      detail::offsets_of(stream, arcs, arcs, "points of arcs", [&](View<Index> to) {
        return CountSegments{arc_range, arc_ends.const_view(), to, angles.view()};
      });
  Buffer<Vec3f> points(stream, offsets.total);
  exec::for_each(stream, arcs,
                 WriteLoopPoints{arc_range, arc_ends.const_view(), angles.const_view(),
                                 offsets.offsets.const_view(), points.view()});

  const LoopPoints loop{mesh.loops(), first_end, first_arc, offsets.offsets.const_view(),
                        points.const_view()};
  const RingRange ring_range{view, loop, spacing};
  const Offsets rings = detail::offsets_of(stream, ends, ends, "rings", [&](View<Index> to) {
    return CountRings{ring_range, to};
  });
  const View<const Index> ring_offsets = rings.offsets.const_view();
  const Offsets in_rings =
      detail::offsets_of(stream, rings.total, ends, "points of rings", [&](View<Index> to) {
        return CountRingPoints{ring_range, ring_offsets, to};
      });
  Buffer<Vec3f> ring_points(stream, in_rings.total);
  exec::for_each(
      stream, ends,
      WriteRingPoints{ring_range, ring_offsets, in_rings.offsets.const_view(), ring_points.view()});

  const Strips strips{view, loop, ring_offsets, in_rings.offsets.const_view(),
                      ring_points.const_view()};
  const Offsets facet_offsets =
      detail::offsets_of(stream, count, count, "facets", [&](View<Index> to) {
        return CountFacets{strips, first, to};
      });
  Buffer<Facet> facets(stream, facet_offsets.total);
  exec::for_each(stream, count,
                 WriteFacets{strips, first, facet_offsets.offsets.const_view(), facets.view()});
  return facets;
}

}  // namespace tessera::lattice
