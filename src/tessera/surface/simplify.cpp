// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Garland and Heckbert, Surface simplification using quadric error metrics, 1997, many edges at a
// time.
#include "tessera/surface/simplify.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tessera/exec/atomic.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/detail/quadric.h"
#include "tessera/surface/dynamic_mesh.h"
#include "tessera/surface/operators.h"
#include "tessera/surface/update.h"

namespace tessera::surface {
namespace {

using detail::Quadric;
using exec::Buffer;
using exec::View;

/// Quadrics are of positions from a point of the mesh, however far from zero that is.
struct MakeQuadrics {
  DynamicView mesh;
  Vec3d origin;
  View<Quadric> quadrics;
  TESSERA_KERNEL void operator()(Index v) const {
    Quadric sum = Quadric::zero();
    if (mesh.is_vertex(v)) {
      const Vec3d p = mesh.positions[v] - origin;
      mesh.visit_star(v, [&](Index h) {
        const Vec3d area = mesh.area(h / 3);
        const double size = length(area);
        if (!(size > 0)) return true;
        const Vec3d normal = area * (1 / size);
        sum = sum + Quadric::plane(normal, p, size);
        for (const Index side : {h, DynamicView::previous(h)})
          if (mesh.is_line(side)) sum = sum + wall_along(side, normal);
        return true;
      });
    }
    quadrics[v] = sum;
  }
  /// A wall along a border or ridge: what leaves it is as bad as what leaves the surface.
  TESSERA_KERNEL Quadric wall_along(Index h, const Vec3d& normal) const {
    const Vec3d from = mesh.positions[mesh.from(h)];
    const Vec3d along = mesh.positions[mesh.to(h)] - from;
    const Vec3d wall = cross(along, normal);
    const double size = length(wall);
    if (!(size > 0)) return Quadric::zero();
    constexpr double weight = 4;
    return Quadric::plane(wall * (1 / size), from - origin, weight * squared_length(along));
  }
};

/// Draws an edge together where that costs little.
struct CollapseCheap {
  static constexpr Seed seed = Seed::edge;
  static constexpr Index new_faces = 0;
  static constexpr Index new_vertices = 0;
  [[maybe_unused]] static constexpr bool depends_on_ends_alone = true;  // not in rounds
  View<Quadric> quadrics;
  Vec3d origin;
  double limit;

