// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/dynamic_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/compact.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/sort.h"
#include "tessera/surface/detail/creases.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/sorted_faces.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;

constexpr Index fixed_cut = DynamicView::fixed | DynamicView::cut;

struct HasThreeVertices {
  View<const Triangle> triangles;
  TESSERA_KERNEL bool operator()(Index f) const {
    const Triangle t = triangles[f];
    return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
  }
};

/// Two half-edges are twins where an edge has just these and they go opposite ways. Elsewhere the
/// mesh is cut.
struct FindTwins {
  detail::EdgeView edges;
  DynamicView mesh;
  TESSERA_KERNEL void operator()(Index e) const {
    const Index count = edges.count(e);
    const Index a = edges.half_edge(e, 0);
    if (count == 1) return;
    const Index b = edges.half_edge(e, 1);
    if (count == 2 && mesh.from(a) == mesh.to(b)) {
      mesh.twins[a] = b;
      mesh.twins[b] = a;
      return;
    }
    for (Index i = 0; i < count; ++i) {
      const Index h = edges.half_edge(e, i);
      mesh.edge_marks[h] |= DynamicView::frozen;
      exec::atomic_max(mesh.vertex_marks[mesh.from(h)], fixed_cut);
      exec::atomic_max(mesh.vertex_marks[mesh.to(h)], fixed_cut);
    }
  }
};

/// Edges that are among the given ones become creases, unless they are borders, which are lines
/// already.
struct MarkGiven {
  detail::EdgeView edges;
  View<const std::uint64_t> given;  ///< keys, ascending
  DynamicView mesh;
  View<std::uint8_t> are_found;

  TESSERA_KERNEL static std::uint64_t key(Index a, Index b) {
    return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a;
  }
  TESSERA_KERNEL void operator()(Index e) const {
    const std::uint64_t own = key(edges.vertices[e][0], edges.vertices[e][1]);
    std::size_t first = 0;
    for (std::size_t last = given.size(); first < last;) {
      const std::size_t middle = first + (last - first) / 2;
      if (given[middle] < own)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == given.size() || given[first] != own) return;
    are_found[first] = 1;
    const Index count = edges.count(e);
    const std::uint8_t marks =
        count == 1 ? DynamicView::given : DynamicView::given | DynamicView::crease;
    for (Index i = 0; i < count; ++i) mesh.edge_marks[edges.half_edge(e, i)] |= marks;
  }
};

/// `place_of_vertex`: of the vertices of the input.
void mark_given(const exec::Stream& stream, const TriangleSoup& mesh,
                const Array<Index>& place_of_vertex, const detail::EdgeTable& edges,
                const DynamicView& view) {
  std::vector<std::uint64_t> keys;
  for (const VertexPair& ridge : mesh.ridges)
    keys.push_back(MarkGiven::key(place_of_vertex[ridge[0]], place_of_vertex[ridge[1]]));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const Buffer<std::uint64_t> given = exec::upload(stream, std::span<const std::uint64_t>(keys));
  Buffer<std::uint8_t> are_found(stream, keys.size());
  exec::fill(stream, are_found.view(), 0);
  exec::for_each(stream, edges.size(),
                 MarkGiven{edges.view(), given.const_view(), view, are_found.view()});
  const Array<std::uint8_t> found = exec::download(stream, are_found);
  for (const VertexPair& ridge : mesh.ridges) {
    const auto key = MarkGiven::key(place_of_vertex[ridge[0]], place_of_vertex[ridge[1]]);
    if (found[std::lower_bound(keys.begin(), keys.end(), key) - keys.begin()] == 0)
      throw InputError("the ridge between vertices " + std::to_string(ridge[0]) + " and " +
                       std::to_string(ridge[1]) + " (from 0) is no edge of the mesh");
  }
}

struct CountCorners {
  DynamicView mesh;
  View<Index> corners;
  View<Index> starts;
  TESSERA_KERNEL void operator()(Index h) const {
    const Index v = mesh.from(h);
    exec::atomic_add(corners[v], Index{1});
    exec::atomic_min(mesh.vertex_edges[v], h);
    if (mesh.is_border(h)) exec::atomic_min(starts[v], h);
  }
};

struct StartFans {
  DynamicView mesh;
  View<const Index> starts;
  TESSERA_KERNEL void operator()(Index v) const {
    if (starts[v] != no_index) mesh.vertex_edges[v] = starts[v];
  }
};

