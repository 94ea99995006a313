// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/bilateral.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tessera/core/error.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/detail/vertex_faces.h"
#include "tessera/surface/relation.h"

// Fleishman, Drori, Cohen-Or, "Bilateral mesh denoising" (2003), with the neighbourhoods of the
// dissertation of Mahmoud, section 4.5.3.

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

/// How many vertices a walk can visit in the first pass. Three rings of a regular mesh have 36,
/// four have 60.
constexpr std::size_t narrow_walk = 128;
/// How much more room each further pass has.
constexpr std::size_t widening = 8;
/// The most numbers that the walks of one wide launch have room for together, unless one alone
/// needs more.
constexpr std::size_t wide_room = std::size_t{1} << 25;

struct ComputeNormal {
  detail::VertexFacesView mesh;
  AttributeView<Vertex, const Vec3f> position;
  AttributeView<Vertex, Vec3f> normal;

  TESSERA_KERNEL void operator()(Index i) const {
    const Vertex v{i};
    Vec3f sum{};
    float scale = 0;
    for (const Face f : mesh.faces[v]) {
      const detail::Corner corner = mesh.corner(f, v);
      if (corner.next == v || corner.previous == v || corner.next == corner.previous) continue;
      const Vec3f a = position[corner.next] - position[v];
      const Vec3f b = position[corner.previous] - position[v];
      sum += cross(a, b);
      scale += squared_length(a) + squared_length(b);
    }
    // What is smaller is the rounding of normals that cancel out.
    const float size = length(sum);
    normal[v] = size > 1e-6F * scale ? sum * (1 / size) : Vec3f{};
  }
};

/// The vertices around one, ring after ring, in an order that the mesh alone decides; in memory of
/// the caller's.
class Walk {
 public:
  /// How many numbers of memory a walk over up to `capacity` vertices, a power of two, takes: a
  /// list of them and a hash table that is never more than about half full. With bisection in
  /// sorted rings instead, five iterations over half a million vertices took 9.5 s on two threads,
  /// not 2.7 s.
  TESSERA_KERNEL static constexpr std::size_t room(std::size_t capacity) { return 3 * capacity; }

  TESSERA_KERNEL Walk(RelationView<Vertex, Vertex> neighbours, Index* memory, std::size_t capacity)
      : neighbours_(neighbours), list_(memory), table_(memory + capacity), capacity_(capacity) {
    for (std::size_t i = 0; i < 2 * capacity; ++i) table_[i] = no_index;
    while ((std::size_t{1} << (64 - shift_)) < 2 * capacity) --shift_;
  }

  /// Begins with the neighbours of a vertex. False if there is no room, as below.
  TESSERA_KERNEL bool start(Vertex centre) {
    is_new(centre);
    return add_neighbours(centre);
  }

  /// Adds the next ring.
  TESSERA_KERNEL bool grow() {
    const std::size_t begin = ring_;
    ring_ = size_;
    for (std::size_t i = begin; i < ring_; ++i)
      if (!add_neighbours(Vertex{list_[i]})) return false;
    return true;
  }

  /// Where the last ring begins.
  TESSERA_KERNEL std::size_t ring() const { return ring_; }
  TESSERA_KERNEL std::size_t size() const { return size_; }
  TESSERA_KERNEL Vertex operator[](std::size_t i) const { return {list_[i]}; }

 private:
  TESSERA_KERNEL bool add_neighbours(Vertex v) {
    for (const Vertex w : neighbours_[v]) {
      if (!is_new(w)) continue;
      if (size_ == capacity_) return false;
      list_[size_++] = w.index;
    }
    return true;
  }

  /// Whether the table did not have the vertex; now it does.
  TESSERA_KERNEL bool is_new(Vertex v) {
    const std::size_t mask = 2 * capacity_ - 1;
    std::size_t slot = (v.index * std::uint64_t{0x9E3779B97F4A7C15}) >> shift_;
    for (; table_[slot] != no_index; slot = (slot + 1) & mask)
      if (table_[slot] == v.index) return false;
    table_[slot] = v.index;
    return true;
  }

  RelationView<Vertex, Vertex> neighbours_;
  Index* list_;
  Index* table_;
  std::size_t capacity_;
  int shift_ = 64 - 1;
  std::size_t ring_ = 0;
  std::size_t size_ = 0;
};

/// Moves one vertex.
struct MoveVertex {
  RelationView<Vertex, Vertex> neighbours;
  AttributeView<Vertex, const Vec3f> normal;
  AttributeView<Vertex, const Vec3f> from;
  AttributeView<Vertex, Vec3f> to;