  struct Merger {
    Vec3d position;
    double cost;
  };
  TESSERA_KERNEL Merger merge(const DynamicView& mesh, Index h) const {
    const Index a = mesh.from(h);
    const Index b = mesh.to(h);
    const Quadric sum = quadrics[a] + quadrics[b];
    const Vec3d p = mesh.positions[a] - origin;
    const Vec3d q = mesh.positions[b] - origin;
    Vec3d position = sum.minimum((p + q) * 0.5);
    if (mesh.is_fixed(a)) position = p;
    if (mesh.is_fixed(b)) position = q;
    // An ill-placed minimum far away is none.
    const double size = squared_length(q - p);
    if (squared_length(position - p) > 4 * size && squared_length(position - q) > 4 * size)
      position = (p + q) * 0.5;
    // A little for the length, so that flat parts are thinned out evenly; what rounding makes of no
    // distance there must not weigh more.
    constexpr double evenness = 1e-12;
    constexpr double rounding = 1e-15;
    const double distance = sum.at(position) - rounding * sum.weight * squared_length(position);
    return {position + origin, std::fmax(distance, 0.0) + evenness * sum.weight * size};
  }
  TESSERA_KERNEL bool wants(const DynamicView& mesh, Index h, Wish& wish) const {
    if (mesh.is_fixed(mesh.from(h)) && mesh.is_fixed(mesh.to(h))) return false;
    const Merger merger = merge(mesh, h);
    if (!(merger.cost <= limit) || !(limit > 0)) return false;
    wish.priority = urgency(merger.cost);
    return true;
  }
  /// How many times the cost is below the limit, by the exponent: 2048 steps for a factor of two,
  /// and rounds tell factors of four apart.
  TESSERA_KERNEL std::uint16_t urgency(double cost) const {
    const auto part = static_cast<float>(cost / limit);
    const std::uint32_t steps =
        (std::bit_cast<std::uint32_t>(1.0F) - std::bit_cast<std::uint32_t>(part)) >> 12;
    return static_cast<std::uint16_t>(steps < 65535 ? steps : 65535);
  }
  TESSERA_KERNEL bool can(const DynamicView& mesh, Index h, Wish& wish) const {
    const Vec3d position = merge(mesh, h).position;
    if (!fits(mesh, h, mesh.from(h), position) || !fits(mesh, h, mesh.to(h), position))
      return false;
    const bool goes_on = can_collapse(mesh, h);
    wish.choice = goes_on ? 0 : 1;
    return goes_on || (!mesh.is_border(h) && can_collapse(mesh, mesh.twins[h]));
  }
  /// Whether the faces of a vertex that stay are not turned over when it moves.
  TESSERA_KERNEL bool fits(const DynamicView& mesh, Index h, Index v, const Vec3d& position) const {
    const Vec3d p = mesh.positions[v];
    bool fits = true;
    mesh.visit_star(v, [&](Index e) {
      if (goes_in_collapse(mesh, h, e / 3)) return true;
      const Vec3d a = mesh.positions[mesh.to(e)];
      const Vec3d b = mesh.positions[mesh.opposite(e)];
      const Vec3d before = cross(a - p, b - p);
      const Vec3d after = cross(a - position, b - position);
      constexpr double least_cosine = 0.2;
      fits = dot(before, after) >
             least_cosine * std::sqrt(squared_length(before) * squared_length(after));
      return fits;
    });
    return fits;
  }
  TESSERA_KERNEL void take(const DynamicView& mesh, Index h, Cavity& cavity) const {
    take_collapse(mesh, h, cavity);
  }
  TESSERA_KERNEL void fill(Index h, int choice, Filling& filling) const {
    const DynamicView& mesh = filling.mesh();
    const Index drawn = drawn_half_edge(mesh, h, choice);
    const Index stays = mesh.to(drawn);
    const Merger merger = merge(mesh, h);
    quadrics[stays] = quadrics[stays] + quadrics[mesh.from(drawn)];
    fill_collapse(drawn, merger.position, filling);
  }
};

/// Costs by their exponent, in steps of a quarter: how many edges are below a cost.
struct CountCosts {
  static constexpr int bins = 4096;
  DynamicView mesh;
  CollapseCheap op;
  Index step;  ///< one half-edge of how many is looked at
  View<Index> counts;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index h = step * i;
    if (!mesh.is_edge(h)) return;
    exec::atomic_add(counts[bin_of(op.merge(mesh, h).cost)], Index{1});
  }
  TESSERA_KERNEL static int bin_of(double cost) {
    constexpr double lowest = 1e-300;
    const double at = 4 * (std::log2(cost > lowest ? cost : lowest) + 512);
    return at < 0 ? 0 : at < bins - 1 ? static_cast<int>(at) : bins - 1;
  }
  static double cost_of(int bin) { return std::exp2((bin + 1) / 4.0 - 512); }
};

void pack(DynamicMesh& mesh, Buffer<Quadric>& quadrics) {
  const Buffer<Index> places = mesh.pack();
  if (places.empty()) return;
  Buffer<Quadric> packed(mesh.stream(), places.size());
  exec::gather_values(mesh.stream(), quadrics.const_view(), places.const_view(), packed.view());
  quadrics.swap(packed);
}

}  // namespace

