// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// From "face f is in patch p" to patches that know all about what they own. Each step finds pairs
// (patch, element), sorts them and drops repeated ones, so the result does not depend on the order
// in which threads come along.
//
// A patch's ribbon is smaller than in the dissertation, which takes all faces around all vertices
// of the patch: here it is the faces around the vertices that the patch owns, and those across the
// edges of its faces. Nothing else is needed to answer queries about what it owns.
#include "tessera/surface/detail/patch_build.h"

#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/append.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/exec/team.h"
#include "tessera/surface/detail/patch_layout.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

/// An edge with more faces than this would make the ribbons of its patches grow with the square.
constexpr Index max_faces_at_edge = 1024;

/// A patch and the place of an element, as one number to sort by.
struct PairKeys {
  int element_bits;

  TESSERA_KERNEL std::uint64_t make(Index patch, Index element) const {
    return (std::uint64_t{patch} << element_bits) | element;
  }
  TESSERA_KERNEL Index patch(std::uint64_t key) const {
    return static_cast<Index>(key >> element_bits);
  }
  TESSERA_KERNEL Index element(std::uint64_t key) const {
    return static_cast<Index>(key & ((std::uint64_t{1} << element_bits) - 1));
  }
};

// Sources of pairs: source(i, found) calls found(key) for what item i brings into ribbons, some of
// it more than once.

/// A face comes into the ribbon of the patch that owns one of its vertices.
struct FacesAroundVertices {
  LayoutView layout;
  PairKeys keys;
  template <class Found>
  TESSERA_KERNEL void operator()(Index i, Found& found) const {
    const Index own = layout.face_patch[i];
    Index last = own;
    for (Index k = 0; k < 3; ++k) {
      const Index owner = layout.vertex_patch[layout.corners[3 * i + k]];
      if (owner != own && owner != last) found(keys.make(owner, i));
      last = owner;
    }
  }
};

/// Faces of different patches at one edge are in each other's ribbons.
struct FacesAcrossEdges {
  EdgeView edges;
  View<const Index> face_place;
  View<const Index> face_patch;
  PairKeys keys;
  template <class Found>
  TESSERA_KERNEL void operator()(Index e, Found& found) const {
    const Index n = edges.count(e);
    for (Index i = 0; i < n; ++i) {
      const Index place = face_place[edges.half_edge(e, i) / 3];
      for (Index j = 0; j < i; ++j) {
        const Index other = face_place[edges.half_edge(e, j) / 3];
        if (face_patch[place] == face_patch[other]) continue;
        found(keys.make(face_patch[place], other));
        found(keys.make(face_patch[other], place));
      }
    }
  }
};

/// What a face has for sides or corners and a patch that holds the face does not own.
struct ForeignElements {
  View<const Index> begin;     ///< of the elements that each patch owns
  View<const Index> elements;  ///< three for each face, by place
  PairKeys keys;
  template <class Found>
  TESSERA_KERNEL void operator()(Index patch, Index face, Found& found) const {
    const Index first = begin[patch];
    const Index last = begin[patch + 1];
    for (Index k = 0; k < 3; ++k) {
      const Index element = elements[3 * face + k];
      if (element < first || element >= last) found(keys.make(patch, element));
    }
  }
};

/// ... of faces that their patch owns, by place.
struct ForeignOfOwned {
  ForeignElements foreign;
  View<const Index> face_patch;
  template <class Found>
  TESSERA_KERNEL void operator()(Index i, Found& found) const {
    foreign(face_patch[i], i, found);
  }
};

/// ... of faces in ribbons, by pair.
struct ForeignOfRibbon {
  ForeignElements foreign;
  View<const std::uint64_t> ribbons;
  PairKeys keys;
  template <class Found>
  TESSERA_KERNEL void operator()(Index i, Found& found) const {
    foreign(keys.patch(ribbons[i]), keys.element(ribbons[i]), found);
  }
};

struct Counter {
  std::uint64_t count = 0;
  TESSERA_KERNEL void operator()(std::uint64_t) { ++count; }
};

