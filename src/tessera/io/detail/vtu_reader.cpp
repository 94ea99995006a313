// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// VTK's UnstructuredGrid (.vtu). Numbers of cell types are those of vtkCellType.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/find_first.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/curved.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/pieces.h"
#include "tessera/io/detail/select.h"
#include "tessera/io/detail/shared_faces.h"
#include "tessera/io/detail/vtk_xml_reader.h"

namespace tessera::io::detail {
namespace {

constexpr int vtk_polygon = 7;
constexpr int vtk_pixel = 8;
constexpr int vtk_voxel = 11;
constexpr int vtk_polyhedron = 42;

struct VtkKind {
  ElementShape shape;
  bool is_linear = true;
};

/// Whether cells of that type are prisms whose first triangle is seen counter-clockwise from
/// outside. Lagrange and Bezier prisms go the other way (asked of VTK 9.1).
bool is_turned_prism(Index type) {
  return type == 13 || type == 26 || type == 31 || type == 32;
}

/// What a cell type of fixed size becomes; cells of higher order start with their corners.
VtkKind kind_of(int type) {
  constexpr ElementShape line = segment_shape;
  constexpr ElementShape triangle = polygon_shape(3);
  constexpr ElementShape quad = polygon_shape(4);
  constexpr ElementShape tetrahedron = cell_shape(CellType::tetrahedron);
  constexpr ElementShape hexahedron = cell_shape(CellType::hexahedron);
  constexpr ElementShape wedge = cell_shape(CellType::prism);
  constexpr ElementShape pyramid = cell_shape(CellType::pyramid);
  constexpr ElementShape lagrange[] = {line,       triangle, quad,   tetrahedron,
                                       hexahedron, wedge,    pyramid};
  if (type >= 68 && type <= 74) return {lagrange[type - 68], false};
  if (type >= 75 && type <= 81) return {lagrange[type - 75], false};  // Bezier
  switch (type) {
    case 3:
      return {line};
    case 5:
      return {triangle};
    case vtk_pixel:
    case 9:
      return {quad};
    case 10:
      return {tetrahedron};
    case vtk_voxel:
    case 12:
      return {hexahedron};
    case 13:
      return {wedge};
    case 14:
      return {pyramid};
    case 21:
    case 35:
      return {line, false};
    case 22:
    case 34:
      return {triangle, false};
    case 23:
    case 28:
    case 30:
      return {quad, false};
    case 24:
      return {tetrahedron, false};
    case 25:
    case 29:
    case 33:
      return {hexahedron, false};
    case 26:
    case 31:
    case 32:
      return {wedge, false};
    case 27:
    case 37:
      return {pyramid, false};
    default:
      return {};
  }
}

class Reader {
 public:
  Reader(const Source& source, const VtkGrid& grid) : source_(source), grid_(grid) {}

  ReadPolyhedraResult read() {
    if (grid_.points >= no_index)
      source_.fail(fmt::format("{} vertices are more than 32-bit indices can name", grid_.points));
    Progress progress(source_.progress, "reading", 4);
    read_points();
    progress.advance(1);
    read_topology();
    progress.advance(1);
    find_shapes();
    fill_cells();
    progress.advance(1);
    read_attributes();
    note_types();
    return std::move(result_);
  }

 private:
  const VtkTag& require(const char* parent, const char* name) const {
    const VtkTag* tag = grid_.find(parent, name);
    if (tag == nullptr) source_.fail(fmt::format("<{}> has no array \"{}\"", parent, name));
    return *tag;
  }

