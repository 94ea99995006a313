// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/volume/detail/find_elements.h"

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/exec/sort.h"
#include "tessera/volume/detail/group_uses.h"
#include "tessera/volume/detail/nameable.h"
#include "tessera/volume/detail/soup_view.h"

namespace tessera::volume::detail {
namespace {

using exec::Buffer;
using exec::View;

/// Cells of each type of few corners that point outwards, less those that point inwards; and all.
struct SignCounts {
  std::int64_t balance[4]{};
  std::int64_t cells[4]{};
};
struct AddSigns {
  TESSERA_KERNEL SignCounts operator()(SignCounts a, const SignCounts& b) const {
    for (int i = 0; i < 4; ++i) {
      a.balance[i] += b.balance[i];
      a.cells[i] += b.cells[i];
    }
    return a;
  }
};
struct SignOfCell {
  SoupView soup;
  TESSERA_KERNEL SignCounts operator()(Index c) const {
    SignCounts result;
    const CellType type = soup.cell_types[c];
    if (type == CellType::polyhedron) return result;
    const Vec3d origin = soup.positions[soup.cell_entries[soup.cell_offsets[c]]];
    double sum = 0;
    for (int f = 0; f < face_count(type); ++f) {
      const LocalFace face = soup.face(c, f);
      for (int i = 1; i + 1 < face.size; ++i)
        sum += dot(soup.positions[face.corner[0]] - origin,
                   cross(soup.positions[face.corner[i]] - origin,
                         soup.positions[face.corner[i + 1]] - origin));
    }
    const bool is_finite = sum - sum == 0;
    result.balance[static_cast<int>(type)] = !is_finite || sum == 0 ? 0 : sum > 0 ? 1 : -1;
    result.cells[static_cast<int>(type)] = 1;
    return result;
  }
};

/// Which types have their corners numbered the other way round.
struct Turned {
  bool type[4]{};
};

struct CountUses {
  SoupView soup;
  View<Index> faces;
  View<Index> corners;
  TESSERA_KERNEL void operator()(Index c) const {
    Index own_faces = 0;
    Index own_corners = 0;
    if (c < soup.cells()) {
      const CellType type = soup.cell_types[c];
      if (type == CellType::polyhedron) {
        own_faces = soup.cell_offsets[c + 1] - soup.cell_offsets[c];
        for (Index i = soup.cell_offsets[c]; i < soup.cell_offsets[c + 1]; ++i) {
          const Index polygon = SignedIndex::from_code(soup.cell_entries[i]).index();
          own_corners += soup.polygon_offsets[polygon + 1] - soup.polygon_offsets[polygon];
        }
      }
      for (int f = 0; f < face_count(type); ++f) {
        const int size = soup.face(c, f).size;
        if (size > 0) ++own_faces;
        own_corners += static_cast<Index>(size);
      }
    }
    faces[c] = own_faces;
    corners[c] = own_corners;
  }
};

struct WritePolygonUse {
  SoupView soup;
  Uses uses;
  TESSERA_KERNEL void operator()(Index p) const {
    uses.offsets[p] = soup.polygon_offsets[p];
    for (Index i = soup.polygon_offsets[p]; i < soup.polygon_offsets[p + 1]; ++i)
      uses.corners[i] = soup.polygon_corners[i];
  }
};

struct WriteCellUses {
  SoupView soup;
  Turned turned;
  View<const Index> first_face;
  View<const Index> first_corner;
  Uses uses;

