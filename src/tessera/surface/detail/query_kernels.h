// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/team.h"
#include "tessera/exec/view.h"
#include "tessera/surface/detail/patch_view.h"
#include "tessera/surface/handles.h"
#include "tessera/surface/op.h"

// How a team answers the queries of query.h about one patch. EV and FE are there; FV follows from
// both; what leads upwards (VE, VF, EF) is a transpose in scratch memory: count the entries of each
// row, scan, fill. Where no two faces pass an edge in the same direction, EF is a table without
// that.

namespace tessera::surface::detail {

struct AllActive {
  template <class Element>
  TESSERA_KERNEL constexpr bool operator()(Element) const {
    return true;
  }
};

constexpr bool gains_from_orientation(Op op) {
  return op == Op::ef || op == Op::ff || op == Op::ee || op == Op::diamond;
}

template <class Source, class Target, class F, class Active>
struct VisitWithoutRing {
  Index first;
  F f;
  Active active;
  TESSERA_KERNEL void operator()(Index i) const {
    const Source source{first + i};
    if (active(source)) f(source, Ring<Target>(nullptr, 0, nullptr));
  }
};

/// Rows of different lengths in scratch memory: those of row r are entries[begin(r)] ..
/// entries[end(r) - 1].
template <class Entry>
struct Rows {
  exec::View<std::uint32_t> ends;
  exec::View<Entry> entries;

  TESSERA_KERNEL Index begin(Index row) const { return row == 0 ? 0 : ends[row - 1]; }
  TESSERA_KERNEL Index end(Index row) const { return ends[row]; }
  TESSERA_KERNEL Index size(Index row) const { return end(row) - begin(row); }
  TESSERA_KERNEL Entry* data(Index row) const { return entries.data() + begin(row); }
};

/// Scratch memory for Rows.
template <class Entry>
struct RowSlots {
  exec::ScratchSlot<std::uint32_t> ends{};
  exec::ScratchSlot<Entry> entries{};

  RowSlots() = default;
  RowSlots(exec::Scratch& scratch, Index rows, Index all_entries)
      : ends(scratch.add<std::uint32_t>(rows)), entries(scratch.add<Entry>(all_entries)) {}
};

/// Fills the rows: `visit(item, put)` calls put(row, entry) for what each item brings, the same way
/// every time. Rows are complete for all threads when it returns.
template <class Entry, class Visit>
TESSERA_KERNEL Rows<Entry> collect(const exec::Team& team, const RowSlots<Entry>& slots, Index rows,
                                   Index items, const Visit& visit) {
  const Rows<Entry> result{team.scratch(slots.ends).subview(0, rows), team.scratch(slots.entries)};
  std::uint32_t* ends = result.ends.data();
  Entry* entries = result.entries.data();
  team.for_each(rows, [&](Index r) { ends[r] = 0; });
  team.sync();
  team.for_each(
      items, [&](Index i) { visit(i, [&](Index row, Entry) { team.atomic_add(ends[row], 1); }); });
  team.exclusive_scan(result.ends);
  // Each start moves up to the end of its row.
  team.for_each(items, [&](Index i) {
    visit(i, [&](Index row, Entry entry) { entries[team.atomic_add(ends[row], 1)] = entry; });
  });
  team.sync();
  return result;
}

/// What VE, VV and VF are transposes of. A row is a vertex that the patch owns.
struct EdgesAtVertices {
  Patch patch;
  template <class Put>
  TESSERA_KERNEL void operator()(Index e, const Put& put) const {
    const Ends ends = patch.ev[e];
    const Index a = ends.vertex[0];
    const Index b = ends.vertex[1];
    put(a, static_cast<Local>(e));
    if (b != a) put(b, static_cast<Local>(e));
  }
};

struct VerticesAtVertices {
  Patch patch;
  template <class Put>
  TESSERA_KERNEL void operator()(Index e, const Put& put) const {
    const Ends ends = patch.ev[e];
    const Local a = ends.vertex[0];
    const Local b = ends.vertex[1];
    if (a == b) return;
    put(a, b);
    put(b, a);
  }
};

TESSERA_KERNEL inline Vec<Local, 3> corners_of(const Patch& patch, Index face) {
  const Sides sides = patch.fe[face];
  return {patch.start(sides.side[0]), patch.start(sides.side[1]), patch.start(sides.side[2])};
}

struct FacesAtVertices {
  Patch patch;
  template <class Put>
  TESSERA_KERNEL void operator()(Index f, const Put& put) const {
    const Vec<Local, 3> v = corners_of(patch, f);
    put(v[0], static_cast<Local>(f));
    if (v[1] != v[0]) put(v[1], static_cast<Local>(f));
    if (v[2] != v[0] && v[2] != v[1]) put(v[2], static_cast<Local>(f));
  }
};

/// The two other corners of each face at a vertex, in the face's order.
struct WedgesAtVertices {
  Patch patch;
  template <class Put>
  TESSERA_KERNEL void operator()(Index f, const Put& put) const {
    const Vec<Local, 3> v = corners_of(patch, f);
    for (int k = 0; k < 3; ++k) {
      const Local next = v[k == 2 ? 0 : k + 1];
      const Local last = v[k == 0 ? 2 : k - 1];
      if (v[k] < patch.vertices.owned) put(v[k], Ends{{next, last}});
    }
  }
};

/// What EF is the transpose of. A row is a local edge.
struct FacesAtEdges {
  Patch patch;
  template <class Put>
  TESSERA_KERNEL void operator()(Index f, const Put& put) const {
    const Sides sides = patch.fe[f];
    const Index a = sides.side[0].edge();
    const Index b = sides.side[1].edge();
    const Index c = sides.side[2].edge();
    put(a, static_cast<Local>(f));
    if (b != a) put(b, static_cast<Local>(f));
    if (c != a && c != b) put(c, static_cast<Local>(f));
  }
};

/// EF where each direction of an edge has one face at most: that face, by Side::code. Nothing needs
/// counting, and no two faces write to one place.
struct FacesAtSides {
  Local* face_at;