template <class Source>
struct CountFound {
  Source source;
  TESSERA_KERNEL std::uint64_t operator()(Index i) const {
    Counter counter;
    source(i, counter);
    return counter.count;
  }
};

struct ElementOf {
  View<const std::uint64_t> pairs;
  PairKeys keys;
  View<Index> to;
  TESSERA_KERNEL void operator()(Index i) const { to[i] = keys.element(pairs[i]); }
};

struct GroupOfPair {
  View<const std::uint64_t> sorted;
  PairKeys keys;
  TESSERA_KERNEL Index operator()(Index i) const { return keys.patch(sorted[i]); }
};

/// The local number of an element of patch p, by its place.
struct LocalNumber {
  ElementView elements;
  TESSERA_KERNEL Index operator()(Index p, Index place) const {
    const Index begin = elements.begin[p];
    const Index end = elements.begin[p + 1];
    if (place >= begin && place < end) return place - begin;
    const Index first = elements.ribbon_begin[p];
    const Index at = exec::bisect(first, elements.ribbon_begin[p + 1],
                                  [&](Index i) { return elements.ribbon[i] < place; });
    return end - begin + at - first;
  }
};

struct WriteLocal {
  LayoutView layout;
  MeshView mesh;
  LocalNumber local_edge;
  LocalNumber local_vertex;
  View<Sides> fe;
  View<Ends> ev;
  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const Index p = team.index();
    const Patch patch = mesh.patch(p);
    Sides* sides_of = fe.data() + (patch.fe - mesh.fe.data());
    Ends* ends_of = ev.data() + (patch.ev - mesh.ev.data());
    team.for_each(patch.faces.all, [&](Index f) {
      const Index place = patch.faces.handle(f).index;
      for (Index k = 0; k < 3; ++k) {
        const Index edge = layout.sides[3 * place + k];
        const Index flipped = layout.corners[3 * place + k] == layout.ends[edge][0] ? 0 : 1;
        sides_of[f].side[k] = Side::make(local_edge(p, edge), flipped);
      }
    });
    team.for_each(patch.edges.all, [&](Index e) {
      const VertexPair ends = layout.ends[patch.edges.handle(e).index];
      for (int k = 0; k < 2; ++k)
        ends_of[e].vertex[k] = static_cast<Local>(local_vertex(p, ends[k]));
    });
  }
};

/// Ribbons are sorted, and elements lie owner after owner: a neighbour shows where the owner
/// changes.
struct FindNeighbors {
  View<const std::uint64_t> pairs;
  PairKeys keys;
  View<const Index> patch;  ///< owner of the element in each place
  PairKeys neighbor_keys;

  TESSERA_KERNEL std::uint64_t neighbor(Index i) const {
    return neighbor_keys.make(keys.patch(pairs[i]), patch[keys.element(pairs[i])]);
  }
  TESSERA_KERNEL bool operator()(Index i) const { return i == 0 || neighbor(i) != neighbor(i - 1); }
};

struct WriteNeighbors {
  FindNeighbors find;
  View<const Index> chosen;
  View<std::uint64_t> to;
  TESSERA_KERNEL void operator()(Index i) const { to[i] = find.neighbor(chosen[i]); }
};

struct LargestOwned {
  View<const Index> begin;
  TESSERA_KERNEL Index operator()(Index p) const { return begin[p + 1] - begin[p]; }
};

struct LargestLocal {
  View<const Index> begin;
  View<const Index> ribbon_begin;
  TESSERA_KERNEL Index operator()(Index p) const {
    return begin[p + 1] - begin[p] + ribbon_begin[p + 1] - ribbon_begin[p];
  }
};

struct FacesAtEdge {
  EdgeView edges;
  TESSERA_KERNEL Index operator()(Index e) const { return edges.count(e); }
};