  /// With memory for a walk over `capacity` vertices; false if it visits more.
  TESSERA_KERNEL bool operator()(Vertex v, Index* memory, std::size_t capacity) const {
    const Vec3f p = from[v];
    const Vec3f n = normal[v];
    to[v] = p;
    const float shortest = shortest_edge(v);  // squared, as all distances here
    if (shortest == 0 || n == Vec3f{}) return true;
    const float ball = 4 * shortest;

    Walk walk(neighbours, memory, capacity);
    if (!walk.start(v)) return false;
    // Heights may be alike and far from zero, where their variance in float would be rounding.
    double sum = 0;
    double squares = 0;
    float lowest = 2 * ball / std::sqrt(shortest);  // all are lower
    Index inside = 0;
    while (true) {
      const Index before = inside;
      for (std::size_t i = walk.ring(); i < walk.size(); ++i) {
        const Vec3f q = from[walk[i]] - p;
        if (squared_length(q) > ball) continue;
        const float h = dot(n, q);
        sum += h;
        squares += static_cast<double>(h) * h;
        if (std::abs(h) < lowest) lowest = std::abs(h);
        ++inside;
      }
      if (inside == before) break;
      if (!walk.grow()) return false;
    }
    const double mean = sum / inside;
    const auto variance = static_cast<float>(squares / inside - mean * mean);
    // Below that, rounding of float would decide among heights that are alike.
    const float least_variance = 1e-6F * shortest;
    const float by_distance = 0.5F / shortest;
    const float by_height = 0.5F / (variance > least_variance ? variance : least_variance);

    // Heights count from the lowest: a common factor of all weights, without which they would all
    // be zero at a vertex that sticks out of a smooth surface.
    float weights = 0;
    float heights = 0;
    for (std::size_t i = 0; i < walk.ring(); ++i) {
      const Vec3f q = from[walk[i]] - p;
      const float distance = squared_length(q);
      if (distance > ball) continue;
      const float h = dot(n, q);
      // As a product, which is zero for the lowest even where multiplications are fused.
      const float above = (std::abs(h) - lowest) * (std::abs(h) + lowest);
      const float weight = std::exp(-distance * by_distance - above * by_height);
      weights += weight;
      heights += weight * h;
    }
    to[v] = p + n * (heights / weights);
    return true;
  }

  TESSERA_KERNEL float shortest_edge(Vertex v) const {
    float shortest = 0;
    for (const Vertex w : neighbours[v]) {
      const float size = squared_length(from[w] - from[v]);
      // Shorter ones are rounding, and their reciprocals infinite.
      if (size > 1e-30F && (shortest == 0 || size < shortest)) shortest = size;
    }
    return shortest;
  }
};

/// With memory on the thread's own stack; marks the vertices that need more.
struct MoveNarrow {
  MoveVertex move;
  View<char> is_wide;
  TESSERA_KERNEL void operator()(Index v) const {
    Index memory[Walk::room(narrow_walk)];
    is_wide[v] = move(Vertex{v}, memory, narrow_walk) ? 0 : 1;
  }
};

/// With memory of the device, for some of the vertices.
struct MoveWide {
  MoveVertex move;
  View<char> is_wide;
  View<const Index> vertices;
  View<Index> memory;
  std::size_t capacity;
  TESSERA_KERNEL void operator()(std::size_t i) const {
    const Index v = vertices[i];
    Index* own = memory.data() + i * Walk::room(capacity);
    is_wide[v] = move(Vertex{v}, own, capacity) ? 0 : 1;
  }
};

struct IsWide {
  View<const char> is_wide;
  TESSERA_KERNEL bool operator()(Index v) const { return is_wide[v] != 0; }
};

/// Moves all vertices; returns how many did not fit the first pass.
Index move_all(const exec::Stream& stream, const MoveVertex& move, Index vertices) {
  Buffer<char> is_wide(stream, vertices);
  exec::for_each(stream, vertices, MoveNarrow{move, is_wide.view()});
  Buffer<Index> wide(stream, vertices);
  const auto find_wide = [&] {
    return exec::compact(stream, vertices, IsWide{is_wide.const_view()}, wide.view());
  };
  const Index first = find_wide();
  std::size_t capacity = narrow_walk;
  for (Index left = first; left > 0; left = find_wide()) {
    capacity = std::min(capacity * widening, std::bit_ceil(std::size_t{vertices}));
    const std::size_t batch =
        std::clamp<std::size_t>(wide_room / Walk::room(capacity), 1, std::size_t{left});
    Buffer<Index> memory(stream, batch * Walk::room(capacity));
    for (std::size_t i = 0; i < left; i += batch) {
      const std::size_t count = std::min(batch, left - i);
      exec::for_each(stream, count,
                     MoveWide{move, is_wide.view(), wide.const_view().subview(i, count),
                              memory.view(), capacity});
    }
  }
  return first;
}

}  // namespace

BilateralResult bilateral_denoise(const PatchedMesh& mesh, VertexAttribute<Vec3f>& positions,
                                  const BilateralOptions& options) {
  detail::require_values(mesh, positions);
  if (options.iterations < 0)
    throw InputError(std::to_string(options.iterations) +
                     " iterations of bilateral denoising: it must be at least 0");
  BilateralResult result;
  if (options.iterations == 0) return result;
  const exec::Stream& stream = mesh.stream();
  Progress progress(options.progress, "denoising",
                    static_cast<std::uint64_t>(options.iterations) + 1);
  const detail::VertexFaces faces = detail::vertex_faces(mesh);
  const Relation<Vertex, Vertex> neighbours = collect<Op::vv>(mesh);
  progress.advance(1);
  VertexAttribute<Vec3f> from(mesh, positions.name());
  VertexAttribute<Vec3f> to(mesh, positions.name());
  VertexAttribute<Vec3f> normal(mesh, "normal");
  exec::copy_on_device(stream, from.view().values(), positions.const_view().values());
  for (; result.iterations < options.iterations; ++result.iterations) {
    exec::for_each(stream, mesh.vertices(),
                   ComputeNormal{faces.view(), from.const_view(), normal.view()});
    result.wide_walks += move_all(
        stream, MoveVertex{neighbours.view(), normal.const_view(), from.const_view(), to.view()},
        mesh.vertices());
    from.swap(to);
    progress.advance(1);
  }
  positions.swap(from);
  return result;
}

}  // namespace tessera::surface