  static constexpr Local nobody = 0xffff;

  TESSERA_KERNEL Index size(Index e) const {
    return face_at[2 * e] == nobody || face_at[2 * e + 1] == nobody ? 1 : 2;
  }
  TESSERA_KERNEL const Local* data(Index e) const {
    return face_at + 2 * e + (face_at[2 * e] == nobody ? 1 : 0);
  }
  /// The face across a side of a face, or nobody.
  TESSERA_KERNEL Local across(Side side) const { return face_at[side.code ^ 1U]; }
};

TESSERA_KERNEL inline FacesAtSides collect_sides(const exec::Team& team,
                                                 exec::ScratchSlot<std::uint32_t> slot,
                                                 const Patch& patch) {
  std::uint32_t* both = team.scratch(slot).data();
  auto* face_at = reinterpret_cast<Local*>(both);
  team.for_each(patch.edges.all, [&](Index e) { both[e] = 0xffffffffU; });
  team.sync();
  team.for_each(patch.faces.all, [&](Index f) {
    const Sides sides = patch.fe[f];
    for (const Side side : sides.side) face_at[side.code] = static_cast<Local>(f);
  });
  team.sync();
  return {face_at};
}

/// Brings the wedges of a vertex into the order in which each starts where the one before ends.
/// Whether that is possible, and all of them are one fan.
TESSERA_KERNEL inline bool order_wedges(Index self, Ends* wedges, Index count,
                                        const PatchElements<ElementKind::vertex>& vertices) {
  // Three vertices make a wedge; each neighbour starts one at most and ends one at most.
  for (Index i = 0; i < count; ++i) {
    const Local a = wedges[i].vertex[0];
    const Local b = wedges[i].vertex[1];
    if (a == b || a == self || b == self) return false;
    for (Index j = 0; j < i; ++j)
      if (a == wedges[j].vertex[0] || b == wedges[j].vertex[1]) return false;
  }
  // The first is the one that no other leads to, else the one that starts at the smallest handle.
  Index first = 0;
  for (Index i = 0; i < count; ++i) {
    bool led_to = false;
    for (Index j = 0; j < count; ++j) led_to = led_to || wedges[j].vertex[1] == wedges[i].vertex[0];
    if (!led_to) {
      first = i;
      break;
    }
    if (vertices.handle(wedges[i].vertex[0]) < vertices.handle(wedges[first].vertex[0])) first = i;
  }
  for (Index i = 0; i < count; ++i) {
    Index next = i == 0 ? first : i;
    while (i > 0 && next < count && wedges[next].vertex[0] != wedges[i - 1].vertex[1]) ++next;
    if (next == count) return false;
    const Ends wedge = wedges[next];
    wedges[next] = wedges[i];
    wedges[i] = wedge;
  }
  return true;
}

/// The kernel of for_each(). What it needs of scratch memory is declared in its constructor.
template <Op Query, bool Oriented, class F, class Active>
class QueryKernel {
  using Source = typename OpKinds<Query>::Source;
  using Target = typename OpKinds<Query>::Target;
  static constexpr bool is_transpose = Query == Op::vv || Query == Op::ve || Query == Op::vf;
  static constexpr bool needs_ef =
      Query == Op::ef || Query == Op::ee || Query == Op::ff || Query == Op::diamond;