  TESSERA_KERNEL void operator()(Index c) const {
    Index use = soup.polygons() + first_face[c];
    Index next = static_cast<Index>(soup.polygon_corners.size()) + first_corner[c];
    if (c == soup.cells()) {
      uses.offsets[use] = next;
      return;
    }
    const CellType type = soup.cell_types[c];
    if (type == CellType::polyhedron) {
      for (Index i = soup.cell_offsets[c]; i < soup.cell_offsets[c + 1]; ++i) {
        const SignedIndex polygon = SignedIndex::from_code(soup.cell_entries[i]);
        const Index begin = soup.polygon_offsets[polygon.index()];
        const Index size = soup.polygon_offsets[polygon.index() + 1] - begin;
        uses.offsets[use++] = next;
        for (Index k = 0; k < size; ++k)
          uses.corners[next++] =
              soup.polygon_corners[begin + (polygon.is_reversed() ? size - 1 - k : k)];
      }
      return;
    }
    const bool turn = turned.type[static_cast<int>(type)];
    for (int f = 0; f < face_count(type); ++f) {
      const LocalFace face = soup.face(c, f);
      if (face.size == 0) continue;
      uses.offsets[use++] = next;
      for (int k = 0; k < face.size; ++k)
        uses.corners[next++] = face.corner[turn ? face.size - 1 - k : k];
    }
  }
};

enum class Match { none, same, reversed };

/// Whether two loops go round the same vertices.
TESSERA_KERNEL Match compare_loops(const Index* a, const Index* b, Index size) {
  for (Index start = 0; start < size; ++start) {
    if (b[start] != a[0]) continue;
    Index same = 1;
    for (Index k = start + 1; same < size; ++same, ++k)
      if (a[same] != b[k < size ? k : k - size]) break;
    if (same == size) return Match::same;
    Index reversed = 1;
    for (Index k = start + size - 1; reversed < size; ++reversed, --k)
      if (a[reversed] != b[k < size ? k : k - size]) break;
    if (reversed == size) return Match::reversed;
  }
  return Match::none;
}

/// Uses of one face stand together in a run, which may hold several faces all the same. Numbers the
/// faces of a run.
struct MatchRun {
  Uses uses;
  View<const Index> order;
  View<const Index> run_starts;
  View<Index> faces_of_run;
  View<SignedIndex> face_of_use;  ///< number within the run

  TESSERA_KERNEL void operator()(Index r) const {
    if (r == run_starts.size()) {
      faces_of_run[r] = 0;
      return;
    }
    const Index begin = run_starts[r];
    const Index end =
        r + 1 < run_starts.size() ? run_starts[r + 1] : static_cast<Index>(order.size());
    Index faces = 0;
    Index last_found = begin;
    for (Index i = begin; i < end; ++i) {
      const Index use = order[i];
      const SignedIndex found = find(begin, i, last_found, use);
      face_of_use[use] = found.index() == no_face ? SignedIndex{faces++, false} : found;
      if (found.index() == no_face) last_found = i;
    }
    faces_of_run[r] = faces;
  }

 private:
  static constexpr Index no_face = most_elements - 1;

  /// The face of an earlier use, first of the one last found, that has the same loop.
  TESSERA_KERNEL SignedIndex find(Index begin, Index end, Index last_found, Index use) const {
    if (begin == end) return {no_face, false};
    const SignedIndex last = compare(last_found, use);
    if (last.index() != no_face) return last;
    for (Index i = begin; i < end; ++i) {
      const SignedIndex found = compare(i, use);
      if (found.index() != no_face) return found;
    }
    return {no_face, false};
  }

