// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Triangulation of meta-meshes: Zou and Gao, section 5. In place of their filling of holes, each
// strut has its share of the ball (detail/strut_end.h).
#include "tessera/lattice/triangulate.h"

#include <cstdint>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/prefetch.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/lattice/detail/arc_curve.h"
#include "tessera/lattice/detail/meta_mesh_data.h"
#include "tessera/lattice/detail/offsets.h"
#include "tessera/lattice/detail/rings.h"
#include "tessera/lattice/detail/zip.h"

namespace tessera::lattice {
namespace {

using detail::ArcEnds;
using detail::AxisView;
using detail::LinePoint;
using detail::Offsets;
using detail::Polyline;
using detail::Rings;
using detail::Spacing;
using detail::StrutEnd;
using detail::StrutKind;
using detail::Treatment;
using exec::Buffer;
using exec::View;

struct MeshView {
  View<const Vec3d> nodes;
  View<const StrutEnd> ends;
  View<const Treatment> kinds;
  View<const Index> loops;
  ArcsView arcs;

  /// Nothing of it is seen, or there is nothing of it.
  TESSERA_KERNEL bool is_hidden(Index strut) const {
    return kinds[strut] == StrutKind::pinched ||
           (kinds[strut] == StrutKind::swallowed && kinds[strut].is_covered(0));
  }
  TESSERA_KERNEL AxisView axis(Index strut) const {
    const StrutEnd& end = ends[2 * strut];
    return AxisView(detail::frame_around(end.direction), nodes[end.node]);
  }
};

/// An arc of a loop, and where the next one starts.
struct LoopArc {
  Index number;  ///< in the range
  Arc arc;
  Vec3f end;

  /// Between junctions that were put in one place.
  TESSERA_KERNEL bool is_point() const { return !arc.is_long() && arc.start == end; }
};

/// The arcs of a range of ends; numbers in the range start at zero.
struct ArcRange {
  MeshView mesh;
  Index first_end;
  Index first_arc;

  /// Calls f(LoopArc) for the arcs of an end's loop, in order.
  template <class F>
  TESSERA_KERNEL void visit(Index end, const F& f) const {
    const Index begin = mesh.loops[end];
    const Index stop = mesh.loops[end + 1];
    if (begin == stop) return;
    const Arc first = mesh.arcs[begin];
    Arc arc = first;
    for (Index a = begin; a < stop; ++a) {
      const Arc next = a + 1 < stop ? mesh.arcs[a + 1] : first;
      f(LoopArc{a - first_arc, arc, next.start});
      arc = next;
    }
  }
  /// Calls f(end) for the struts on the other side of an end's arcs. They are anywhere in memory.
  template <class F>
  void visit_neighbours(Index end, const F& f) const {
    for (Index a = mesh.loops[end]; a < mesh.loops[end + 1]; ++a) f(mesh.arcs.neighbour(a));
  }
  /// An arc as the strut with the smaller number sees it.
  TESSERA_KERNEL ArcEnds see(Index end, const LoopArc& a) const {
    const StrutEnd& self = mesh.ends[end];
    const StrutEnd& other = mesh.ends[a.arc.neighbour()];
    const double scale = 1 / self.radius;
    const Vec3d from = cast<double>(a.arc.start) * scale;
    const Vec3d to = cast<double>(a.end) * scale;
    if (end < a.arc.neighbour()) return {self, other, from, to, a.arc.is_long()};
    return {other, self, to, from, a.arc.is_long()};
  }
};

/// An arc is in the loops of two struts. The one with the smaller number samples it, and the other
/// takes its points over, if both are in the range.
struct CountSegments {
  ArcRange range;
  Index ends;
  Spacing spacing;
  View<Index> sampled_by;  ///< no_index at first: by the arc itself
  View<Index> counts;      ///< no_index at first: not known yet
  View<double> angles;