 public:
  QueryKernel(const MeshView& mesh, const PatchLimits& limits, exec::Scratch& scratch, const F& f,
              const Active& active)
      : mesh_(mesh), f_(f), active_(active) {
    if constexpr (Query == Op::vv || Query == Op::ve)
      rows_ = {scratch, limits.local_vertices, 2 * limits.local_edges};
    if constexpr (Query == Op::vf) rows_ = {scratch, limits.local_vertices, 3 * limits.local_faces};
    if constexpr (Query == Op::oriented_vv) {
      wedges_ = {scratch, limits.owned_vertices, 3 * limits.local_faces};
      // A ring at the boundary has one vertex more than it has wedges.
      list_ = scratch.add<Local>(3 * limits.local_faces + limits.owned_vertices);
    }
    if constexpr (Query != Op::diamond)
      handles_ = scratch.add<Index>(Target::kind == ElementKind::vertex ? limits.local_vertices
                                    : Target::kind == ElementKind::edge ? limits.local_edges
                                                                        : limits.local_faces);
    if constexpr (needs_ef) {
      if constexpr (Oriented)
        sides_ = scratch.add<std::uint32_t>(limits.local_edges);
      else
        rows_ = {scratch, limits.local_edges, 3 * limits.local_faces};
    }
    if constexpr (!Oriented && (Query == Op::ff || Query == Op::ee)) {
      // Each side of a face leads to all other faces there, each face at an edge to two edges.
      const Index sources = Query == Op::ff ? limits.owned_faces : limits.owned_edges;
      const Index entries = Query == Op::ff ? limits.neighbors : 2 * 3 * limits.local_faces;
      lists_ = {scratch, sources, entries};
    }
  }

  TESSERA_KERNEL void operator()(exec::Team& team) const {
    const Patch patch = mesh_.patch(team.index());
    const auto& sources = elements_of<Source>(patch);
    if constexpr (!std::is_same_v<Active, AllActive>) {
      Index active = 0;
      team.for_each(sources.owned, [&](Index i) { active += active_(sources.handle(i)) ? 1 : 0; });
      if (team.sum(active) == 0) return;
    }
    // Handles of what the answers consist of; complete with the first sync.
    const auto& targets = elements_of<Target>(patch);
    if constexpr (Query != Op::diamond) {
      const exec::View<Index> handles = team.scratch(handles_);
      team.for_each(targets.owned, [&](Index i) { handles[i] = targets.begin + i; });
      team.for_each(targets.all - targets.owned,
                    [&](Index i) { handles[targets.owned + i] = targets.ribbon[i]; });
      if constexpr (Query == Op::ev || Query == Op::fv || Query == Op::fe) team.sync();
    }
    if constexpr (Query == Op::vv) {
      transpose(team, patch, patch.edges.all, VerticesAtVertices{patch});
    } else if constexpr (Query == Op::ve) {
      transpose(team, patch, patch.edges.all, EdgesAtVertices{patch});
    } else if constexpr (Query == Op::vf) {
      transpose(team, patch, patch.faces.all, FacesAtVertices{patch});
    } else if constexpr (Query == Op::ev) {
      visit(team, patch, [&](Index e, const auto& call) { call(patch.ev[e].vertex, 2); });
    } else if constexpr (Query == Op::fv) {
      visit(team, patch, [&](Index f, const auto& call) { call(corners_of(patch, f).v, 3); });
    } else if constexpr (Query == Op::fe) {
      visit(team, patch, [&](Index f, const auto& call) {
        const Sides sides = patch.fe[f];
        const Local edges[] = {static_cast<Local>(sides.side[0].edge()),
                               static_cast<Local>(sides.side[1].edge()),
                               static_cast<Local>(sides.side[2].edge())};
        call(edges, 3);
      });
    } else if constexpr (Query == Op::oriented_vv) {
      oriented(team, patch);
    } else {
      if constexpr (Oriented)
        from_ef(team, patch, collect_sides(team, sides_, patch));
      else
        from_ef(team, patch,
                collect(team, rows_, patch.edges.all, patch.faces.all, FacesAtEdges{patch}));
    }
  }