struct HasSeveralFans {
  DynamicView mesh;
  View<const Index> corners;
  TESSERA_KERNEL Index operator()(Index v) const {
    if (corners[v] == 0) return 0;
    Index count = 0;
    mesh.visit_star(v, [&count](Index) {
      ++count;
      return true;
    });
    return count != corners[v] ? 1 : 0;
  }
};

struct IsFace {
  View<const Triangle> triangles;
  TESSERA_KERNEL bool operator()(Index f) const { return triangles[f][0] != no_index; }
};

struct IsVertex {
  View<const Index> vertex_edges;
  TESSERA_KERNEL bool operator()(Index v) const { return vertex_edges[v] != no_index; }
};

/// Not one of those that became several when the mesh was cut, but for the first.
struct IsOwnVertex {
  View<const Index> vertex_edges;
  View<const Index> copy_of;
  TESSERA_KERNEL bool operator()(Index v) const {
    return vertex_edges[v] != no_index && copy_of[v] == no_index;
  }
};

/// Corners by the numbers of their vertices.
struct NumberCorners {
  View<const Triangle> from;
  View<const Index> faces;
  View<const Index> copy_of;
  View<const Index> numbers;
  View<Triangle> to;
  TESSERA_KERNEL void operator()(Index i) const {
    const Triangle t = from[faces[i]];
    for (int k = 0; k < 3; ++k)
      to[i][k] = numbers[copy_of[t[k]] == no_index ? t[k] : copy_of[t[k]]];
  }
};

template <class F>
struct CountIf {
  F f;
  TESSERA_KERNEL Index operator()(Index i) const { return f(i) ? 1 : 0; }
};

struct PackFaces {
  DynamicView from;
  View<const Index> faces;
  View<const Index> face_numbers;
  View<const Index> vertex_numbers;
  View<Triangle> triangles;
  View<Index> twins;
  View<std::uint8_t> edge_marks;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index f = faces[i];
    for (Index k = 0; k < 3; ++k) {
      triangles[i][static_cast<int>(k)] = vertex_numbers[from.from(3 * f + k)];
      const Index twin = from.twins[3 * f + k];
      twins[3 * i + k] = twin == no_index ? no_index : 3 * face_numbers[twin / 3] + twin % 3;
      edge_marks[3 * i + k] = from.edge_marks[3 * f + k];
    }
  }
};

struct PackVertices {
  DynamicView from;
  View<const Index> copy_of;
  View<const Index> vertices;
  View<const Index> face_numbers;
  View<const Index> vertex_numbers;
  View<Index> vertex_edges;
  View<Vec3d> positions;
  View<Index> marks;
  View<Index> copies;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index v = vertices[i];
    const Index h = from.vertex_edges[v];
    vertex_edges[i] = 3 * face_numbers[h / 3] + h % 3;
    positions[i] = from.positions[v];
    marks[i] = from.vertex_marks[v];
    copies[i] = copy_of[v] == no_index ? no_index : vertex_numbers[copy_of[v]];
  }
};

/// The face, by its new number, that a vertex has its edge from.
struct FirstFace {
  DynamicView mesh;
  View<const Index> vertices;
  View<const Index> face_numbers;
  View<Index> first_faces;
  TESSERA_KERNEL void operator()(Index i) const {
    const Index v = vertices[i];
    first_faces[v] = face_numbers[mesh.vertex_edges[v] / 3];
  }
};

/// Sorts elements by their values.
void sort_by(const exec::Stream& stream, const View<const Index>& values, Buffer<Index>& elements) {
  Buffer<Index> keys(stream, elements.size());
  exec::gather_values(stream, values, elements.const_view(), keys.view());
  exec::sort_pairs(stream, keys, elements);
}

/// Gives every fan but the first of a vertex a vertex of its own.
struct HostMesh {
  Array<Triangle> triangles;
  Array<Index> twins;
  std::vector<Vec3d> positions;
  std::vector<Index> vertex_marks;
  std::vector<Index> vertex_edges;
  std::vector<Index> copy_of;