/// Edges whose faces are not one on each side: 1, others: 0.
struct IsOneSided {
  EdgeView edges;
  View<const Triangle> triangles;
  TESSERA_KERNEL Index operator()(Index e) const {
    if (edges.count(e) < 2) return 0;
    if (edges.count(e) > 2) return 1;
    const Index h = edges.half_edge(e, 0);
    const Index g = edges.half_edge(e, 1);
    return h / 3 == g / 3 || vertex_at(triangles, h) == vertex_at(triangles, g) ? 1 : 0;
  }
};

/// How many neighbours the faces of a patch have through edges, together.
struct NeighborsOfPatch {
  View<const Index> face_begin;
  View<const Index> face_order;
  EdgeView edges;
  View<Index> neighbors;
  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const Index p = team.index();
    const Index first = face_begin[p];
    Index count = 0;
    team.for_each(face_begin[p + 1] - first, [&](Index i) {
      const Index f = face_order[first + i];
      for (Index k = 0; k < 3; ++k) count += edges.count(edges.edge_of[3 * f + k]) - 1;
    });
    const Index total = team.sum(count);
    team.once([&] { neighbors[p] = total; });
  }
};

class Builder {
 public:
  Builder(const exec::Stream& stream, const SortedFaces& sorted, const EdgeTable& edges,
          const Partition& partition)
      : stream_(stream), sorted_(sorted), edges_(edges), partition_(partition) {}

  BuiltPatches run(Progress& progress) {
    result_.faces = static_cast<Index>(sorted_.triangles.size());
    result_.edges = edges_.size();
    result_.vertices = static_cast<Index>(sorted_.input_of_vertex.size());
    check_edges();
    lay_out();
    progress.advance(1);
    find_ribbons();
    progress.advance(1);
    number();
    progress.advance(1);
    find_limits();
    result_.input_faces = input_order(layout_.faces, sorted_.input_of_face);
    result_.input_vertices = input_order(layout_.vertices, sorted_.input_of_vertex);
    progress.advance(1);
    return std::move(result_);
  }

 private:
  void check_edges() {
    const Index most =
        exec::reduce(stream_, result_.edges, Index{0}, FacesAtEdge{edges_.view()}, exec::Maximum{});
    if (most > max_faces_at_edge)
      throw InputError("an edge has " + std::to_string(most) + " faces, more than the " +
                       std::to_string(max_faces_at_edge) +
                       " that patches can hold; are there duplicate faces to repair?");
    const IsOneSided one_sided{edges_.view(), sorted_.triangles.const_view()};
    result_.limits.oriented = most <= 2 && exec::reduce(stream_, result_.edges, Index{0}, one_sided,
                                                        exec::Maximum{}) == 0;
  }

  void lay_out() {
    layout_ = lay_out_patches(stream_, sorted_, edges_, partition_);
    view_ = layout_.view();
    PatchBuffers& b = result_.buffers;
    b.faces.begin = std::move(layout_.faces.begin);
    b.edges.begin = std::move(layout_.edges.begin);
    b.vertices.begin = std::move(layout_.vertices.begin);
  }

  /// All pairs that the sources find, sorted, each once.
  struct Pairs {
    Buffer<std::uint64_t> keys;
    PairKeys meaning;
  };

  template <class Source>
  std::uint64_t count_found(Index items, const Source& source) {
    return exec::reduce(stream_, items, std::uint64_t{0}, CountFound<Source>{source}, exec::Plus{});
  }

  Buffer<std::uint64_t> room_for_pairs(std::uint64_t count) {
    if (count >= no_index)
      throw InputError(
          "the ribbons of all patches have more elements than 32-bit numbers can count");
    return {stream_, count};
  }

  void finish_pairs(Pairs& pairs) {
    exec::sort(stream_, pairs.keys,
               pairs.meaning.element_bits + exec::bits_for(partition_.patches));
    const auto all = static_cast<Index>(pairs.keys.size());
    Buffer<Index> starts(stream_, all);
    const Index count = exec::compact(
        stream_, all, exec::StartsRun<std::uint64_t>{pairs.keys.const_view()}, starts.view());
    Buffer<std::uint64_t> unique(stream_, count);
    exec::gather_values(stream_, pairs.keys.const_view(), starts.const_view().subview(0, count),
                        unique.view());
    pairs.keys = std::move(unique);
  }

