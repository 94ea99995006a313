// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/named_cells.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/core/parallel.h"

namespace tessera::io::detail {
namespace {

/// The corners of a cell in the order of its type; a polyhedron has none.
struct NamedCell {
  CellType type = CellType::polyhedron;
  std::array<Index, 8> corners{};
};

/// A closed surface of at most six triangles and quadrilaterals, and what it is.
class SmallCell {
 public:
  SmallCell(const PolyhedralSoup& mesh, std::size_t cell) : mesh_(mesh) {
    const Index first = mesh.cell_offsets[cell];
    face_count_ = mesh.cell_offsets[cell + 1] - first;
    if (face_count_ > max_faces) return;
    for (Index i = 0; i < face_count_; ++i) {
      const Index entry = mesh.cell_entries[first + i];
      const Index polygon = std::min(entry, ~entry);
      faces_[i] = mesh.polygon_corners.data() + mesh.polygon_offsets[polygon];
      sizes_[i] = mesh.polygon_offsets[polygon + 1] - mesh.polygon_offsets[polygon];
      if (sizes_[i] == 3) ++triangles_;
      if (sizes_[i] == 4) ++quads_;
    }
    if (triangles_ + quads_ == face_count_) count_vertices();
  }

  NamedCell named() const {
    if (face_count_ > max_faces || triangles_ + quads_ != face_count_) return {};
    const auto is = [&](Index triangles, Index quads, Index vertices) {
      return triangles_ == triangles && quads_ == quads && vertex_count_ == vertices;
    };
    NamedCell cell;
    if (is(4, 0, 4))
      cell.type = CellType::tetrahedron;
    else if (is(4, 1, 5))
      cell.type = CellType::pyramid;
    else if (is(2, 3, 6))
      cell.type = CellType::prism;
    else if (is(0, 6, 8))
      cell.type = CellType::hexahedron;
    if (cell.type == CellType::polyhedron || !is_closed() || !find_corners(cell)) return {};
    turn_outwards(cell);
    return cell;
  }

 private:
  static constexpr Index max_faces = 6;

  void count_vertices() {
    std::array<Index, 4 * max_faces> all{};
    auto end = all.begin();
    for (Index i = 0; i < face_count_; ++i) end = std::copy_n(faces_[i], sizes_[i], end);
    std::sort(all.begin(), end);
    vertex_count_ = static_cast<Index>(std::unique(all.begin(), end) - all.begin());
  }

  /// Calls f(a, b) for the edges of all faces.
  template <class F>
  void for_each_edge(const F& f) const {
    for (Index i = 0; i < face_count_; ++i)
      for (Index k = 0; k < sizes_[i]; ++k) f(faces_[i][k], faces_[i][(k + 1) % sizes_[i]]);
  }

  /// Whether every edge is in two faces.
  bool is_closed() const {
    std::array<std::pair<Index, Index>, 4 * max_faces> edges{};
    std::size_t count = 0;
    for_each_edge([&](Index a, Index b) { edges[count++] = std::minmax(a, b); });
    std::sort(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; i += 2) {
      if (i + 1 == count || edges[i] != edges[i + 1]) return false;
      if (i > 0 && edges[i] == edges[i - 1]) return false;
    }
    return true;
  }

  /// The lower face, then above each of its corners, or of the first one, the vertex to which an
  /// edge leads. False if the cell is not of its type after all.
  bool find_corners(NamedCell& cell) const {
    const bool by_triangle = cell.type == CellType::tetrahedron || cell.type == CellType::prism;
    const Index size = by_triangle ? 3 : 4;
    const auto lower = std::find(sizes_.begin(), sizes_.begin() + face_count_, size);
    std::copy_n(faces_[static_cast<std::size_t>(lower - sizes_.begin())], size,
                cell.corners.begin());
    const Index above = corners_of(cell.type) - size;
    const auto is_lower = [&](Index v) {
      const auto end = cell.corners.begin() + size;
      return std::find(cell.corners.begin(), end, v) != end;
    };
    for (Index k = 0; k < above; ++k) {
      Index found = no_index;
      bool is_one = true;
      for_each_edge([&](Index a, Index b) {
        if (b == cell.corners[k]) std::swap(a, b);
        if (a != cell.corners[k] || is_lower(b)) return;
        is_one = is_one && (found == no_index || found == b);
        found = b;
      });
      if (found == no_index || !is_one) return false;
      const auto end = cell.corners.begin() + size + k;
      if (std::find(cell.corners.begin() + size, end, found) != end) return false;
      *end = found;
    }
    return true;
  }