  Index& from(Index h) { return triangles[h / 3][static_cast<int>(h % 3)]; }
  Index start_of_fan(Index h) const {
    const Index first = h;
    while (twins[h] != no_index) {
      h = detail::next_corner(twins[h]);
      if (h == first) break;
    }
    return h;
  }
  void cut() {
    std::vector<bool> is_done(twins.size());
    for (std::size_t v = 0; v < vertex_edges.size(); ++v) vertex_edges[v] = no_index;
    for (Index corner = 0; corner < twins.size(); ++corner) {
      if (is_done[corner]) continue;
      Index v = from(corner);
      const Index start = start_of_fan(corner);
      if (vertex_edges[v] != no_index) {
        vertex_marks[v] = fixed_cut;
        positions.push_back(positions[v]);
        vertex_marks.push_back(fixed_cut);
        vertex_edges.push_back(start);
        copy_of.push_back(v);
        v = static_cast<Index>(positions.size() - 1);
      }
      vertex_edges[v] = start;
      Index h = start;
      do {
        is_done[h] = true;
        from(h) = v;
        h = twins[detail::previous_corner(h)];
      } while (h != start && h != no_index);
    }
  }
};

template <class T>
Buffer<T> upload_vector(const exec::Stream& stream, const std::vector<T>& values) {
  Buffer<T> buffer(stream, values.size());
  exec::copy_to_device(stream, buffer.view(), std::span<const T>(values));
  stream.synchronize();
  return buffer;
}

}  // namespace

void check_ridge_angle(double degrees) {
  if (!(degrees >= 0 && degrees <= 180))
    throw InputError("the angle of ridges is not between 0 and 180 degrees");
}

DynamicMesh::DynamicMesh(const exec::Stream& stream, const TriangleSoup& mesh, Carry carry)
    : stream_(stream), precision_(mesh.precision), has_given_ridges_(!mesh.ridges.empty()) {
  if (const auto wrong = mesh.validate()) throw InputError(*wrong);
  vertex_places_ = static_cast<Index>(mesh.positions.size());
  Array<Index> place_of_vertex;  // only where there are ridges
  {
    const Buffer<Vec3d> positions = exec::upload(stream, mesh.positions);
    const Buffer<Triangle> triangles = exec::upload(stream, mesh.triangles);
    detail::SortedFaces sorted =
        detail::sort_in_space(stream, positions.const_view(), triangles.const_view());
    Buffer<Index> kept(stream, mesh.triangles.size());
    face_places_ = exec::compact(stream, static_cast<Index>(mesh.triangles.size()),
                                 HasThreeVertices{sorted.triangles.const_view()}, kept.view());
    const View<const Index> kept_faces = kept.const_view().subview(0, face_places_);
    if (face_places_ == mesh.triangles.size())
      triangles_ = std::move(sorted.triangles);
    else
      triangles_ = exec::gathered(stream, sorted.triangles, kept_faces);
    positions_ = exec::gathered(stream, positions, sorted.input_of_vertex.const_view());
    if (!mesh.ridges.empty()) {
      Buffer<Index> places(stream, vertex_places_);
      exec::invert(stream, sorted.input_of_vertex.const_view(), places.view());
      place_of_vertex = exec::download(stream, places);
    }
    if (carry == Carry::attributes) {
      const Buffer<Index> input_of_face = exec::gathered(stream, sorted.input_of_face, kept_faces);
      carried_ = detail::CarriedAttributes(stream, mesh, sorted.input_of_vertex.const_view(),
                                           input_of_face.const_view());
    }
  }
  const Index half_edges = 3 * face_places_;
  homes_ = exec::all_indices(stream, face_places_);
  twins_ = Buffer<Index>(stream, half_edges);
  edge_marks_ = Buffer<std::uint8_t>(stream, half_edges);
  vertex_marks_ = Buffer<Index>(stream, vertex_places_);
  vertex_edges_ = Buffer<Index>(stream, vertex_places_);
  copy_of_ = Buffer<Index>(stream, vertex_places_);
  exec::fill(stream, twins_.view(), no_index);
  exec::fill(stream, edge_marks_.view(), 0);
  exec::fill(stream, vertex_marks_.view(), 0);
  exec::fill(stream, vertex_edges_.view(), no_index);
  exec::fill(stream, copy_of_.view(), no_index);
  {
    const detail::EdgeTable edges =
        detail::build_edges(stream, triangles_.const_view(), vertex_places_);
    exec::for_each(stream, edges.size(), FindTwins{edges.view(), view()});
    if (!mesh.ridges.empty()) mark_given(stream, mesh, place_of_vertex, edges, view());
  }
  Buffer<Index> corners(stream, vertex_places_);
  Buffer<Index> starts(stream, vertex_places_);
  exec::fill(stream, corners.view(), 0);
  exec::fill(stream, starts.view(), no_index);
  exec::for_each(stream, half_edges, CountCorners{view(), corners.view(), starts.view()});
  exec::for_each(stream, vertex_places_, StartFans{view(), starts.const_view()});
  if (exec::reduce(stream, vertex_places_, Index{0}, HasSeveralFans{view(), corners.const_view()},
                   exec::Maximum{}) == 0)
    return;
  // Rare, and few of them where there are any: on the host.
  const auto to_vector = [&stream](const auto& buffer) {
    const auto values = exec::download(stream, buffer);
    return std::vector(values.begin(), values.end());
  };
  HostMesh host{
      exec::download(stream, triangles_), exec::download(stream, twins_), to_vector(positions_),
      to_vector(vertex_marks_),           to_vector(vertex_edges_),       to_vector(copy_of_)};
  host.cut();
  triangles_ = exec::upload(stream, host.triangles);
  positions_ = upload_vector(stream, host.positions);
  vertex_marks_ = upload_vector(stream, host.vertex_marks);
  vertex_edges_ = upload_vector(stream, host.vertex_edges);
  copy_of_ = upload_vector(stream, host.copy_of);
  carried_.copy_vertices(stream, vertex_places_, copy_of_.const_view());
  vertex_places_ = static_cast<Index>(host.positions.size());
}