  TESSERA_KERNEL SignedIndex compare(Index i, Index use) const {
    const Index other = order[i];
    if (uses.size(other) != uses.size(use)) return {no_face, false};
    const Match match = compare_loops(uses.loop(other), uses.loop(use), uses.size(use));
    return match == Match::none ? SignedIndex{no_face, false}
                                : face_of_use[other].times(match == Match::reversed);
  }
};

/// Numbers within runs become numbers of faces; the first use of a face lends it its loop.
struct NumberFaces {
  View<const Index> order;
  View<const Index> run_starts;
  View<const Index> first_face;
  View<SignedIndex> face_of_use;
  View<Index> use_of_face;
  TESSERA_KERNEL void operator()(Index r) const {
    const Index end =
        r + 1 < run_starts.size() ? run_starts[r + 1] : static_cast<Index>(order.size());
    Index next = first_face[r];
    for (Index i = run_starts[r]; i < end; ++i) {
      const Index use = order[i];
      const SignedIndex local = face_of_use[use];
      const SignedIndex face(first_face[r] + local.index(), local.is_reversed());
      face_of_use[use] = face;
      if (face.index() == next) use_of_face[next++] = use;
    }
  }
};

struct FaceSize {
  Uses uses;
  View<const Index> use_of_face;
  View<Index> sizes;
  TESSERA_KERNEL void operator()(Index f) const {
    sizes[f] = f < use_of_face.size() ? uses.size(use_of_face[f]) : 0;
  }
};

// A *side* is an edge on its own, or an edge as one face has it: first all segments, then the edges
// of face after face.

struct WriteSegmentKey {
  View<const Segment> segments;
  View<std::uint64_t> keys;
  int bits;
  TESSERA_KERNEL void operator()(Index s) const {
    const std::uint64_t a = segments[s][0];
    const std::uint64_t b = segments[s][1];
    keys[s] = a < b ? (a << bits) | b : (b << bits) | a;
  }
};

struct WriteSideKeys {
  Uses uses;
  View<const Index> use_of_face;
  View<const Index> face_offsets;
  View<std::uint64_t> keys;  ///< of sides of faces
  int bits;
  TESSERA_KERNEL void operator()(Index f) const {
    const Index* loop = uses.loop(use_of_face[f]);
    const Index size = face_offsets[f + 1] - face_offsets[f];
    for (Index i = 0; i < size; ++i) {
      const std::uint64_t a = loop[i];
      const std::uint64_t b = loop[i + 1 < size ? i + 1 : 0];
      keys[face_offsets[f] + i] = a < b ? (a << bits) | b : (b << bits) | a;
    }
  }
};

struct WriteEdges {
  View<const std::uint64_t> keys;
  View<const Index> sides;
  View<const Index> starts;
  Index segments;
  int bits;
  View<EdgeVertices> edge_vertices;
  View<Index> edge_of_segment;
  View<Index> edge_of_side;  ///< of faces
  TESSERA_KERNEL void operator()(Index e) const {
    const Index begin = starts[e];
    const Index end =
        e + 1 < edge_vertices.size() ? starts[e + 1] : static_cast<Index>(sides.size());
    const std::uint64_t key = keys[begin];
    edge_vertices[e] = {static_cast<Index>(key >> bits),
                        static_cast<Index>(key & ((std::uint64_t{1} << bits) - 1))};
    for (Index i = begin; i < end; ++i) {
      if (sides[i] >= segments)
        edge_of_side[sides[i] - segments] = e;
      else
        edge_of_segment[sides[i]] = e;
    }
  }
};

/// An edge points to its larger vertex.
struct OrientFaceEdges {
  Uses uses;
  View<const Index> use_of_face;
  View<const Index> face_offsets;
  View<const Index> edge_of_side;
  View<SignedIndex> face_edges;
  TESSERA_KERNEL void operator()(Index f) const {
    const Index* loop = uses.loop(use_of_face[f]);
    const Index size = face_offsets[f + 1] - face_offsets[f];
    for (Index i = 0; i < size; ++i) {
      const Index side = face_offsets[f] + i;
      face_edges[side] = {edge_of_side[side], loop[i] > loop[i + 1 < size ? i + 1 : 0]};
    }
  }
};

struct FaceOfCellUse {
  View<const SignedIndex> face_of_use;
  Index polygons;
  View<SignedIndex> cell_faces;
  TESSERA_KERNEL void operator()(Index i) const { cell_faces[i] = face_of_use[polygons + i]; }
};

TESSERA_KERNEL Index number_of(Index element) {
  return element;
}
TESSERA_KERNEL Index number_of(SignedIndex element) {
  return element.index();
}

/// Values of polygons for their faces, or of segments for their edges; zero for other ones. Where
/// several are one element, the first counts.
template <class Element>
Attributes spread(const Attributes& attributes, const Array<Element>& element_of, Index elements) {
  Attributes result;
  for (const Attribute& attribute : attributes) {
    Attribute on_elements{attribute.name, attribute.components, {}};
    std::visit(
        [&](const auto& values) {
          using Values = std::decay_t<decltype(values)>;
          const auto components = static_cast<std::size_t>(attribute.components);
          Values spread(elements * components, typename Values::value_type{});
          for (std::size_t p = element_of.size(); p-- > 0;)
            for (std::size_t k = 0; k < components; ++k)
              spread[number_of(element_of[p]) * components + k] = values[p * components + k];
          on_elements.values = std::move(spread);
        },
        attribute.values);
    result.push_back(std::move(on_elements));
  }
  return result;
}

class Builder {
 public:
  Builder(const exec::Stream& stream, const PolyhedralSoup& soup)
      : stream_(stream), soup_(soup), device_(stream, soup), view_(device_.view()) {}