  /// Files may turn the faces of a cell either way.
  void turn_outwards(NamedCell& cell) const {
    const bool by_triangle = cell.type == CellType::tetrahedron || cell.type == CellType::prism;
    const Index size = by_triangle ? 3 : 4;
    const Index count = corners_of(cell.type);
    const auto p = [&](Index k) { return mesh_.positions[cell.corners[k]]; };
    // The middle of the corners above, seen from the lower face, over the fan of that.
    Vec3d top{};
    for (Index k = size; k < count; ++k) top = top + p(k) * (1.0 / (count - size));
    double volume = 0;
    for (Index k = 1; k + 1 < size; ++k)
      volume += dot(cross(p(k) - p(0), p(k + 1) - p(0)), top - p(0));
    if (volume >= 0) return;
    std::reverse(cell.corners.begin(), cell.corners.begin() + size);
    std::reverse(cell.corners.begin() + size, cell.corners.begin() + count);
  }

  const PolyhedralSoup& mesh_;
  Index face_count_ = 0;
  Index triangles_ = 0;
  Index quads_ = 0;
  Index vertex_count_ = 0;
  std::array<const Index*, max_faces> faces_{};
  std::array<Index, max_faces> sizes_{};
};

/// Keeps polygons that are in no cell and those that a polyhedron has.
void drop_faces(const PolyhedralSoup& old, PolyhedralSoup& mesh) {
  constexpr std::uint8_t of_named = 1;
  constexpr std::uint8_t of_polyhedron = 2;
  Array<std::uint8_t> uses(old.polygon_count(), 0);
  for (std::size_t c = 0; c < old.cell_count(); ++c) {
    if (old.cell_types[c] != CellType::polyhedron) continue;
    const bool named = mesh.cell_types[c] != CellType::polyhedron;
    for (Index i = old.cell_offsets[c]; i < old.cell_offsets[c + 1]; ++i) {
      const Index polygon = std::min(old.cell_entries[i], ~old.cell_entries[i]);
      uses[polygon] |= named ? of_named : of_polyhedron;
    }
  }
  Array<Index> numbers(old.polygon_count());
  for (std::size_t p = 0; p < uses.size(); ++p) {
    if (uses[p] == of_named) continue;
    numbers[p] = static_cast<Index>(mesh.polygon_count());
    mesh.polygon_corners.insert(mesh.polygon_corners.end(),
                                old.polygon_corners.begin() + old.polygon_offsets[p],
                                old.polygon_corners.begin() + old.polygon_offsets[p + 1]);
    mesh.polygon_offsets.push_back(static_cast<Index>(mesh.polygon_corners.size()));
  }
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    if (mesh.cell_types[c] != CellType::polyhedron) continue;
    for (Index i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      Index& entry = mesh.cell_entries[i];
      entry = entry < ~entry ? numbers[entry] : ~numbers[~entry];
    }
  }
}

}  // namespace

void name_polyhedra(PolyhedralSoup& mesh) {
  Array<NamedCell> cells(mesh.cell_count());
  parallel_for_ranges(cells.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      cells[c] =
          mesh.cell_types[c] == CellType::polyhedron ? SmallCell(mesh, c).named() : NamedCell{};
  });
  PolyhedralSoup old;
  std::swap(old.cell_types, mesh.cell_types);
  std::swap(old.cell_offsets, mesh.cell_offsets);
  std::swap(old.cell_entries, mesh.cell_entries);
  std::swap(old.polygon_offsets, mesh.polygon_offsets);
  std::swap(old.polygon_corners, mesh.polygon_corners);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const NamedCell& cell = cells[c];
    const bool is_named = cell.type != CellType::polyhedron;
    mesh.cell_types.push_back(is_named ? cell.type : old.cell_types[c]);
    if (is_named)
      mesh.cell_entries.insert(mesh.cell_entries.end(), cell.corners.begin(),
                               cell.corners.begin() + corners_of(cell.type));
    else
      mesh.cell_entries.insert(mesh.cell_entries.end(),
                               old.cell_entries.begin() + old.cell_offsets[c],
                               old.cell_entries.begin() + old.cell_offsets[c + 1]);
    mesh.cell_offsets.push_back(static_cast<Index>(mesh.cell_entries.size()));
  }
  drop_faces(old, mesh);
}

}  // namespace tessera::io::detail