Index DynamicMesh::faces() const {
  return exec::reduce(stream_, face_places_, Index{0},
                      CountIf<IsFace>{IsFace{triangles_.const_view()}}, exec::Plus{});
}

Index DynamicMesh::vertices() const {
  return exec::reduce(stream_, vertex_places_, Index{0},
                      CountIf<IsVertex>{IsVertex{vertex_edges_.const_view()}}, exec::Plus{});
}

DynamicView DynamicMesh::view() {
  return {triangles_.view(),     twins_.view(),      vertex_edges_.view(),
          positions_.view(),     edge_marks_.view(), vertex_marks_.view(),
          copy_of_.const_view(), homes_.view(),      carried_.view()};
}

void DynamicMesh::make_room(std::size_t faces, std::size_t vertices) {
  // All or nothing.
  auto triangles = exec::grown(stream_, triangles_, faces);
  auto twins = exec::grown(stream_, twins_, 3 * faces);
  auto edges = exec::grown(stream_, edge_marks_, 3 * faces);
  auto vertex_edges = exec::grown(stream_, vertex_edges_, vertices);
  auto positions = exec::grown(stream_, positions_, vertices);
  auto marks = exec::grown(stream_, vertex_marks_, vertices);
  auto copies = exec::grown(stream_, copy_of_, vertices);
  auto homes = exec::grown(stream_, homes_, faces);
  auto carried = carried_.larger(stream_, faces, vertices);
  triangles_.swap(triangles);
  twins_.swap(twins);
  edge_marks_.swap(edges);
  vertex_edges_.swap(vertex_edges);
  positions_.swap(positions);
  vertex_marks_.swap(marks);
  copy_of_.swap(copies);
  homes_.swap(homes);
  carried_.swap(carried);
}

void DynamicMesh::extend(std::size_t more_faces, std::size_t more_vertices) {
  const std::size_t faces = face_places_ + more_faces;
  const std::size_t vertices = vertex_places_ + more_vertices;
  constexpr std::size_t most_faces = no_index / 3;
  constexpr std::size_t most_vertices = no_index - 1;
  if (faces > most_faces || vertices > most_vertices)
    throw InputError("the mesh has grown to more elements than 32 bits can number");
  if (faces > triangles_.size() || vertices > vertex_edges_.size())
    make_room(std::min(most_faces, faces + faces / 2),
              std::min(most_vertices, vertices + vertices / 2));
  exec::fill(stream_, triangles_.view().subview(face_places_, more_faces),
             Triangle{no_index, no_index, no_index});
  exec::fill(stream_, vertex_edges_.view().subview(vertex_places_, more_vertices), no_index);
  exec::fill(stream_, copy_of_.view().subview(vertex_places_, more_vertices), no_index);
  exec::fill(stream_, vertex_marks_.view().subview(vertex_places_, more_vertices), 0);
  carried_.clear_vertices(stream_, vertex_places_, static_cast<Index>(vertices));
  face_places_ = static_cast<Index>(faces);
  vertex_places_ = static_cast<Index>(vertices);
  has_grown_ = has_grown_ || more_faces > 0;
}

