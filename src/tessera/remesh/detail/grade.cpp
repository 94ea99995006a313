// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Alauzet, Size gradation control of anisotropic meshes, 2010.
#include <cmath>
#include <utility>

#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/reduce.h"
#include "tessera/remesh/detail/metric_mesh.h"

namespace tessera::remesh::detail {
namespace {

using exec::Buffer;
using exec::View;
using surface::DynamicView;

// What is known of a vertex between passes.
constexpr std::uint8_t is_shorter = 1;   ///< than at the start
constexpr std::uint8_t has_changed = 2;  ///< in the last pass

/// What the neighbours that changed allow at a vertex: their own metrics, longer by as much as the
/// factor lets them grow over the edge between.
struct Grade {
  DynamicView mesh;
  View<const Vec3d> normals;
  double logarithm;  ///< of the factor
  View<const Index> vertices;
  View<const SurfaceMetric> from;
  View<const std::uint8_t> states;
  View<SurfaceMetric> to;  ///< of the vertices that are looked at, in their order
  TESSERA_KERNEL void operator()(Index i) const {
    const Index v = vertices[i];
    SurfaceMetric metric = from[v];
    mesh.visit_star(v, [&](Index h) {
      limit(metric, v, mesh.to(h));
      const Index back = DynamicView::previous(h);
      if (mesh.is_border(back)) limit(metric, v, mesh.from(back));
      return true;
    });
    to[i] = metric;
  }
  TESSERA_KERNEL void limit(SurfaceMetric& metric, Index v, Index other) const {
    if ((states[other] & has_changed) == 0) return;
    const SurfaceMetric& source = from[other];
    // Most neighbours have nothing to say, and this is how most of these are told: one that asks
    // for no shorter edges in any direction than this vertex does in every one.
    const double most = source.along > source.across ? source.along : source.across;
    const double least = metric.along < metric.across ? metric.along : metric.across;
    if (most <= least) return;
    const Vec3d edge = mesh.positions[other] - mesh.positions[v];
    const double steps = std::sqrt(source.squared_length_of(normals[other], edge));
    const double grown = 1 + steps * logarithm;
    const double scale = 1 / (grown * grown);
    if (most * scale <= least) return;
    SurfaceMetric carried = transported(source, normals[other], normals[v]);
    carried.along *= scale;
    carried.across *= scale;
    const SurfaceMetric both = intersected(metric, carried, normals[v]);
    if (both.density() > metric.density() * (1 + 1e-9)) metric = both;
  }
};

struct ForgetChange {
  View<const Index> vertices;
  View<std::uint8_t> states;
  TESSERA_KERNEL void operator()(Index i) const { states[vertices[i]] &= is_shorter; }
};

/// Takes what is noticeably shorter, and nothing else: so a vertex that looks unchanged is.
struct Store {
  double noticed;  ///< how many times as dense
  View<const Index> vertices;
  View<const SurfaceMetric> from;
  View<SurfaceMetric> metrics;
  View<std::uint8_t> states;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index v = vertices[i];
    if (!(from[i].density() > noticed * metrics[v].density())) return;
    metrics[v] = from[i];
    states[v] = is_shorter | has_changed;
  }
};

struct HasChanged {
  View<const std::uint8_t> states;
  TESSERA_KERNEL bool operator()(Index v) const { return (states[v] & has_changed) != 0; }
};
struct HasChanging {
  View<const Index> marks;
  Index pass;
  TESSERA_KERNEL bool operator()(Index v) const { return marks[v] == pass; }
};

/// The vertices beside one that has changed are to look at it.
struct WakeNeighbours {
  DynamicView mesh;
  View<const Index> changed;
  Index pass;
  View<Index> marks;
  TESSERA_KERNEL void operator()(Index i) const {
    mesh.visit_star(changed[i], [&](Index h) {
      exec::atomic_store(marks[mesh.to(h)], pass);
      const Index back = DynamicView::previous(h);
      if (mesh.is_border(back)) exec::atomic_store(marks[mesh.from(back)], pass);
      return true;
    });
  }
};

/// To begin with all vertices look at all of their neighbours.
struct StartState {
  DynamicView mesh;
  View<std::uint8_t> states;
  View<Index> marks;
  TESSERA_KERNEL void operator()(Index v) const {
    if (mesh.is_vertex(v)) states[v] |= has_changed;
    marks[v] = mesh.is_vertex(v) ? 0 : no_index;
  }
};

struct CountShorter {
  View<const std::uint8_t> states;
  TESSERA_KERNEL std::uint64_t operator()(Index v) const {
    return (states[v] & is_shorter) != 0 ? 1 : 0;
  }
};

}  // namespace

GradationReport grade(MetricMesh& mesh, Metrics& metrics, double factor,
                      const ProgressCallback& progress) {
  const exec::Stream& stream = mesh.stream();
  const Index n = mesh.places();
  const DynamicView view = mesh.view();
  Buffer<std::uint8_t> states(stream, n);
  Buffer<Index> marks(stream, n);  // of vertices beside a change: the pass after it
  Buffer<Index> awake(stream, n);
  Buffer<Index> changed(stream, n);
  Metrics next(stream, n);
  GradationReport report;
  Progress told(progress, "grading", 0);
  exec::fill(stream, states.view(), 0);
  // Large changes first, until there are none: the small ones that they bring along on their way
  // are then made once, not over and over. A million points with a front: 1.6 s, in one go 4.2 s.
  for (const double noticed : {1.05, 1.002}) {
    exec::for_each(stream, n, StartState{view, states.view(), marks.view()});
    // Only vertices beside those that changed are looked at again: fronts of short edges move by an
    // edge in each pass, and there are hundreds of these.
    constexpr Index most_passes = 10000;
    Index count = exec::compact(stream, n, HasChanging{marks.const_view(), 0}, awake.view());
    Index changes = count;
    exec::copy_on_device(stream, changed.view().subview(0, count),
                         awake.const_view().subview(0, count));
    for (Index pass = 1; count > 0 && pass <= most_passes; ++pass) {
      const View<const Index> vertices = awake.const_view().subview(0, count);
      exec::for_each(stream, count,
                     Grade{view, mesh.normals(), std::log(factor), vertices, metrics.const_view(),
                           states.const_view(), next.view()});
      exec::for_each(stream, changes,
                     ForgetChange{changed.const_view().subview(0, changes), states.view()});
      exec::for_each(stream, count,
                     Store{noticed, vertices, next.const_view(), metrics.view(), states.view()});
      changes = exec::compact(stream, n, HasChanged{states.const_view()}, changed.view());
      exec::for_each(
          stream, changes,
          WakeNeighbours{view, changed.const_view().subview(0, changes), pass, marks.view()});
      count = exec::compact(stream, n, HasChanging{marks.const_view(), pass}, awake.view());
      ++report.passes;
      told.advance(0);
    }
  }
  report.shortened =
      exec::reduce(stream, n, std::uint64_t{0}, CountShorter{states.const_view()}, exec::Plus{});
  return report;
}

}  // namespace tessera::remesh::detail