  void prefetch_far(Index i) const {
    range.visit_neighbours(range.first_end + i,
                           [this](Index other) { exec::prefetch(range.mesh.loops[other]); });
  }
  void prefetch_near(Index i) const {
    range.visit_neighbours(range.first_end + i, [this](Index other) {
      const Index first = range.mesh.loops[other];
      if (first < range.mesh.loops[other + 1]) range.mesh.arcs.prefetch(first);
      exec::prefetch(range.mesh.ends[other]);
      exec::prefetch(range.mesh.ends[other].function);
    });
  }
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
    const Index end = range.first_end + i;
    range.visit(end, [&](const LoopArc& a) {
      const Index other = a.arc.neighbour();
      const bool is_inside = other >= range.first_end && other < range.first_end + ends;
      if (is_inside && other < end && !a.is_point()) return;
      count(end, a);
      if (is_inside && !a.is_point()) find_twin(end, a);
    });
  }
  TESSERA_KERNEL void count(Index end, const LoopArc& a) const {
    counts[a.number] = 0;
    if (a.is_point()) return;
    const ArcEnds both = range.see(end, a);
    detail::with_curve(both, a.arc.is_on_ball(), [&](const auto& curve) {
      angles[a.number] = curve.angle();
      counts[a.number] = curve.segments(angles[a.number], spacing);
    });
  }
  TESSERA_KERNEL void find_twin(Index end, const LoopArc& a) const {
    const std::uint32_t link = end | (a.arc.link & Arc::on_ball_bit);
    const ArcsView& arcs = range.mesh.arcs;
    const Index begin = range.mesh.loops[a.arc.neighbour()];
    const Index stop = range.mesh.loops[a.arc.neighbour() + 1];
    for (Index b = begin; b < stop; ++b) {
      if ((arcs.link[b] & ~Arc::long_bit) != link) continue;
      const LoopArc twin{b - range.first_arc, arcs[b], arcs.start(b + 1 < stop ? b + 1 : begin)};
      if (twin.arc.start != a.end || twin.end != a.arc.start || twin.is_point()) continue;
      sampled_by[twin.number] = a.number;
      counts[twin.number] = counts[a.number];
    }
  }
};

/// Arcs of damaged files that the other strut does not have.
struct CountLonelySegments {
  CountSegments segments;
  TESSERA_KERNEL void operator()(Index arc) const {
    if (segments.counts[arc] != no_index) return;
    const ArcRange& range = segments.range;
    Index low = range.first_end;
    Index high = low + segments.ends;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (range.mesh.loops[middle] <= range.first_arc + arc ? low : high) = middle;
    }
    range.visit(low, [&](const LoopArc& a) {
      if (a.number == arc) segments.count(low, a);
    });
  }
};

struct WriteLoopPoints {
  ArcRange range;
  Spacing spacing;
  View<const Index> sampled_by;
  View<const double> angles;
  View<const Index> offsets;
  View<LinePoint> points;

  void prefetch_far(Index) const {}
  void prefetch_near(Index i) const {
    range.visit_neighbours(range.first_end + i, [this](Index other) {
      exec::prefetch(range.mesh.ends[other]);
      exec::prefetch(range.mesh.ends[other].function);
    });
  }
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
    const Index end = range.first_end + i;
    const StrutEnd& self = range.mesh.ends[end];
    const Vec3d node = range.mesh.nodes[self.node];
    const AxisView axis = range.mesh.axis(end / 2);
    range.visit(end, [&](const LoopArc& a) {
      const Index at = offsets[a.number];
      const Index segments = offsets[a.number + 1] - at;
      if (segments == 0) return;
      const Vec3d start = spacing.place(cast<double>(a.arc.start), self.radius);
      points[at] = axis.see(cast<float>(node + start));
      if (segments == 1 || sampled_by[a.number] != no_index) return;
      const bool is_first = end < a.arc.neighbour();
      const ArcEnds ends = range.see(end, a);
      detail::with_curve(ends, a.arc.is_on_ball(), [&](const auto& curve) {
        curve.visit(angles[a.number], segments, [&](Index k, const Vec3d& y) {
          points[at + (is_first ? k : segments - k)] =
              axis.see(cast<float>(node + spacing.place(y) * self.radius));
        });
      });
    });
  }
};

/// Points of the other strut's arc, backwards.
struct CopyLoopPoints {
  ArcRange range;
  View<const Index> sampled_by;
  View<const Index> offsets;
  View<LinePoint> points;

  template <class F>
  void visit_sources(Index i, const F& f) const {
    const Index end = range.first_end + i;
    for (Index a = range.mesh.loops[end]; a < range.mesh.loops[end + 1]; ++a)
      if (sampled_by[a - range.first_arc] != no_index) f(sampled_by[a - range.first_arc]);
  }
  void prefetch_far(Index i) const {
    visit_sources(i, [this](Index from) { exec::prefetch(offsets[from]); });
  }
  void prefetch_near(Index i) const {
    visit_sources(i, [this](Index from) { exec::prefetch(points[offsets[from]]); });
  }
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
    const Index end = range.first_end + i;
    const AxisView axis = range.mesh.axis(end / 2);
    for (Index a = range.mesh.loops[end]; a < range.mesh.loops[end + 1]; ++a) {
      const Index arc = a - range.first_arc;
      const Index from = sampled_by[arc];
      if (from == no_index) continue;
      const Index at = offsets[arc];
      const Index segments = offsets[arc + 1] - at;
      for (Index k = 1; k < segments; ++k)
        points[at + k] = axis.see(points[offsets[from] + segments - k].position);
    }
  }
};