  void write_elements(const Pairs& pairs, Buffer<Index>& begin, Buffer<Index>& elements) {
    const auto count = static_cast<Index>(pairs.keys.size());
    elements = Buffer<Index>(stream_, count);
    exec::for_each(stream_, count,
                   ElementOf{pairs.keys.const_view(), pairs.meaning, elements.view()});
    begin = exec::group_starts(stream_, partition_.patches, count,
                               GroupOfPair{pairs.keys.const_view(), pairs.meaning});
  }

  Pairs find_ribbon_faces() {
    Pairs pairs{{}, {exec::bits_for(result_.faces)}};
    const FacesAroundVertices around{view_, pairs.meaning};
    const FacesAcrossEdges across{edges_.view(), layout_.faces.place.const_view(), view_.face_patch,
                                  pairs.meaning};
    pairs.keys =
        room_for_pairs(count_found(result_.faces, around) + count_found(result_.edges, across));
    Buffer<Index> found(stream_, 1);
    exec::fill(stream_, found.view(), 0);
    exec::for_each_append(stream_, result_.faces, around, pairs.keys.view(), found.view());
    exec::for_each_append(stream_, result_.edges, across, pairs.keys.view(), found.view());
    finish_pairs(pairs);
    return pairs;
  }

  Pairs find_foreign(const Pairs& ribbon_faces, const Buffer<Index>& of_faces,
                     const Buffer<Index>& begin, Index elements) {
    Pairs pairs{{}, {exec::bits_for(elements)}};
    const ForeignElements foreign{begin.const_view(), of_faces.const_view(), pairs.meaning};
    const ForeignOfOwned of_owned{foreign, view_.face_patch};
    const ForeignOfRibbon of_ribbon{foreign, ribbon_faces.keys.const_view(), ribbon_faces.meaning};
    const auto in_ribbons = static_cast<Index>(ribbon_faces.keys.size());
    pairs.keys =
        room_for_pairs(count_found(result_.faces, of_owned) + count_found(in_ribbons, of_ribbon));
    Buffer<Index> found(stream_, 1);
    exec::fill(stream_, found.view(), 0);
    exec::for_each_append(stream_, result_.faces, of_owned, pairs.keys.view(), found.view());
    exec::for_each_append(stream_, in_ribbons, of_ribbon, pairs.keys.view(), found.view());
    finish_pairs(pairs);
    return pairs;
  }

  void find_ribbons() {
    PatchBuffers& b = result_.buffers;
    const Pairs faces = find_ribbon_faces();
    write_elements(faces, b.faces.ribbon_begin, b.faces.ribbon);
    const Pairs edges = find_foreign(faces, layout_.sides, b.edges.begin, result_.edges);
    write_elements(edges, b.edges.ribbon_begin, b.edges.ribbon);
    const Pairs vertices = find_foreign(faces, layout_.corners, b.vertices.begin, result_.vertices);
    write_elements(vertices, b.vertices.ribbon_begin, b.vertices.ribbon);

    Pairs neighbors{{}, {exec::bits_for(partition_.patches)}};
    const FindNeighbors finds[] = {
        {faces.keys.const_view(), faces.meaning, view_.face_patch, neighbors.meaning},
        {edges.keys.const_view(), edges.meaning, view_.edge_patch, neighbors.meaning},
        {vertices.keys.const_view(), vertices.meaning, view_.vertex_patch, neighbors.meaning}};
    Buffer<Index> chosen[3];
    Index counts[3];
    for (int k = 0; k < 3; ++k) {
      const auto all = static_cast<Index>(finds[k].pairs.size());
      chosen[k] = Buffer<Index>(stream_, all);
      counts[k] = exec::compact(stream_, all, finds[k], chosen[k].view());
    }
    neighbors.keys = room_for_pairs(std::uint64_t{counts[0]} + counts[1] + counts[2]);
    Index done = 0;
    for (int k = 0; k < 3; ++k) {
      exec::for_each(stream_, counts[k],
                     WriteNeighbors{finds[k], chosen[k].const_view(),
                                    neighbors.keys.view().subview(done, counts[k])});
      done += counts[k];
    }
    finish_pairs(neighbors);
    write_elements(neighbors, b.neighbor_begin, b.neighbors);
  }