Buffer<Index> DynamicMesh::pack() {
  Buffer<Index> faces(stream_, face_places_);
  Buffer<Index> vertices(stream_, vertex_places_);
  const Index face_count =
      exec::compact(stream_, face_places_, IsFace{triangles_.const_view()}, faces.view());
  const Index vertex_count =
      exec::compact(stream_, vertex_places_, IsVertex{vertex_edges_.const_view()}, vertices.view());
  if (face_count == face_places_ && vertex_count == vertex_places_ && !has_grown_) return {};
  faces.shrink(face_count);
  vertices.shrink(vertex_count);
  Buffer<Index> face_numbers(stream_, face_places_);
  Buffer<Index> vertex_numbers(stream_, vertex_places_);
  if (has_grown_) sort_by(stream_, homes_.const_view(), faces);
  exec::invert(stream_, faces.const_view(), face_numbers.view());
  if (has_grown_) {
    Buffer<Index> first_faces(stream_, vertex_places_);
    exec::for_each(
        stream_, vertex_count,
        FirstFace{view(), vertices.const_view(), face_numbers.const_view(), first_faces.view()});
    sort_by(stream_, first_faces.const_view(), vertices);
  }
  exec::invert(stream_, vertices.const_view(), vertex_numbers.view());
  Buffer<Triangle> triangles(stream_, face_count);
  Buffer<Index> twins(stream_, std::size_t{3} * face_count);
  Buffer<std::uint8_t> edges(stream_, std::size_t{3} * face_count);
  exec::for_each(
      stream_, face_count,
      PackFaces{view(), faces.const_view(), face_numbers.const_view(), vertex_numbers.const_view(),
                triangles.view(), twins.view(), edges.view()});
  Buffer<Index> vertex_edges(stream_, vertex_count);
  Buffer<Vec3d> positions(stream_, vertex_count);
  Buffer<Index> marks(stream_, vertex_count);
  Buffer<Index> copies(stream_, vertex_count);
  exec::for_each(stream_, vertex_count,
                 PackVertices{view(), copy_of_.const_view(), vertices.const_view(),
                              face_numbers.const_view(), vertex_numbers.const_view(),
                              vertex_edges.view(), positions.view(), marks.view(), copies.view()});
  detail::CarriedAttributes::Buffers carried =
      carried_.packed(stream_, faces.const_view(), vertices.const_view());
  Buffer<Index> homes = exec::all_indices(stream_, face_count);
  carried_.swap(carried);
  homes_.swap(homes);
  triangles_.swap(triangles);
  twins_.swap(twins);
  edge_marks_.swap(edges);
  vertex_edges_.swap(vertex_edges);
  positions_.swap(positions);
  vertex_marks_.swap(marks);
  copy_of_.swap(copies);
  face_places_ = face_count;
  vertex_places_ = vertex_count;
  has_grown_ = false;
  return vertices;
}

void DynamicMesh::mark_creases(double degrees) {
  check_ridge_angle(degrees);
  detail::mark_creases(stream_, view(), face_places_, vertex_places_, degrees);
}

TriangleSoup DynamicMesh::to_soup() const {
  Buffer<Index> faces(stream_, face_places_);
  faces.shrink(exec::compact(stream_, face_places_, IsFace{triangles_.const_view()}, faces.view()));
  Buffer<Index> vertices(stream_, vertex_places_);
  vertices.shrink(exec::compact(stream_, vertex_places_,
                                IsOwnVertex{vertex_edges_.const_view(), copy_of_.const_view()},
                                vertices.view()));
  Buffer<Index> numbers(stream_, vertex_places_);
  exec::invert(stream_, vertices.const_view(), numbers.view());
  Buffer<Triangle> triangles(stream_, faces.size());
  exec::for_each(stream_, static_cast<Index>(faces.size()),
                 NumberCorners{triangles_.const_view(), faces.const_view(), copy_of_.const_view(),
                               numbers.const_view(), triangles.view()});
  TriangleSoup soup;
  soup.precision = precision_;
  soup.positions =
      exec::download(stream_, exec::gathered(stream_, positions_, vertices.const_view()));
  soup.triangles = exec::download(stream_, triangles);
  if (has_given_ridges_) add_ridges(exec::download(stream_, faces), soup);
  carried_.write(stream_, faces.const_view(), vertices.const_view(), soup);
  return soup;
}