/// The loops of a range of ends as points.
struct LoopPoints {
  View<const Index> loops;
  Index first_end;
  Index first_arc;
  View<const Index> offsets;
  View<const LinePoint> points;
  TESSERA_KERNEL Polyline operator()(Index end) const {
    const Index begin = offsets[loops[end] - first_arc];
    return {points.data() + begin, offsets[loops[end + 1] - first_arc] - begin, false};
  }
};

struct RingRange {
  MeshView mesh;
  LoopPoints loop;
  Spacing spacing;
  std::uint64_t block;
  TESSERA_KERNEL Rings rings(Index end) const {
    const StrutEnd& e = mesh.ends[end];
    return Rings(e, mesh.nodes[e.node], loop(end), spacing, phase(end),
                 mesh.kinds[end / 2].is_covered(end % 2));
  }
  /// Struts that share nodes differ in their directions; others may be copies of each other.
  TESSERA_KERNEL double phase(Index end) const {
    if (mesh.kinds[end / 2] != StrutKind::shared) return Random(block).uniform(end);
    return detail::turn_of(mesh.ends[end].direction)[0] / detail::turn_size + 0.5;
  }
  /// Nothing lies on the ball between the strut and a loop that does not touch it.
  TESSERA_KERNEL bool can_have_rings(Index end) const {
    for (Index a = mesh.loops[end]; a < mesh.loops[end + 1]; ++a)
      if (mesh.arcs[a].is_on_ball()) return true;
    return loop(end).count == 0 && !mesh.is_hidden(end / 2);
  }
};

struct CountRings {
  RingRange range;
  View<Index> counts;
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
    const Index end = range.loop.first_end + i;
    counts[i] = range.can_have_rings(end) ? range.rings(end).count() : 0;
  }
};

struct CountRingPoints {
  RingRange range;
  View<const Index> ring_offsets;
  View<Index> counts;
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
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
  View<LinePoint> points;
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
    if (ring_offsets[i] == ring_offsets[i + 1]) return;
    const Index end = range.loop.first_end + i;
    const Rings rings = range.rings(end);
    const AxisView axis = range.mesh.axis(end / 2);
    for (Index ring = 0; ring < rings.count(); ++ring) {
      Index at = point_offsets[ring_offsets[i] + ring];
      rings.visit(ring, [&](const Vec3f& p) { points[at++] = axis.see(p); });
    }
  }
};

/// A strut as a stack of polylines, from the loop of its first end to that of its second.
struct Strips {
  MeshView mesh;
  LoopPoints loop;
  View<const Index> ring_offsets;
  View<const Index> ring_point_offsets;
  View<const LinePoint> ring_points;

  TESSERA_KERNEL Index end_size(Index end) const {
    const Index i = end - loop.first_end;
    const Index rings = ring_offsets[i + 1] - ring_offsets[i];
    return rings + (loop(end).count > 0 ? 1 : 0);
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
  /// Calls f(lower, upper) for each two neighbours of the stack.
  template <class F>
  TESSERA_KERNEL void visit(Index strut, const F& f) const {
    if (mesh.is_hidden(strut)) return;
    const Index ends[2] = {2 * strut, 2 * strut + 1};
    const Index sizes[2] = {end_size(ends[0]), end_size(ends[1])};
    Polyline lower = at(ends[0], sizes[0] - 1);
    for (Index k = 1; k < sizes[0] + sizes[1]; ++k) {
      const Polyline upper =
          k < sizes[0] ? at(ends[0], sizes[0] - 1 - k) : at(ends[1], k - sizes[0]);
      f(lower, upper);
      lower = upper;
    }
  }
};

/// Room for each strut's facets: nearly always just what they need.
struct CountRoom {
  Strips strips;
  Index first;
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    Index count = 0;
    strips.visit(first + i, [&count](const Polyline& lower, const Polyline& upper) {
      count += lower.count + upper.count;
    });
    counts[i] = count;
  }
};

struct WriteFacets {
  Strips strips;
  Index first;
  View<const Index> room;
  View<Index> counts;
  View<Facet> facets;
  TESSERA_FLAT_KERNEL void operator()(Index i) const {
    Facet* const begin = facets.data() + room[i];
    Facet* at = begin;
    strips.visit(first + i, [&at](const Polyline& lower, const Polyline& upper) {
      at += detail::zip(lower, upper, at);
    });
    counts[i] = static_cast<Index>(at - begin);
  }
};

/// Facets in rooms that a few of the struts do not fill: the last ones go to where nothing is.
struct Rooms {
  View<const Index> room;   ///< where each strut's starts
  View<const Index> start;  ///< where its facets would start without gaps
  Index total;              ///< of all facets

  TESSERA_KERNEL Index end(Index i) const { return room[i] + start[i + 1] - start[i]; }
  /// Calls f(place, number) for the places of strut i that nothing fills, before the total.
  template <class F>
  TESSERA_KERNEL void visit_gaps(Index i, const F& f) const {
    const Index before = room[i] - start[i];
    for (Index at = end(i); at < room[i + 1] && at < total; ++at) f(at, before + at - end(i));
  }
};