 private:
  template <class Element>
  TESSERA_KERNEL static const PatchElements<Element::kind>& elements_of(const Patch& patch) {
    if constexpr (Element::kind == ElementKind::vertex)
      return patch.vertices;
    else if constexpr (Element::kind == ElementKind::edge)
      return patch.edges;
    else
      return patch.faces;
  }

  /// Calls answer(i, call) for what is active, where call(locals, size) passes the ring on.
  template <class Answer>
  TESSERA_KERNEL void visit(const exec::Team& team, const Patch& patch,
                            const Answer& answer) const {
    const auto& sources = elements_of<Source>(patch);
    const Index* handles = team.scratch(handles_).data();
    const F f = f_;  // so that the loop need not reload it
    const Active active = active_;
    const Index begin = sources.begin;
    team.for_each(sources.owned, [&](Index i) {
      const Source source{begin + i};
      if (!active(source)) return;
      answer(i, [&](const Local* locals, Index size) {
        f(source, Ring<Target>(locals, size, handles));
      });
    });
  }

  template <class Visit>
  TESSERA_KERNEL void transpose(const exec::Team& team, const Patch& patch, Index items,
                                const Visit& items_at) const {
    const Rows<Local> rows = collect(team, rows_, patch.vertices.all, items, items_at);
    visit(team, patch, [&](Index v, const auto& call) { call(rows.data(v), rows.size(v)); });
  }

  TESSERA_KERNEL void oriented(const exec::Team& team, const Patch& patch) const {
    const Rows<Ends> rows =
        collect(team, wedges_, patch.vertices.owned, patch.faces.all, WedgesAtVertices{patch});
    const exec::View<Local> list = team.scratch(list_);
    visit(team, patch, [&](Index v, const auto& call) {
      Ends* wedges = rows.data(v);
      const Index count = rows.size(v);
      Local* ring = list.data() + rows.begin(v) + v;
      if (!order_wedges(v, wedges, count, patch.vertices)) {
        call(ring, 0);
        return;
      }
      for (Index i = 0; i < count; ++i) ring[i] = wedges[i].vertex[0];
      const bool open = count > 0 && wedges[count - 1].vertex[1] != ring[0];
      if (open) ring[count] = wedges[count - 1].vertex[1];
      call(ring, count + (open ? 1 : 0));
    });
  }