void DynamicMesh::add_ridges(const Array<Index>& faces, TriangleSoup& soup) const {
  const Array<std::uint8_t> marks = exec::download(stream_, edge_marks_);
  const Array<Index> twins = exec::download(stream_, twins_);
  std::vector<VertexPair> ridges;
  for (std::size_t i = 0; i < faces.size(); ++i)
    for (Index k = 0; k < 3; ++k) {
      const Index h = 3 * faces[i] + k;
      if ((marks[h] & DynamicView::given) == 0 || (twins[h] != no_index && twins[h] < h)) continue;
      const Triangle& t = soup.triangles[i];
      const Index ends[2] = {t[static_cast<int>(k)], t[static_cast<int>((k + 1) % 3)]};
      ridges.push_back({std::min(ends[0], ends[1]), std::max(ends[0], ends[1])});
    }
  // An edge of several faces, where the mesh was cut, has come several times.
  std::sort(ridges.begin(), ridges.end(), [](const VertexPair& a, const VertexPair& b) {
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
  });
  ridges.erase(std::unique(ridges.begin(), ridges.end()), ridges.end());
  soup.ridges.resize(ridges.size());
  std::copy(ridges.begin(), ridges.end(), soup.ridges.begin());
}

std::optional<std::string> DynamicMesh::validate() const {
  const Array<Triangle> triangles = exec::download(stream_, triangles_);
  const Array<Index> twins = exec::download(stream_, twins_);
  const Array<Index> vertex_edges = exec::download(stream_, vertex_edges_);
  const Array<std::uint8_t> marks = exec::download(stream_, edge_marks_);
  const auto from = [&](Index h) { return triangles[h / 3][static_cast<int>(h % 3)]; };
  const auto is_face = [&](Index f) { return triangles[f][0] != no_index; };
  const auto name = [](const char* what, Index i) { return what + std::to_string(i); };
  std::vector<Index> corners(vertex_places_, 0);
  for (Index h = 0; h < 3 * face_places_; ++h) {
    if (!is_face(h / 3)) continue;
    const Index v = from(h);
    const Index w = from(detail::next_corner(h));
    if (v >= vertex_places_ || vertex_edges[v] == no_index)
      return name("face ", h / 3) + " has a vertex that is none";
    if (v == w) return name("face ", h / 3) + " has a vertex twice";
    ++corners[v];
    const Index t = twins[h];
    if (t == no_index) continue;
    if (t >= 3 * face_places_ || !is_face(t / 3) || twins[t] != h || t / 3 == h / 3)
      return name("half-edge ", h) + " and the one on its other side do not know each other";
    if (from(t) != w || from(detail::next_corner(t)) != v)
      return name("half-edge ", h) + " and the one on its other side have different vertices";
    if (marks[t] != marks[h]) return name("half-edge ", h) + " has other marks than its twin";
  }
  // Edges between two vertices where the mesh was cut may be several, as they were in the input.
  const Array<Index> vertex_marks = exec::download(stream_, vertex_marks_);
  std::vector<std::pair<Index, Index>> ends;
  for (Index h = 0; h < 3 * face_places_; ++h) {
    if (!is_face(h / 3)) continue;
    const Index v = from(h);
    const Index w = from(detail::next_corner(h));
    if ((vertex_marks[v] & vertex_marks[w] & DynamicView::cut) == 0) ends.emplace_back(v, w);
  }
  std::sort(ends.begin(), ends.end());
  const auto twice = std::adjacent_find(ends.begin(), ends.end());
  if (twice != ends.end())
    return name("vertex ", twice->first) + name(" has two edges to vertex ", twice->second);
  for (Index v = 0; v < vertex_places_; ++v) {
    const Index first = vertex_edges[v];
    if (first == no_index) {
      if (corners[v] != 0) return name("vertex ", v) + " is none but has faces";
      continue;
    }
    if (first >= 3 * face_places_ || !is_face(first / 3) || from(first) != v)
      return name("vertex ", v) + " has an edge that does not leave it";
    Index count = 0;
    Index h = first;
    do {
      if (++count > corners[v]) return name("vertex ", v) + " has a star without end";
      h = twins[detail::previous_corner(h)];
    } while (h != first && h != no_index);
    if (count != corners[v]) return name("vertex ", v) + " does not reach all of its faces";
  }
  return std::nullopt;
}

}  // namespace tessera::surface