SimplifyResult simplify(const exec::Stream& stream, const TriangleSoup& mesh,
                        const SimplifyOptions& options) {
  DynamicMesh dynamic(stream, mesh);
  if (!mesh.ridges.empty()) dynamic.mark_creases(180);  // none but these; their ends stay
  SimplifyResult result;
  std::uint64_t faces = dynamic.faces();
  const std::uint64_t start = faces;
  const Vec3d origin = mesh.positions.empty() ? Vec3d{} : mesh.positions[0];
  Buffer<Quadric> quadrics(stream, dynamic.vertex_places());
  exec::for_each(stream, dynamic.vertex_places(),
                 MakeQuadrics{dynamic.view(), origin, quadrics.view()});
  Buffer<Index> counts(stream, CountCosts::bins);
  // In patches the cheapest go first; in rounds only few may be allowed at a time.
  const bool is_in_order = stream.backend() == exec::Backend::cpu;
  const double share = is_in_order ? 0.9 : 0.15;  // of the edges that may go at a time
  double patience = 1;                            // more of them where the cheapest cannot go
  double reported = 0;
  bool looks_everywhere = false;  // between patches too, where most that is left may be
  while (faces > options.faces) {
    // A sample is enough where there are many; not a multiple of three.
    const Index step = dynamic.half_edge_places() > 100000 ? 16 : 1;
    exec::fill(stream, counts.view(), 0);
    exec::for_each(stream, dynamic.half_edge_places() / step,
                   CountCosts{dynamic.view(), {quadrics.view(), origin, 0}, step, counts.view()});
    const Array<Index> histogram = exec::download(stream, counts);
    std::uint64_t edges = 0;
    for (const Index n : histogram) edges += n;
    const std::uint64_t left = (faces - options.faces + 1) / 2;
    // Small meshes in more steps, of fewer edges: up to 5 % nearer. Large ones would take a quarter
    // more time for 1 %.
    const double at_a_time = (step == 1 ? 0.5 : 2.5) * static_cast<double>(left) / step + 64;
    const double some_edges = std::min(share * static_cast<double>(edges), at_a_time);
    const std::uint64_t wanted =
        std::min(edges, 1 + static_cast<std::uint64_t>(patience * some_edges));
    int bin = 0;
    for (std::uint64_t below = 0; bin < CountCosts::bins; ++bin)
      if ((below += histogram[static_cast<std::size_t>(bin)]) >= wanted) break;
    UpdateOptions some;
    some.most_rounds = is_in_order ? 30 : 6;
    some.most_operations = left;
    some.looks_again = false;
    some.scheme = looks_everywhere ? Scheme::automatic : Scheme::patches;
    // Nobody knows how many updates it takes: each goes on by half of what is left.
    const double gone =
        static_cast<double>(start - faces) / static_cast<double>(start - options.faces);
    const double reached = std::max(gone, reported);
    reported = (reached + 1) / 2;
    some.progress = part_of(options.progress, "simplifying", reached, reported);
    const UpdateReport done =
        update(dynamic, CollapseCheap{quadrics.view(), origin, CountCosts::cost_of(bin)}, some);
    ++result.rounds;
    result.collapses += done.done;
    faces = dynamic.faces();
    // Where all edges may go and hardly any can, there is no way on.
    if (wanted == edges && done.done * 1000 <= edges * step && looks_everywhere) break;
    patience = done.done * 64 < wanted * step && looks_everywhere ? 4 * patience : 1;
    looks_everywhere = done.done * 5 <= wanted * step;
    if (4 * faces < 3 * std::uint64_t{dynamic.face_places()}) pack(dynamic, quadrics);
  }
  if (options.fitting_steps != 0) {
    dynamic.pack();
    quadrics = Buffer<Quadric>();
    FitOptions fitting;
    fitting.steps = options.fitting_steps;
    fitting.progress = options.progress;
    result.fit = fit(dynamic, Bvh(stream, mesh), fitting);
  }
  result.mesh = dynamic.to_soup();
  return result;
}

}  // namespace tessera::surface