  /// Queries that start from EF, in one form or the other.
  template <class Ef>
  TESSERA_KERNEL void from_ef(const exec::Team& team, const Patch& patch, const Ef& ef) const {
    if constexpr (Oriented && Query == Op::ef) {
      // A call for each size: the compiler unrolls the loops over the ring (1.5 times faster).
      visit(team, patch, [&](Index e, const auto& call) {
        if (ef.size(e) == 2)
          call(ef.data(e), 2);
        else
          call(ef.data(e), 1);
      });
    } else if constexpr (Query == Op::ef) {
      visit(team, patch, [&](Index e, const auto& call) { call(ef.data(e), ef.size(e)); });
    } else if constexpr (Query == Op::diamond) {
      team.for_each(patch.edges.owned, [&](Index e) {
        const Edge edge{patch.edges.begin + e};
        if (active_(edge)) f_(edge, diamond(patch, e, ef.data(e), ef.size(e)));
      });
    } else if constexpr (Oriented && Query == Op::ff) {
      visit(team, patch, [&](Index f, const auto& call) {
        const Sides sides = patch.fe[f];
        Local list[3];
        Index size = 0;
        for (const Side side : sides.side) {
          list[size] = ef.across(side);
          size += list[size] != FacesAtSides::nobody ? 1 : 0;
        }
        if (size == 3)
          call(list, 3);
        else
          call(list, size);
      });
    } else if constexpr (Oriented) {
      visit(team, patch, [&](Index e, const auto& call) {
        Local list[4];
        Index size = 0;
        for_each_neighbor(patch, e, ef, [&](Local neighbor) { list[size++] = neighbor; });
        call(list, size);
      });
    } else {
      const Index sources = elements_of<Source>(patch).owned;
      const Rows<Local> lists =
          collect(team, lists_, sources, sources, [&](Index i, const auto& put) {
            for_each_neighbor(patch, i, ef, [&](Local neighbor) { put(i, neighbor); });
          });
      visit(team, patch, [&](Index i, const auto& call) { call(lists.data(i), lists.size(i)); });
    }
  }

  /// FF and EE of one element, from EF.
  template <class Ef, class Found>
  TESSERA_KERNEL static void for_each_neighbor(const Patch& patch, Index i, const Ef& ef,
                                               const Found& found) {
    if constexpr (Query == Op::ff) {
      const Sides sides = patch.fe[i];
      for (int k = 0; k < 3; ++k) {
        const Index e = sides.side[k].edge();
        bool repeated = false;
        for (int j = 0; j < k; ++j) repeated = repeated || sides.side[j].edge() == e;
        if (repeated) continue;
        const Local* faces = ef.data(e);
        const Index n = ef.size(e);
        for (Index j = 0; j < n; ++j)
          if (faces[j] != i) found(faces[j]);
      }
    } else {
      const Local* faces = ef.data(i);
      const Index n = ef.size(i);
      for (Index j = 0; j < n; ++j) {
        const Sides sides = patch.fe[faces[j]];
        for (int k = 0; k < 3; ++k) {
          const Index e = sides.side[k].edge();
          bool seen = e == i;
          for (int l = 0; l < k; ++l) seen = seen || sides.side[l].edge() == e;
          for (Index l = 0; l < j && !seen; ++l) seen = has_edge(patch.fe[faces[l]], e);
          if (!seen) found(static_cast<Local>(e));
        }
      }
    }
  }

  TESSERA_KERNEL static bool has_edge(const Sides& sides, Index e) {
    return sides.side[0].edge() == e || sides.side[1].edge() == e || sides.side[2].edge() == e;
  }

  TESSERA_KERNEL static Diamond diamond(const Patch& patch, Index e, const Local* faces,
                                        Index count) {
    const auto& vertices = patch.vertices;
    Diamond result{
        vertices.handle(patch.ev[e].vertex[0]), {}, vertices.handle(patch.ev[e].vertex[1]), {}};
    if (count > 2) return result;
    // In the order of handles, so that the answer is always the same.
    const bool swap = count == 2 && patch.faces.handle(faces[1]) < patch.faces.handle(faces[0]);
    for (Index j = 0; j < count; ++j) {
      const Sides sides = patch.fe[faces[swap ? 1 - j : j]];
      int k = 0;
      while (sides.side[k].edge() != e) ++k;
      const Vertex opposite = vertices.handle(patch.start(sides.side[k == 0 ? 2 : k - 1]));
      const bool leftwards = sides.side[k].flipped() == 0;
      if (leftwards ? !result.left.is_valid() : result.right.is_valid())
        result.left = opposite;
      else
        result.right = opposite;
    }
    return result;
  }

  MeshView mesh_;
  F f_;
  Active active_;
  RowSlots<Local> rows_;
  RowSlots<Ends> wedges_;
  RowSlots<Local> lists_;
  exec::ScratchSlot<Local> list_{};
  exec::ScratchSlot<std::uint32_t> sides_{};
  exec::ScratchSlot<Index> handles_{};
};

}  // namespace tessera::surface::detail