  FoundElements run() {
    write_uses();
    find_faces();
    find_edges();
    Operators operators;
    operators.positions = exec::upload(stream_, soup_.positions);
    operators.edge_vertices = std::move(edge_vertices_);
    operators.face_edges = std::move(face_edges_);
    operators.cell_faces = std::move(cell_faces_);
    Complex complex(stream_, std::move(operators));
    complex.attributes(Element::vertex) = soup_.vertex_attributes;
    complex.attributes(Element::cell) = soup_.cell_attributes;
    const Array<SignedIndex> face_of_polygon =
        exec::download(stream_, face_of_use_.const_view().subview(0, view_.polygons()));
    complex.attributes(Element::face) =
        spread(soup_.polygon_attributes, face_of_polygon, complex.faces());
    FoundElements found{std::move(complex), turned_cells_};
    name_faces(face_of_polygon, found);
    if (!soup_.segments.empty()) name_edges(exec::download(stream_, edge_of_segment_), found);
    found.complex.origin().precision = soup_.precision;
    return found;
  }

 private:
  /// Remembers which faces were polygons on their own account: polyhedra have polygons of
  /// necessity.
  void name_faces(const Array<SignedIndex>& face_of_polygon, FoundElements& found) const {
    if (face_of_polygon.empty()) return;
    std::vector<bool> is_part(face_of_polygon.size(), false);
    if (soup_.polygon_attributes.empty())
      for (std::size_t c = 0; c < soup_.cell_count(); ++c)
        if (soup_.cell_types[c] == CellType::polyhedron)
          for (Index i = soup_.cell_offsets[c]; i < soup_.cell_offsets[c + 1]; ++i)
            is_part[SignedIndex::from_code(soup_.cell_entries[i]).index()] = true;
    Array<std::uint8_t> named(found.complex.faces(), 0);
    std::vector<bool> is_known(found.complex.faces(), false);
    bool any = false;
    for (std::size_t p = 0; p < face_of_polygon.size(); ++p) {
      const Index face = face_of_polygon[p].index();
      if (is_known[face]) ++found.merged_polygons;
      is_known[face] = true;
      if (is_part[p]) continue;
      named[face] = 1;
      any = true;
    }
    if (any) found.complex.origin().named_faces = std::move(named);
  }

  void name_edges(const Array<Index>& edge_of_segment, FoundElements& found) const {
    found.complex.attributes(Element::edge) =
        spread(soup_.segment_attributes, edge_of_segment, found.complex.edges());
    Array<std::uint8_t> named(found.complex.edges(), 0);
    for (const Index edge : edge_of_segment) {
      if (named[edge] != 0) ++found.merged_segments;
      named[edge] = 1;
    }
    found.complex.origin().named_edges = std::move(named);
  }

  Uses uses() { return {use_offsets_.view(), use_corners_.view()}; }

  void write_uses() {
    const Index cells = view_.cells();
    cell_faces_.offsets = Buffer<Index>(stream_, std::size_t{cells} + 1);
    Buffer<Index> first_corner(stream_, std::size_t{cells} + 1);
    exec::for_each(stream_, cells + 1,
                   CountUses{view_, cell_faces_.offsets.view(), first_corner.view()});
    require_nameable(
        exec::reduce(stream_, first_corner.const_view(), std::uint64_t{0}, exec::Plus{}) +
            soup_.polygon_corners.size(),
        "corners of faces");
    exec::exclusive_scan(stream_, cell_faces_.offsets.view(), cell_faces_.offsets.view());
    exec::exclusive_scan(stream_, first_corner.view(), first_corner.view());
    use_count_ = view_.polygons() + exec::download_one(stream_, cell_faces_.offsets, cells);
    const Index corners = static_cast<Index>(soup_.polygon_corners.size()) +
                          exec::download_one(stream_, first_corner, cells);
    use_offsets_ = Buffer<Index>(stream_, std::size_t{use_count_} + 1);
    use_corners_ = Buffer<Index>(stream_, corners);
    exec::for_each(stream_, view_.polygons(), WritePolygonUse{view_, uses()});
    exec::for_each(stream_, cells + 1,
                   WriteCellUses{view_, find_turned(), cell_faces_.offsets.const_view(),
                                 first_corner.const_view(), uses()});
  }

  Turned find_turned() {
    const SignCounts signs =
        exec::reduce(stream_, view_.cells(), SignCounts{}, SignOfCell{view_}, AddSigns{});
    Turned turned;
    for (int i = 0; i < 4; ++i) {
      turned.type[i] = signs.balance[i] < 0;
      if (turned.type[i])
        turned_cells_[static_cast<std::size_t>(i)] = static_cast<Index>(signs.cells[i]);
    }
    return turned;
  }

