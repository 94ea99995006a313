// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Volume meshes for tests, and what the tests of their files share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"
#include "tessera/io/polyhedra.h"

namespace tessera::io::testing {

inline ReadPolyhedraResult parse_cells(std::string_view text, Format format, int threads = 0) {
  ReadOptions options;
  options.threads = threads;
  return parse_polyhedra({text.data(), text.size()}, format, "test", options);
}

/// The text is refused with exactly that sentence.
inline void expect_cells_refused(std::string_view text, Format format, std::string_view sentence) {
  try {
    parse_cells(text, format);
    ADD_FAILURE() << "accepted:\n" << text.substr(0, 300);
  } catch (const InputError& error) {
    EXPECT_EQ(std::string_view(error.what()), sentence) << text.substr(0, 300);
  }
}

/// Whatever the bytes are, reading ends in a valid mesh or an InputError.
inline void expect_survives(const std::vector<char>& bytes, Format format) {
  try {
    const auto result = parse_cells({bytes.data(), bytes.size()}, format);
    EXPECT_EQ(result.mesh.validate(), std::nullopt);
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("test:")) << error.what();
  }
}

/// Every beginning of a file, and files with a few bytes changed.
inline void expect_survives_damage(std::string_view text, Format format) {
  for (std::size_t n = 0; n < text.size(); ++n)
    expect_survives({text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n)}, format);
  const Random random(7);
  std::uint64_t draw = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<char> bytes(text.begin(), text.end());
    for (std::uint32_t i = 0; i <= random.below(draw, 4); ++i) {
      const std::size_t at = random.below(++draw, static_cast<std::uint32_t>(bytes.size()));
      // Digits for digits keep a text readable; any byte elsewhere.
      bytes[at] = round % 2 == 0 ? static_cast<char>('0' + random.below(++draw, 10))
                                 : static_cast<char>(random.below(++draw, 256));
    }
    ++draw;
    expect_survives(bytes, format);
  }
}

inline void expect_same(const PolyhedralSoup& a, const PolyhedralSoup& b) {
  EXPECT_TRUE(a.positions == b.positions);
  EXPECT_TRUE(a.segments == b.segments);
  EXPECT_TRUE(a.polygon_offsets == b.polygon_offsets);
  EXPECT_TRUE(a.polygon_corners == b.polygon_corners);
  EXPECT_TRUE(a.cell_types == b.cell_types);
  EXPECT_TRUE(a.cell_offsets == b.cell_offsets);
  EXPECT_TRUE(a.cell_entries == b.cell_entries);
  EXPECT_EQ(a.precision, b.precision);
  expect_same_attributes(a.vertex_attributes, b.vertex_attributes);
  expect_same_attributes(a.segment_attributes, b.segment_attributes);
  expect_same_attributes(a.polygon_attributes, b.polygon_attributes);
  expect_same_attributes(a.cell_attributes, b.cell_attributes);
}

inline void add_polygon(PolyhedralSoup& mesh, const std::vector<Index>& corners) {
  mesh.polygon_corners.insert(mesh.polygon_corners.end(), corners.begin(), corners.end());
  mesh.polygon_offsets.push_back(static_cast<Index>(mesh.polygon_corners.size()));
}

inline void add_cell(PolyhedralSoup& mesh, CellType type, const std::vector<Index>& entries) {
  mesh.cell_types.push_back(type);
  mesh.cell_entries.insert(mesh.cell_entries.end(), entries.begin(), entries.end());
  mesh.cell_offsets.push_back(static_cast<Index>(mesh.cell_entries.size()));
}

