// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tessera/core/lattice_block.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/vec.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/exec/prefetch.h"
#include "tessera/exec/view.h"

namespace tessera::lattice {

/// One arc of a loop: where it starts, and what it borders on. It ends where the next one of its
/// loop starts, and all that lies between follows from the two struts; so 128 bits are enough, and
/// every strut at a junction has the very same point.
struct Arc {
  Vec3f start;  ///< from the node, in the lattice's units
  std::uint32_t link;

  static constexpr std::uint32_t on_ball_bit = std::uint32_t{1} << 30;
  static constexpr std::uint32_t long_bit = std::uint32_t{1} << 31;

  /// The strut on the other side: end e is the end e % 2 of strut e / 2.
  constexpr Index neighbour() const { return link & (on_ball_bit - 1); }
  /// Circular, on the node's ball, or elliptical, on the cones of both struts?
  constexpr bool is_on_ball() const { return (link & on_ball_bit) != 0; }
  /// More than half around?
  constexpr bool is_long() const { return (link & long_bit) != 0; }
};

/// Arcs as a structure of arrays: the words of neighbouring arcs lie side by side, as the threads
/// that read them do.
template <class Float, class Word>
struct BasicArcsView {
  exec::View<Float> x;
  exec::View<Float> y;
  exec::View<Float> z;
  exec::View<Word> link;

  TESSERA_KERNEL Index neighbour(Index i) const { return Arc{{}, link[i]}.neighbour(); }
  TESSERA_KERNEL Vec3f start(Index i) const { return {x[i], y[i], z[i]}; }
  TESSERA_KERNEL Arc operator[](Index i) const { return {start(i), link[i]}; }
  void prefetch(Index i) const {
    exec::prefetch(x[i]);
    exec::prefetch(y[i]);
    exec::prefetch(z[i]);
    exec::prefetch(link[i]);
  }
  TESSERA_KERNEL void set(Index i, const Arc& arc) const {
    x[i] = arc.start[0];
    y[i] = arc.start[1];
    z[i] = arc.start[2];
    link[i] = arc.link;
  }
};
using ArcsView = BasicArcsView<const float, const std::uint32_t>;

/// Arcs in words: x of all, y of all, z of all, links of all.
template <class Float, class Word>
BasicArcsView<Float, Word> split_arcs(Word* words, std::size_t arcs) {
  auto* const floats = reinterpret_cast<Float*>(words);
  return {
      {floats, arcs}, {floats + arcs, arcs}, {floats + 2 * arcs, arcs}, {words + 3 * arcs, arcs}};
}
inline ArcsView split_arcs(std::span<const std::uint32_t> words) {
  return split_arcs<const float>(words.data(), words.size() / 4);
}

/// What struts had to be treated apart from the others of their nodes. Such a strut is a closed
/// capsule of its own; the solid is the same, only its surface passes through others.
struct MetaReport {
  std::uint64_t capsules = 0;   ///< shorter than a neighbour needs, nearly parallel to it, or its
                                ///< radius differs from the neighbour's
  std::uint64_t swallowed = 0;  ///< within the ball of one of their ends: meshed as that ball
  std::uint64_t pinched = 0;    ///< both radii are zero: no volume, nothing to mesh
  std::uint64_t closed_nodes =
      0;  ///< whose loops did not fit: each strut is closed by its own cap there
};

namespace detail {
struct MetaMeshData;
}

/// The boundary of a lattice in its fewest parts: for each end of each strut the loop of arcs that
/// ends it, on the device. Triangulated at any resolution (triangulate.h).
class MetaMesh {
 public:
  Index nodes() const;
  Index struts() const;
  Index arcs() const;
  const MetaReport& report() const { return report_; }

  /// Loop e, that of end e, has the arcs loops()[e] .. loops()[e + 1] - 1, counter-clockwise seen
  /// from the strut's middle. No arcs: the strut ends in a cap of its own.
  exec::View<const Index> loops() const { return loops_.const_view(); }
  ArcsView arc_views() const;
  /// The same as they are stored: x of all, y of all, z of all, links of all.
  exec::View<const std::uint32_t> words() const { return arcs_.const_view(); }
  const exec::Stream& stream() const { return stream_; }

  ~MetaMesh();
  MetaMesh(MetaMesh&&) noexcept;
  MetaMesh& operator=(MetaMesh&&) noexcept;

  /// What triangulate() needs besides.
  const detail::MetaMeshData& data() const { return *data_; }

 private:
  friend MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeGraph& graph,
                                  Index first, Index count);
  friend MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeBlock& block);
  friend MetaMesh upload_meta_mesh(const exec::Stream& stream, const LatticeBlock& block);
  explicit MetaMesh(const exec::Stream& stream);

  exec::Stream stream_;
  std::unique_ptr<detail::MetaMeshData> data_;
  exec::Buffer<Index> loops_;
  exec::Buffer<std::uint32_t> arcs_;  ///< x of all, y of all, z of all, links of all
  MetaReport report_;
};

/// The loops of some of a graph's struts, from number `first` on; others have none, and are not in
/// the report. Throws InputError if the graph is not valid, the struts do not exist, or a node has
/// so many struts that their pairs are more than 32 bits can number (about 45 thousand).
MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeGraph& graph, Index first,
                         Index count);
/// Of all struts.
MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeGraph& graph);
/// Of a block's own struts.
MetaMesh build_meta_mesh(const exec::Stream& stream, const LatticeBlock& block);

/// The loops of a block's own struts in host memory, to keep them in a file.
ArcLoops download_loops(const MetaMesh& mesh, const LatticeBlock& block);
/// The meta-mesh of a block that has its arcs; its report is empty. Throws InputError if the graph
/// and the arcs do not fit each other.
MetaMesh upload_meta_mesh(const exec::Stream& stream, const LatticeBlock& block);

}  // namespace tessera::lattice