  void find_faces() {
    const GroupedUses groups = group_uses(stream_, uses(), use_count_, soup_.positions.size());
    const Buffer<Index>& order = groups.order;
    const Index runs = groups.runs;
    const View<const Index> starts = groups.run_starts.const_view().subview(0, runs);
    Buffer<Index> first_face(stream_, std::size_t{runs} + 1);
    face_of_use_ = Buffer<SignedIndex>(stream_, use_count_);
    exec::for_each(
        stream_, runs + 1,
        MatchRun{uses(), order.const_view(), starts, first_face.view(), face_of_use_.view()});
    exec::exclusive_scan(stream_, first_face.view(), first_face.view());
    const Index faces = exec::download_one(stream_, first_face, runs);
    use_of_face_ = Buffer<Index>(stream_, faces);
    exec::for_each(stream_, runs,
                   NumberFaces{order.const_view(), starts, first_face.const_view(),
                               face_of_use_.view(), use_of_face_.view()});
    cell_faces_.entries = Buffer<SignedIndex>(stream_, use_count_ - view_.polygons());
    exec::for_each(
        stream_, use_count_ - view_.polygons(),
        FaceOfCellUse{face_of_use_.const_view(), view_.polygons(), cell_faces_.entries.view()});
  }

  void find_edges() {
    const auto faces = static_cast<Index>(use_of_face_.size());
    const auto segments = static_cast<Index>(soup_.segments.size());
    const int bits = exec::bits_for(soup_.positions.size());
    face_edges_.offsets = Buffer<Index>(stream_, std::size_t{faces} + 1);
    exec::for_each(stream_, faces + 1,
                   FaceSize{uses(), use_of_face_.const_view(), face_edges_.offsets.view()});
    exec::exclusive_scan(stream_, face_edges_.offsets.view(), face_edges_.offsets.view());
    const Index face_sides = exec::download_one(stream_, face_edges_.offsets, faces);
    require_nameable(std::uint64_t{face_sides} + segments, "edges of faces");
    const Index side_count = face_sides + segments;
    Buffer<std::uint64_t> keys(stream_, side_count);
    exec::for_each(stream_, segments, WriteSegmentKey{device_.segments.view(), keys.view(), bits});
    exec::for_each(
        stream_, faces,
        WriteSideKeys{uses(), use_of_face_.const_view(), face_edges_.offsets.const_view(),
                      keys.view().subview(segments, face_sides), bits});
    Buffer<Index> sides = exec::all_indices(stream_, side_count);
    exec::sort_pairs(stream_, keys, sides, 2 * bits);
    Buffer<Index> starts(stream_, side_count);
    const Index edges = exec::compact(
        stream_, side_count, exec::StartsRun<std::uint64_t>{keys.const_view()}, starts.view());
    edge_vertices_ = Buffer<EdgeVertices>(stream_, edges);
    edge_of_segment_ = Buffer<Index>(stream_, segments);
    Buffer<Index> edge_of_side(stream_, face_sides);
    exec::for_each(
        stream_, edges,
        WriteEdges{keys.const_view(), sides.const_view(), starts.const_view(), segments, bits,
                   edge_vertices_.view(), edge_of_segment_.view(), edge_of_side.view()});
    face_edges_.entries = Buffer<SignedIndex>(stream_, face_sides);
    exec::for_each(
        stream_, faces,
        OrientFaceEdges{uses(), use_of_face_.const_view(), face_edges_.offsets.const_view(),
                        edge_of_side.const_view(), face_edges_.entries.view()});
  }

  exec::Stream stream_;
  const PolyhedralSoup& soup_;
  SoupOnDevice device_;
  SoupView view_;
  std::array<Index, 5> turned_cells_{};
  Index use_count_ = 0;
  Buffer<Index> use_offsets_;
  Buffer<Index> use_corners_;
  Buffer<SignedIndex> face_of_use_;
  Buffer<Index> use_of_face_;
  Buffer<EdgeVertices> edge_vertices_;
  Buffer<Index> edge_of_segment_;
  TernaryMatrix face_edges_;
  TernaryMatrix cell_faces_;
};

}  // namespace

FoundElements find_elements(const exec::Stream& stream, const PolyhedralSoup& soup) {
  return Builder(stream, soup).run();
}

}  // namespace tessera::volume::detail
