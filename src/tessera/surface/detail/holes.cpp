// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/holes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tessera/surface/detail/geometry.h"

// The smallest area by dynamic programming over the diagonals of the ring: Barequet and Sharir,
// "Filling gaps in the boundary of a polyhedron" (1995); folds as in Liepa, "Filling holes in
// meshes" (2003).

namespace tessera::surface::detail {
namespace {

/// Time grows with the cube and memory with the square of a ring's edges: 0.13 s at this size.
constexpr std::size_t max_optimal_edges = 300;

std::uint64_t edge_key(Index a, Index b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

/// A ring of boundary edges, in the direction in which new faces use them.
struct Ring {
  std::vector<Index> vertices;
  std::vector<Index> opposite;  ///< opposite[i] belongs to the edge from vertex i to the next one
  bool fillable = false;        ///< closed and of one direction
};

/// Follows boundary edges from fan to fan. A fan has at most two of them; where it has one (its
/// other end is a non-manifold edge), the chain is open.
class RingWalker {
 public:
  explicit RingWalker(const Array<BoundaryEdge>& boundary)
      : boundary_(boundary), visited_(boundary.size(), false) {
    for (std::size_t i = 0; i < boundary.size(); ++i) {
      add(boundary[i].from_fan, i);
      add(boundary[i].to_fan, i);
    }
  }

  std::vector<Ring> walk() {
    std::vector<Ring> rings;
    // Chains first, from one of their ends, so that each is met once.
    for (const bool chains : {true, false})
      for (std::size_t i = 0; i < boundary_.size(); ++i)
        if (!visited_[i] && (!chains || is_end(boundary_[i]))) rings.push_back(follow(i));
    return rings;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Pair {
    std::size_t first = none;
    std::size_t second = none;
  };

  void add(Index fan, std::size_t edge) {
    Pair& pair = at_fan_[fan];
    (pair.first == none ? pair.first : pair.second) = edge;
  }

  bool is_end(const BoundaryEdge& edge) const {
    return at_fan_.at(edge.from_fan).second == none || at_fan_.at(edge.to_fan).second == none;
  }

  Ring follow(std::size_t start) {
    Ring ring;
    ring.fillable = true;
    std::size_t edge = start;
    // At the open end of a chain the walk must leave by the other one.
    bool forward = at_fan_.at(boundary_[start].to_fan).second != none;
    while (!visited_[edge]) {
      visited_[edge] = true;
      const BoundaryEdge& e = boundary_[edge];
      ring.vertices.push_back(e.to);
      ring.opposite.push_back(e.opposite);
      ring.fillable &= forward;
      const Index fan = forward ? e.to_fan : e.from_fan;
      const Pair& pair = at_fan_.at(fan);
      if (pair.second == none) {
        ring.fillable = false;
        return ring;
      }
      edge = pair.first == edge ? pair.second : pair.first;
      forward = boundary_[edge].from_fan == fan;
    }
    ring.fillable &= edge == start;
    // New faces use the edges against the direction in which the old ones do.
    std::reverse(ring.vertices.begin(), ring.vertices.end());
    std::reverse(ring.opposite.begin(), ring.opposite.end());
    return ring;
  }

  const Array<BoundaryEdge>& boundary_;
  std::unordered_map<Index, Pair> at_fan_;
  std::vector<bool> visited_;
};

class RingFiller {
 public:
  RingFiller(const Array<Vec3d>& positions, const Array<VertexPair>& rim_edges)
      : positions_(positions), rim_edges_(rim_edges) {}

  /// Faces that close the ring, or none.
  std::vector<Triangle> fill(const Ring& ring) {
    const std::size_t n = ring.vertices.size();
    std::vector<Triangle> faces;
    if (n < 3) return faces;
    if (n == 3) {
      const auto& v = ring.vertices;
      // The edge from vertex 0 to 1 has one face: is it this one?
      if (ring.opposite[0] != v[2]) faces.push_back({v[0], v[1], v[2]});
    } else if (n <= max_optimal_edges) {
      faces = smallest_area(ring);
    }
    if (n > 3 && faces.empty()) faces = clip_ears(ring.vertices);
    if (n > 3) remember_diagonals(ring.vertices, faces);
    return faces;
  }

 private:
  /// What a triangulation costs, the most important first. Rounding must not decide: a flat ring
  /// has the same area in every way, and then short diagonals make the best triangles.
  struct Weight {
    Index degenerate = no_index;  ///< faces; no_index where there is no triangulation
    double area = 0;
    double fold = 0;       ///< 1 - cosine of the largest angle between neighbours
    double diagonals = 0;  ///< sum of their lengths

    bool possible() const { return degenerate != no_index; }
    Weight operator+(const Weight& other) const {
      return {degenerate + other.degenerate, area + other.area, std::max(fold, other.fold),
              diagonals + other.diagonals};
    }
    bool operator<(const Weight& other) const {
      if (degenerate != other.degenerate) return degenerate < other.degenerate;
      if (const double d = other.area - area; std::abs(d) > 1e-12 * area) return d > 0;
      if (const double d = other.fold - fold; std::abs(d) > 1e-9) return d > 0;
      return diagonals < other.diagonals;
    }
  };

  bool taken(Index a, Index b) const {
    if (a == b || made_.contains(edge_key(a, b))) return true;
    const VertexPair edge{std::min(a, b), std::max(a, b)};
    return std::binary_search(rim_edges_.begin(), rim_edges_.end(), edge,
                              [](const VertexPair& x, const VertexPair& y) {
                                return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
                              });
  }

  Vec3d normal(Index a, Index b, Index c) const {
    return cross(positions_[b] - positions_[a], positions_[c] - positions_[a]);
  }

  static double fold_between(const Vec3d& a, const Vec3d& b) {
    const double lengths = length(a) * length(b);
    return lengths > 0 ? 1 - dot(a, b) / lengths : 0;
  }

  std::vector<Triangle> smallest_area(const Ring& ring) const {
    const std::vector<Index>& v = ring.vertices;
    const std::size_t n = v.size();
    // Entry (i, k): the part of the ring from vertex i to vertex k, closed by the diagonal i-k.
    struct Part {
      Weight weight;
      Vec3d normal{};  ///< of the face at the diagonal
      std::size_t apex = 0;
    };
    std::vector<Part> parts(n * n);
    const auto part = [&](std::size_t i, std::size_t k) -> Part& { return parts[i * n + k]; };
    for (std::size_t i = 0; i + 1 < n; ++i)
      part(i, i + 1) = {{0, 0, 0, 0}, normal(v[i + 1], v[i], ring.opposite[i]), 0};
    const Vec3d last = normal(v[0], v[n - 1], ring.opposite[n - 1]);
    for (std::size_t span = 2; span < n; ++span) {
      const bool whole = span == n - 1;
      for (std::size_t i = 0; i + span < n; ++i) {
        const std::size_t k = i + span;
        if (!whole && taken(v[i], v[k])) continue;
        const double diagonal = whole ? 0 : length(positions_[v[i]] - positions_[v[k]]);
        Part& best = part(i, k);
        for (std::size_t j = i + 1; j < k; ++j) {
          const Part& left = part(i, j);
          const Part& right = part(j, k);
          if (!left.weight.possible() || !right.weight.possible()) continue;
          const Triangle face{v[i], v[j], v[k]};
          const Vec3d n_face = normal(v[i], v[j], v[k]);
          double fold =
              std::max(fold_between(n_face, left.normal), fold_between(n_face, right.normal));
          if (whole) fold = std::max(fold, fold_between(n_face, last));
          const bool flat =
              is_degenerate(face, positions_[v[i]], positions_[v[j]], positions_[v[k]]);
          const Weight weight = left.weight + right.weight +
                                Weight{flat ? 1u : 0u, 0.5 * length(n_face), fold, diagonal};
          if (weight < best.weight) best = {weight, n_face, j};
        }
      }
    }
    std::vector<Triangle> faces;
    if (part(0, n - 1).apex == 0) return faces;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, n - 1}};
    std::unordered_set<std::uint64_t> diagonals;
    while (!open.empty()) {
      const auto [i, k] = open.back();
      open.pop_back();
      if (k - i < 2) continue;
      // A ring that meets a vertex twice could use one diagonal in two places.
      if (!diagonals.insert(edge_key(v[i], v[k])).second) return {};
      const std::size_t j = part(i, k).apex;
      faces.push_back({v[i], v[j], v[k]});
      open.push_back({j, k});
      open.push_back({i, j});
    }
    return faces;
  }

  /// Angle inside the ring at b, 0 to 2 pi, seen along the ring's mean normal.
  double inner_angle(Index a, Index b, Index c, const Vec3d& up) const {
    const Vec3d before = positions_[a] - positions_[b];
    const Vec3d after = positions_[c] - positions_[b];
    const double angle = std::atan2(dot(cross(after, before), up), dot(after, before));
    return angle < 0 ? angle + 2 * std::numbers::pi : angle;
  }

  /// Takes the corner with the smallest angle off the ring, again and again.
  std::vector<Triangle> clip_ears(const std::vector<Index>& v) const {
    const std::size_t n = v.size();
    Vec3d up{};
    for (std::size_t i = 0; i < n; ++i)
      up +=
          cross(positions_[v[i]] - positions_[v[0]], positions_[v[(i + 1) % n]] - positions_[v[0]]);
    if (const double l = length(up); l > 0) up *= 1 / l;

    std::vector<std::size_t> previous(n);
    std::vector<std::size_t> next(n);
    std::vector<std::uint32_t> version(n, 0);  // of a corner; queue entries of older ones are void
    struct Ear {
      double angle;
      std::size_t corner;
      std::uint32_t version;
      bool operator<(const Ear& other) const {  // the queue's top is its largest
        return angle != other.angle ? angle > other.angle : corner > other.corner;
      }
    };
    std::priority_queue<Ear> ears;
    const auto push = [&](std::size_t i) {
      ears.push({inner_angle(v[previous[i]], v[i], v[next[i]], up), i, ++version[i]});
    };
    for (std::size_t i = 0; i < n; ++i) {
      previous[i] = (i + n - 1) % n;
      next[i] = (i + 1) % n;
    }
    for (std::size_t i = 0; i < n; ++i) push(i);

    std::vector<Triangle> faces;
    std::unordered_set<std::uint64_t> diagonals;
    while (!ears.empty()) {
      const Ear ear = ears.top();
      ears.pop();
      const std::size_t i = ear.corner;
      if (ear.version != version[i]) continue;
      const std::size_t a = previous[i];
      const std::size_t c = next[i];
      const bool final = faces.size() + 3 == n;
      if (!final) {
        if (taken(v[a], v[c]) || diagonals.contains(edge_key(v[a], v[c]))) continue;
        diagonals.insert(edge_key(v[a], v[c]));
      } else if (v[a] == v[c]) {
        return {};
      }
      faces.push_back({v[a], v[i], v[c]});
      if (final) return faces;
      ++version[i];
      next[a] = c;
      previous[c] = a;
      push(a);
      push(c);
    }
    return {};
  }

  void remember_diagonals(const std::vector<Index>& v, const std::vector<Triangle>& faces) {
    std::unordered_set<std::uint64_t> rim;
    for (std::size_t i = 0; i < v.size(); ++i) rim.insert(edge_key(v[i], v[(i + 1) % v.size()]));
    for (const Triangle& t : faces)
      for (int k = 0; k < 3; ++k) {
        const std::uint64_t key = edge_key(t[k], t[(k + 1) % 3]);
        if (!rim.contains(key)) made_.insert(key);
      }
  }

  const Array<Vec3d>& positions_;
  const Array<VertexPair>& rim_edges_;
  std::unordered_set<std::uint64_t> made_;  ///< diagonals of the rings filled so far
};

}  // namespace

HoleFilling fill_holes(const Array<Vec3d>& positions, const Array<BoundaryEdge>& boundary,
                       const Array<VertexPair>& rim_edges, std::uint64_t max_edges,
                       const ProgressCallback& callback) {
  Progress progress(callback, "filling holes", boundary.size());
  HoleFilling result;
  RingFiller filler(positions, rim_edges);
  for (const Ring& ring : RingWalker(boundary).walk()) {
    const bool wanted = ring.fillable && (max_edges == 0 || ring.vertices.size() <= max_edges);
    const std::vector<Triangle> faces = wanted ? filler.fill(ring) : std::vector<Triangle>{};
    ++(faces.empty() ? result.skipped : result.filled);
    result.faces.insert(result.faces.end(), faces.begin(), faces.end());
    progress.advance(ring.vertices.size());
  }
  return result;
}

}  // namespace tessera::surface::detail