  void read_points() {
    const VtkTag* tag = nullptr;
    for (const VtkTag& array : grid_.arrays)
      if (array.parent == "Points" && tag == nullptr) tag = &array;
    if (tag == nullptr && grid_.points == 0) return;
    if (tag == nullptr) source_.fail("the file has no <Points>");
    const VtkArray array = grid_.load(*tag);
    if (array.components != 3 || array.count != 3 * grid_.points)
      grid_.fail(*tag, fmt::format("has {} numbers for {} points of 3 coordinates", array.count,
                                   grid_.points));
    result_.mesh.precision = array.type == VtkType::f32 ? Precision::float32 : Precision::float64;
    Array<Vec3d>& positions = result_.mesh.positions;
    positions.resize(grid_.points);
    with_vtk_type(array.type, [&]<class T>(T) {
      parallel_for_ranges(positions.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
          for (int k = 0; k < 3; ++k)
            positions[v][k] = static_cast<double>(array.at<T>(3 * v + static_cast<std::size_t>(k)));
      });
    });
    const std::size_t bad = find_first(positions.size(), [&](std::size_t v) {
      const Vec3d& p = positions[v];
      return !(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]));
    });
    if (bad < positions.size())
      source_.fail(fmt::format("vertex {} has a coordinate that is not finite", bad));
  }

  /// Whole numbers below `limit`; others become no_index.
  static Array<Index> to_indices(const VtkArray& array, std::uint64_t limit) {
    Array<Index> out(array.count);
    with_vtk_type(array.type, [&]<class T>(T) {
      parallel_for_ranges(array.count, 65536, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const T value = array.at<T>(i);
          if constexpr (std::is_floating_point_v<T>)
            out[i] = value >= 0 && value < static_cast<double>(limit) && std::floor(value) == value
                         ? static_cast<Index>(value)
                         : no_index;
          else
            out[i] = value >= 0 && static_cast<std::uint64_t>(value) < limit
                         ? static_cast<Index>(value)
                         : no_index;
        }
      });
    });
    return out;
  }

  /// An array with a number for each cell.
  VtkArray load_for_cells(const char* name) const {
    const VtkTag& tag = require("Cells", name);
    VtkArray array = grid_.load(tag);
    if (array.count != grid_.cells)
      grid_.fail(tag, fmt::format("has {} numbers for {} cells", array.count, grid_.cells));
    return array;
  }

  void read_topology() {
    if (grid_.cells == 0) return;
    if (grid_.cells >= no_index)
      source_.fail(fmt::format("{} cells are more than 32-bit indices can name", grid_.cells));
    const VtkArray connectivity = grid_.load(require("Cells", "connectivity"));
    if (connectivity.count >= no_index)
      grid_.fail(*connectivity.tag, "has more corners than 32-bit indices can name");
    const VtkArray offsets = load_for_cells("offsets");
    ends_ = to_indices(offsets, connectivity.count + 1);
    const std::size_t bad = find_first(ends_.size(), [&](std::size_t i) {
      return ends_[i] == no_index || (i > 0 && ends_[i] < ends_[i - 1]);
    });
    if (bad < ends_.size())
      grid_.fail(*offsets.tag,
                 fmt::format("says that cell {} ends at corner {}, but there are {} and the cell "
                             "before ends at {}",
                             bad, offsets.integer(bad), connectivity.count,
                             bad == 0 ? 0 : ends_[bad - 1]));
    corners_ = to_indices(connectivity, grid_.points);
    const std::size_t corner =
        find_first(ends_.back(), [&](std::size_t i) { return corners_[i] == no_index; });
    if (corner < ends_.back())
      source_.fail(fmt::format("cell {} refers to vertex {}, but there are only {}",
                               std::upper_bound(ends_.begin(), ends_.end(), corner) - ends_.begin(),
                               connectivity.integer(corner), grid_.points));
    types_ = to_indices(load_for_cells("types"), 256);
    read_polyhedra();
  }

  /// The faces of polyhedra: where those of each cell start, and that they are in order.
  void read_polyhedra() {
    polyhedra_ = select(types_.size(), [&](std::size_t c) { return types_[c] == vtk_polyhedron; });
    if (polyhedra_.empty()) return;
    if (grid_.find("Cells", "faces") == nullptr || grid_.find("Cells", "faceoffsets") == nullptr)
      source_.fail("polyhedra need the arrays \"faces\" and \"faceoffsets\" in <Cells>");
    const VtkArray faces = grid_.load(require("Cells", "faces"));
    const VtkArray ends = load_for_cells("faceoffsets");
    if (faces.count >= no_index)
      grid_.fail(*faces.tag, "has more numbers than 32-bit indices can name");
    faces_ = to_indices(faces, std::max<std::uint64_t>(grid_.points, faces.count));
    const Array<Index> face_ends = to_indices(ends, faces.count + 1);
    face_starts_.resize(polyhedra_.size() + 1);
    face_starts_[0] = 0;
    for (std::size_t i = 0; i < polyhedra_.size(); ++i) {
      face_starts_[i + 1] = face_ends[polyhedra_[i]];
      if (face_starts_[i + 1] == no_index || face_starts_[i + 1] < face_starts_[i])
        grid_.fail(*ends.tag, fmt::format("has no usable number for cell {}", polyhedra_[i]));
    }
    const std::size_t bad = find_first(polyhedra_.size(), [&](std::size_t i) {
      return !faces_are_good(face_starts_[i], face_starts_[i + 1]);
    });
    if (bad < polyhedra_.size())
      grid_.fail(*faces.tag,
                 fmt::format("has no list of four or more faces of three or more corners for cell "
                             "{}, a polyhedron",
                             polyhedra_[bad]));
  }

  bool faces_are_good(Index at, Index end) const {
    if (at == end || faces_[at] < 4) return false;
    Index left = faces_[at++];
    for (; left > 0 && at < end; --left) {
      const Index corners = faces_[at++];
      if (corners < 3 || corners > end - at) return false;
      for (Index k = 0; k < corners; ++k)
        if (faces_[at++] >= grid_.points) return false;
    }
    return left == 0 && at == end;
  }

  Index size_of(std::size_t cell) const { return ends_[cell] - start_of(cell); }
  Index start_of(std::size_t cell) const { return cell == 0 ? 0 : ends_[cell - 1]; }

  void find_shapes() {
    shapes_.resize(types_.size());
    const std::size_t bad = find_first(types_.size(), [&](std::size_t c) {
      ElementShape shape =
          types_[c] == no_index ? ElementShape{} : kind_of(static_cast<int>(types_[c])).shape;
      if (types_[c] == vtk_polygon) shape = polygon_shape(size_of(c));
      if (types_[c] == vtk_polyhedron) {
        const auto at = std::lower_bound(polyhedra_.begin(), polyhedra_.end(), c);
        shape = {ElementRole::cell, CellType::polyhedron,
                 faces_[face_starts_[static_cast<std::size_t>(at - polyhedra_.begin())]]};
      }
      shapes_[c] = shape;
      if (shape.role == ElementRole::polygon && shape.size < 3) return true;
      return types_[c] != vtk_polyhedron && size_of(c) < shape.size;
    });
    if (bad < types_.size())
      source_.fail(
          fmt::format("cell {}, of type {}, has only {} corners", bad, types_[bad], size_of(bad)));
  }

  void fill_cells() {
    PolyhedralSoup& mesh = result_.mesh;
    const ElementPlaces places = make_room(source_, shapes_, mesh);
    parallel_for_ranges(shapes_.size(), 16384, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        const ElementShape& shape = shapes_[c];
        if (shape.role == ElementRole::none || types_[c] == vtk_polyhedron) continue;
        Index* out = entries_of(mesh, shape, places, c);
        std::copy_n(corners_.data() + start_of(c), shape.size, out);
        // VTK's axis-aligned cells go row by row, not round.
        if (types_[c] == vtk_pixel || types_[c] == vtk_voxel) std::swap(out[2], out[3]);
        if (types_[c] == vtk_voxel) std::swap(out[6], out[7]);
        if (is_turned_prism(types_[c])) turn_prism(out);
      }
    });
    named_polygons_ = static_cast<Index>(mesh.polygon_count());
    if (!polyhedra_.empty()) add_faces(places);
  }

  /// Makes polygons of the faces of polyhedra.
  void add_faces(const ElementPlaces& places) {
    PolyhedralSoup& mesh = result_.mesh;
    // Of the numbers of a polyhedron one is the count of faces and one more for each of them that
    // of its corners; so both prefix sums follow from those of the faces.
    Array<Index> first_face(polyhedra_.size() + 1);
    first_face[0] = named_polygons_;
    for (std::size_t i = 0; i < polyhedra_.size(); ++i)
      first_face[i + 1] = first_face[i] + shapes_[polyhedra_[i]].size;
    const std::uint64_t named_corners = mesh.polygon_corners.size();
    const auto first_corner = [&](std::size_t i) {
      return named_corners + face_starts_[i] - i - (first_face[i] - named_polygons_);
    };
    const std::uint64_t corners = first_corner(polyhedra_.size());
    if (corners >= no_index)
      source_.fail("the faces of polyhedra have more corners than 32-bit indices can name");
    mesh.polygon_offsets.resize(first_face.back() + std::size_t{1});
    mesh.polygon_corners.resize(corners);
    mesh.polygon_offsets.back() = static_cast<Index>(corners);
    parallel_for_ranges(polyhedra_.size(), 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t cell = polyhedra_[i];
        Index* entry = mesh.cell_entries.data() + places.entries[cell];
        auto out = static_cast<Index>(first_corner(i));
        Index at = face_starts_[i] + 1;
        for (Index f = first_face[i]; f < first_face[i + 1]; ++f) {
          *entry++ = f;
          mesh.polygon_offsets[f] = out;
          const Index size = faces_[at++];
          std::copy_n(faces_.data() + at, size, mesh.polygon_corners.data() + out);
          at += size;
          out += size;
        }
      }
    });
    join_shared_faces(mesh, named_polygons_);
  }

  /// The name of an array, or one like it if an array before it has the same.
  std::string unused_name(const VtkTag& tag) {
    const auto is_taken = [&](const std::string& name) {
      return std::find(names_.begin(), names_.end(), tag.parent + name) != names_.end();
    };
    std::string name = tag.name;
    for (int number = 2; is_taken(name); ++number) name = fmt::format("{} {}", tag.name, number);
    if (name != tag.name)
      result_.notes.push_back(
          fmt::format("a second array \"{}\" was read as \"{}\"", tag.name, name));
    names_.push_back(tag.parent + name);
    return name;
  }

  void read_attributes() {
    PolyhedralSoup& mesh = result_.mesh;
    const Array<Index> segments = elements_in(shapes_, ElementRole::segment);
    const Array<Index> polygons = elements_in(shapes_, ElementRole::polygon);
    const Array<Index> cells = elements_in(shapes_, ElementRole::cell);
    for (const VtkTag& tag : grid_.arrays) {
      const bool on_points = tag.parent == "PointData";
      if (!on_points && tag.parent != "CellData") continue;
      if (tag.type == "String" || tag.type == "Bit") {
        result_.notes.push_back(
            fmt::format("array \"{}\" of type {} was not read", tag.name, tag.type));
        continue;
      }
      const VtkArray array = grid_.load(tag);
      const std::uint64_t elements = on_points ? grid_.points : grid_.cells;
      const auto components = static_cast<std::uint64_t>(array.components);
      if (array.count % components != 0 || array.count / components != elements)
        grid_.fail(tag, fmt::format("has {} numbers for {} {} of {} components", array.count,
                                    elements, on_points ? "points" : "cells", components));
      const std::uint64_t rounded = count_rounded(array);
      if (rounded > 0)
        result_.notes.push_back(
            fmt::format("{} whole numbers of array \"{}\" are beyond 2^53 and were rounded",
                        rounded, tag.name));
      Attribute attribute{unused_name(tag), array.components, to_values(array)};
      if (on_points) {
        mesh.vertex_attributes.push_back(std::move(attribute));
        continue;
      }
      const Attributes all{std::move(attribute)};
      if (!cells.empty()) mesh.cell_attributes.push_back(gather(all, cells)[0]);
      if (!polygons.empty()) mesh.polygon_attributes.push_back(gather(all, polygons)[0]);
      if (!segments.empty()) mesh.segment_attributes.push_back(gather(all, segments)[0]);
    }
    // Faces of polyhedra that are no cells of their own have no value in the file.
    if (mesh.polygon_count() == named_polygons_) return;
    for (Attribute& attribute : mesh.polygon_attributes) {
      const std::size_t numbers =
          mesh.polygon_count() * static_cast<std::size_t>(attribute.components);
      std::visit([&]<class T>(Array<T>& values) { values.resize(numbers, T{0}); },
                 attribute.values);
      result_.notes.push_back(
          fmt::format("attribute \"{}\" is 0 on {} faces of polyhedra, which have none in the file",
                      attribute.name, mesh.polygon_count() - named_polygons_));
    }
  }

  void note_types() {
    std::array<std::uint64_t, 257> counts{};
    for (const Index type : types_) ++counts[std::min<Index>(type, 256)];
    std::uint64_t curved = 0;
    for (std::size_t type = 0; type < counts.size(); ++type) {
      if (counts[type] == 0) continue;
      const VtkKind kind = kind_of(static_cast<int>(type));
      if (!kind.is_linear) curved += counts[type];
      if (kind.shape.role == ElementRole::none && type != vtk_polygon && type != vtk_polyhedron)
        result_.notes.push_back(
            type < 256 ? fmt::format("{} cells of VTK's type {} were not read", counts[type], type)
                       : fmt::format("{} cells of no type of VTK were not read", counts[type]));
    }
    drop_nodes_between_corners(curved, result_);
  }

  const Source& source_;
  const VtkGrid& grid_;
  ReadPolyhedraResult result_;
  Array<Index> ends_;     ///< of each cell in `corners_`
  Array<Index> corners_;  ///< of all cells
  Array<Index> types_;
  Array<Index> polyhedra_;    ///< the cells that are
  Array<Index> faces_;        ///< what VTK stores of their faces
  Array<Index> face_starts_;  ///< of each polyhedron in `faces_`, and one entry more
  Array<ElementShape> shapes_;
  std::vector<std::string> names_;  ///< of arrays that were read, behind those of their parents
  Index named_polygons_ = 0;        ///< which are cells of the file
};

}  // namespace

ReadPolyhedraResult read_vtu(const Source& source) {
  const std::vector<VtkGrid> grids = read_vtk_grids(source);
  if (grids.size() == 1) return Reader(source, grids[0]).read();
  ReadPolyhedraResult result;
  std::vector<PolyhedralSoup> pieces;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    ReadPolyhedraResult piece = Reader(source, grids[i]).read();
    pieces.push_back(std::move(piece.mesh));
    for (const std::string& note : piece.notes)
      result.notes.push_back(fmt::format("piece {}: {}", i + 1, note));
  }
  result.mesh = join_pieces(source, pieces, result.notes);
  return result;
}

}  // namespace tessera::io::detail