struct CountGaps {
  Rooms rooms;
  TESSERA_KERNEL Index operator()(Index i) const {
    Index count = 0;
    rooms.visit_gaps(i, [&count](Index, Index) { ++count; });
    return count;
  }
};

struct WriteGaps {
  Rooms rooms;
  View<Index> gaps;
  TESSERA_KERNEL void operator()(Index i) const {
    rooms.visit_gaps(i, [this](Index place, Index number) { gaps[number] = place; });
  }
};

struct MoveFacets {
  Rooms rooms;
  View<const Index> gaps;
  View<Facet> facets;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index staying = rooms.total - static_cast<Index>(gaps.size());
    const Index first = rooms.room[i] > rooms.total ? rooms.room[i] : rooms.total;
    for (Index at = first; at < rooms.end(i); ++at)
      facets[gaps[rooms.start[i] + at - rooms.room[i] - staying]] = facets[at];
  }
};

Buffer<Facet> fill_gaps(const exec::Stream& stream, Buffer<Facet> facets, const Offsets& room,
                        Buffer<Index> counts) {
  const auto n = static_cast<Index>(counts.size() - 1);
  exec::fill(stream, counts.view().subview(n, 1), 0);
  exec::exclusive_scan(stream, counts.const_view(), counts.view());
  const Index total = exec::download_one(stream, counts, n);
  if (total == room.total) return facets;
  const Rooms rooms{room.offsets.const_view(), counts.const_view(), total};
  Buffer<Index> gaps(stream, exec::reduce(stream, n, Index{0}, CountGaps{rooms}, exec::Plus{}));
  exec::for_each(stream, n, WriteGaps{rooms, gaps.view()});
  exec::for_each(stream, n, MoveFacets{rooms, gaps.const_view(), facets.view()});
  facets.shrink(total);
  return facets;
}

}  // namespace

exec::Buffer<Facet> triangulate(const MetaMesh& mesh, double chord_error, Index first,
                                Index count) {
  if (!(chord_error >= 1e-6 && chord_error <= 0.5))
    throw InputError("the chord error is not between 0.000001 and 0.5 of the radius");
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

  const ArcRange arc_range{view, first_end, first_arc};
  Buffer<Index> sampled_by(stream, arcs);
  exec::fill(stream, sampled_by.view(), no_index);
  Buffer<double> angles(stream, arcs);
  Offsets offsets = detail::offsets_of(stream, arcs, arcs, "points of arcs", [&](View<Index> to) {
    exec::fill(stream, to.subview(0, arcs), no_index);
    const CountSegments segments{arc_range, ends, spacing, sampled_by.view(), to, angles.view()};
    exec::for_each(stream, ends, segments);
    return CountLonelySegments{segments};
  });
  Buffer<LinePoint> points(stream, offsets.total);
  exec::for_each(stream, ends,
                 WriteLoopPoints{arc_range, spacing, sampled_by.const_view(), angles.const_view(),
                                 offsets.offsets.const_view(), points.view()});
  exec::for_each(stream, ends,
                 CopyLoopPoints{arc_range, sampled_by.const_view(), offsets.offsets.const_view(),
                                points.view()});

  const LoopPoints loop{mesh.loops(), first_end, first_arc, offsets.offsets.const_view(),
                        points.const_view()};
  const RingRange ring_range{view, loop, spacing, data.block};
  const Offsets rings = detail::offsets_of(stream, ends, ends, "rings", [&](View<Index> to) {
    return CountRings{ring_range, to};
  });
  const View<const Index> ring_offsets = rings.offsets.const_view();
  const Offsets in_rings =
      detail::offsets_of(stream, rings.total, ends, "points of rings", [&](View<Index> to) {
        return CountRingPoints{ring_range, ring_offsets, to};
      });
  Buffer<LinePoint> ring_points(stream, in_rings.total);
  exec::for_each(
      stream, ends,
      WriteRingPoints{ring_range, ring_offsets, in_rings.offsets.const_view(), ring_points.view()});

  const Strips strips{view, loop, ring_offsets, in_rings.offsets.const_view(),
                      ring_points.const_view()};
  const Offsets room = detail::offsets_of(stream, count, count, "facets", [&](View<Index> to) {
    return CountRoom{strips, first, to};
  });
  Buffer<Facet> facets(stream, room.total);
  Buffer<Index> counts(stream, std::size_t{count} + 1);
  exec::for_each(
      stream, count,
      WriteFacets{strips, first, room.offsets.const_view(), counts.view(), facets.view()});
  return fill_gaps(stream, std::move(facets), room, std::move(counts));
}

}  // namespace tessera::lattice