  void number() {
    check_limits();
    PatchBuffers& b = result_.buffers;
    b.fe = Buffer<Sides>(stream_, result_.faces + b.faces.ribbon.size());
    b.ev = Buffer<Ends>(stream_, result_.edges + b.edges.ribbon.size());
    const MeshView mesh{view_of(b.vertices),
                        view_of(b.edges),
                        view_of(b.faces),
                        b.fe.const_view(),
                        b.ev.const_view(),
                        {},
                        {}};
    exec::for_each_team(stream_, partition_.patches, exec::Scratch{},
                        WriteLocal{view_, mesh, LocalNumber{mesh.edges}, LocalNumber{mesh.vertices},
                                   b.fe.view(), b.ev.view()});
  }

  Index largest_owned(const ElementBuffers& elements) {
    return exec::reduce(stream_, partition_.patches, Index{0},
                        LargestOwned{elements.begin.const_view()}, exec::Maximum{});
  }
  Index largest_local(const ElementBuffers& elements) {
    return exec::reduce(
        stream_, partition_.patches, Index{0},
        LargestLocal{elements.begin.const_view(), elements.ribbon_begin.const_view()},
        exec::Maximum{});
  }

  void check_limits() {
    PatchLimits& limits = result_.limits;
    limits.local_vertices = largest_local(result_.buffers.vertices);
    limits.local_edges = largest_local(result_.buffers.edges);
    limits.local_faces = largest_local(result_.buffers.faces);
    const auto check = [](Index count, Index most, const char* what) {
      if (count > most)
        throw InputError("a patch would hold " + std::to_string(count) + " " + what +
                         ", more than the " + std::to_string(most) +
                         " it can number: a vertex has too many faces, or patches are too large");
    };
    check(limits.local_edges, max_local_edges, "edges");
    check(limits.local_faces, max_local_others, "faces");
    check(limits.local_vertices, max_local_others, "vertices");
  }

  void find_limits() {
    PatchLimits& limits = result_.limits;
    limits.owned_vertices = largest_owned(result_.buffers.vertices);
    limits.owned_edges = largest_owned(result_.buffers.edges);
    limits.owned_faces = largest_owned(result_.buffers.faces);
    Buffer<Index> neighbors(stream_, partition_.patches);
    exec::for_each_team(
        stream_, partition_.patches, exec::Scratch{},
        NeighborsOfPatch{result_.buffers.faces.begin.const_view(), layout_.faces.order.const_view(),
                         edges_.view(), neighbors.view()});
    limits.neighbors = exec::reduce(stream_, neighbors.const_view(), Index{0}, exec::Maximum{});
    result_.vertices_in_patches =
        exec::download_one(stream_, result_.buffers.vertices.begin, partition_.patches);
  }

  Array<Index> input_order(const OwnedElements& owned, const Buffer<Index>& input) {
    Buffer<Index> mapped(stream_, owned.order.size());
    exec::gather_values(stream_, input.const_view(), owned.order.const_view(), mapped.view());
    return exec::download(stream_, mapped);
  }

  exec::Stream stream_;
  const SortedFaces& sorted_;
  const EdgeTable& edges_;
  const Partition& partition_;
  BuiltPatches result_;
  PatchLayout layout_;
  LayoutView view_{};
};

}  // namespace

BuiltPatches build_patches(const exec::Stream& stream, const SortedFaces& sorted,
                           const EdgeTable& edges, const Partition& partition, Progress& progress) {
  return Builder(stream, sorted, edges, partition).run(progress);
}

}  // namespace tessera::surface::detail