/// A row of cubes along x, each cut its own way; vertex 4 i + k is corner k of the square at x = i.
/// Square i has the corners (i, 0, 0), (i, 1, 0), (i, 1, 1), (i, 0, 1).
inline Array<Vec3d> row_of_squares(Index squares) {
  Array<Vec3d> positions;
  for (Index i = 0; i < squares; ++i)
    for (const auto& [y, z] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
      positions.push_back({static_cast<double>(i), static_cast<double>(y) / 3 * 3, 1.0 * z});
  return positions;
}

inline std::vector<Index> cube_corners(Index i) {
  const Index a = 4 * i;
  return {a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7};
}

/// `n` cubes, one after the other as tetrahedra, pyramid and tetrahedra, prisms, hexahedra; cells
/// sorted by type. Triangles, quadrilaterals and segments too. The volume is n.
inline PolyhedralSoup mixed_mesh(Index n) {
  PolyhedralSoup mesh;
  mesh.positions = row_of_squares(n + 1);
  for (const CellType type :
       {CellType::tetrahedron, CellType::pyramid, CellType::prism, CellType::hexahedron})
    for (Index i = 0; i < n; ++i) {
      const std::vector<Index> v = cube_corners(i);
      const auto add = [&](CellType of, const std::vector<int>& corners) {
        if (of != type) return;
        std::vector<Index> entries;
        for (const int c : corners) entries.push_back(v[static_cast<std::size_t>(c)]);
        add_cell(mesh, type, entries);
      };
      switch (i % 4) {
        case 0:  // six tetrahedra around the diagonal 0 6
          for (const auto& [b, c] : {std::pair{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}})
            add(CellType::tetrahedron, {0, b, c, 6});
          break;
        case 1:  // three pyramids with the top 0
          add(CellType::pyramid, {4, 7, 6, 5, 0});
          add(CellType::pyramid, {1, 5, 6, 2, 0});
          add(CellType::pyramid, {3, 2, 6, 7, 0});
          break;
        case 2:
          add(CellType::prism, {0, 1, 2, 4, 5, 6});
          add(CellType::prism, {0, 2, 3, 4, 6, 7});
          break;
        default:
          add(CellType::hexahedron, {0, 1, 2, 3, 4, 5, 6, 7});
      }
    }
  for (Index i = 0; i < n; ++i) {
    add_polygon(mesh, {4 * i, 4 * i + 1, 4 * i + 4});
    mesh.segments.push_back({4 * i, 4 * i + 4});
  }
  for (Index i = 0; i < n; ++i) add_polygon(mesh, {4 * i, 4 * i + 1, 4 * i + 5, 4 * i + 4});
  return mesh;
}

/// `n` cubes as polyhedra that share the squares between them; polygons in the order in which the
/// cells name them first, each turned outwards there.
inline PolyhedralSoup polyhedral_mesh(Index n) {
  PolyhedralSoup mesh;
  mesh.positions = row_of_squares(n + 1);
  for (Index i = 0; i < n; ++i) {
    const Index a = 4 * i;
    std::vector<Index> faces;
    const auto add = [&](const std::vector<Index>& corners) {
      faces.push_back(static_cast<Index>(mesh.polygon_count()));
      add_polygon(mesh, corners);
    };
    if (i == 0)
      add({a + 3, a + 2, a + 1, a});
    else
      faces.push_back(~(i == 1 ? Index{1} : 5 * i - 4));
    add({a + 4, a + 5, a + 6, a + 7});
    for (Index k = 0; k < 4; ++k) add({a + k, a + (k + 1) % 4, a + 4 + (k + 1) % 4, a + 4 + k});
    add_cell(mesh, CellType::polyhedron, faces);
  }
  return mesh;
}

inline PolyhedralSoup with_refs(PolyhedralSoup mesh) {
  const auto vertices = mesh.positions.size();
  const auto polygons = mesh.polygon_count();
  Array<std::int32_t> polygon_refs;
  Array<std::int32_t> cell_refs;
  for (std::size_t p = 0; p < polygons; ++p) polygon_refs.push_back(p < polygons / 4 ? 0 : 7);
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    cell_refs.push_back(c < mesh.cell_count() / 3 ? 0 : 12);
  mesh.vertex_attributes = {random_attribute<std::int32_t>("ref", 1, vertices, 1)};
  mesh.polygon_attributes = {{"ref", 1, polygon_refs}};
  mesh.cell_attributes = {{"ref", 1, cell_refs}};
  return mesh;
}

using Notes = std::vector<std::string>;

inline const Array<std::int32_t>& refs(const Attributes& attributes,
                                       std::string_view name = "ref") {
  return std::get<Array<std::int32_t>>(find(attributes, name)->values);
}

/// The bytes of numbers, as a binary file has them.
class Bytes {
 public:
  explicit Bytes(bool swap = false) : swap_(swap) {}

  Bytes& text(std::string_view characters) {
    bytes_ += characters;
    return *this;
  }
  template <class T>
  Bytes& put(std::initializer_list<T> values) {
    for (const T value : values) {
      std::string number(reinterpret_cast<const char*>(&value), sizeof value);
      if (swap_) std::reverse(number.begin(), number.end());
      bytes_ += number;
    }
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  bool swap_;
  std::string bytes_;
};

}  // namespace tessera::io::testing
