// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// VTK's UnstructuredGrid (.vtu) with volume cells; polyhedra as the arrays faces and faceoffsets.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/elements.h"
#include "tessera/io/detail/select.h"
#include "tessera/io/detail/vtk_xml_writer.h"

namespace tessera::io::detail {
namespace {

constexpr std::uint8_t vtk_line = 3;
constexpr std::uint8_t vtk_polyhedron = 42;

std::uint8_t vtk_polygon_of(Index corners) {
  return corners == 3 ? 5 : corners == 4 ? 9 : 7;
}

std::uint8_t vtk_cell_of(CellType type) {
  constexpr std::uint8_t types[] = {10, 14, 13, 12, vtk_polyhedron};
  return types[static_cast<int>(type)];
}

/// Corners in the order of VTK, whose prisms start with the triangle that is seen counter-clockwise
/// from outside.
void copy_corners(const PolyhedralSoup& mesh, std::size_t cell, Index* out) {
  const CellType type = mesh.cell_types[cell];
  std::copy_n(mesh.cell_entries.data() + mesh.cell_offsets[cell], corners_of(type), out);
  if (type == CellType::prism) turn_prism(out);
}

/// The entries of all cells, none of them polyhedra, in the order of VTK.
Array<Index> corners_of_cells(const PolyhedralSoup& mesh) {
  Array<Index> corners(mesh.cell_entries.size());
  parallel_for_ranges(mesh.cell_count(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      copy_corners(mesh, c, corners.data() + mesh.cell_offsets[c]);
  });
  return corners;
}

bool has_cells(const PolyhedralSoup& mesh, CellType type) {
  return std::find(mesh.cell_types.begin(), mesh.cell_types.end(), type) != mesh.cell_types.end();
}

/// Lists of numbers: list i is entries[offsets[i]] to [offsets[i + 1]].
struct Lists {
  Array<Index> offsets{0};
  Array<Index> entries;
};

/// Polygons that no polyhedron has for a face.
Array<Index> free_polygons(const PolyhedralSoup& mesh) {
  Array<std::uint8_t> used(mesh.polygon_count(), 0);
  parallel_for_ranges(mesh.cell_count(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      if (mesh.cell_types[c] != CellType::polyhedron) continue;
      for (Index i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
        const Index entry = mesh.cell_entries[i];
        const Index polygon = std::min(entry, ~entry);
        std::atomic_ref(used[polygon]).store(1, std::memory_order_relaxed);
      }
    }
  });
  return select(used.size(), [&](std::size_t i) { return used[i] == 0; });
}

Lists gather_polygons(const PolyhedralSoup& mesh, const Array<Index>& chosen) {
  Lists lists;
  lists.offsets.resize(chosen.size() + 1);
  lists.offsets[0] = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    lists.offsets[i + 1] =
        lists.offsets[i] + mesh.polygon_offsets[chosen[i] + 1] - mesh.polygon_offsets[chosen[i]];
  lists.entries.resize(lists.offsets.back());
  parallel_for_ranges(chosen.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(mesh.polygon_corners.data() + mesh.polygon_offsets[chosen[i]],
                  lists.offsets[i + 1] - lists.offsets[i], lists.entries.data() + lists.offsets[i]);
  });
  return lists;
}

/// What VTK stores of cells when some are polyhedra.
struct PolyhedraLists {
  Array<std::uint64_t> offsets{0};  ///< of the vertices of each cell
  Array<Index> vertices;            ///< of each cell, of a polyhedron in ascending order
  /// Of each polyhedron the number of faces and, for each face, the number of corners and these.
  Array<Index> faces;
  Array<std::int64_t> face_ends;  ///< of each cell in `faces`, -1 for other cells
};

/// Calls on_number for all that VTK stores of the faces of a polyhedron.
template <class F>
void for_each_face_number(const PolyhedralSoup& mesh, std::size_t cell, const F& on_number) {
  const Index begin = mesh.cell_offsets[cell];
  const Index end = mesh.cell_offsets[cell + 1];
  on_number(end - begin);
  for (Index i = begin; i < end; ++i) {
    const Index entry = mesh.cell_entries[i];
    const Index polygon = std::min(entry, ~entry);
    const Index first = mesh.polygon_offsets[polygon];
    const Index last = mesh.polygon_offsets[polygon + 1];
    on_number(last - first);
    for (Index k = first; k < last; ++k)
      on_number(mesh.polygon_corners[entry == polygon ? k : first + last - 1 - k]);
  }
}

std::vector<Index> vertices_of_polyhedron(const PolyhedralSoup& mesh, std::size_t cell) {
  std::vector<Index> vertices;
  for (Index i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const Index polygon = std::min(mesh.cell_entries[i], ~mesh.cell_entries[i]);
    const Index* corners = mesh.polygon_corners.data();
    vertices.insert(vertices.end(), corners + mesh.polygon_offsets[polygon],
                    corners + mesh.polygon_offsets[polygon + 1]);
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

PolyhedraLists make_polyhedra_lists(const PolyhedralSoup& mesh) {
  const std::size_t cells = mesh.cell_count();
  PolyhedraLists lists;
  lists.offsets.resize(cells + 1);
  lists.offsets[0] = 0;
  lists.face_ends.resize(cells);
  const auto is_polyhedron = [&](std::size_t c) {
    return mesh.cell_types[c] == CellType::polyhedron;
  };
  parallel_for_ranges(cells, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      std::int64_t numbers = 0;
      if (is_polyhedron(c)) for_each_face_number(mesh, c, [&](Index) { ++numbers; });
      lists.face_ends[c] = numbers;
      lists.offsets[c + 1] = is_polyhedron(c) ? vertices_of_polyhedron(mesh, c).size()
                                              : corners_of(mesh.cell_types[c]);
    }
  });
  std::int64_t face_end = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    lists.offsets[c + 1] += lists.offsets[c];
    const std::int64_t numbers = lists.face_ends[c];
    face_end += numbers;
    lists.face_ends[c] = numbers == 0 ? -1 : face_end;
  }
  lists.vertices.resize(lists.offsets.back());
  lists.faces.resize(static_cast<std::size_t>(face_end));
  parallel_for_ranges(cells, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      Index* out = lists.vertices.data() + lists.offsets[c];
      if (!is_polyhedron(c)) {
        copy_corners(mesh, c, out);
        continue;
      }
      const std::vector<Index> vertices = vertices_of_polyhedron(mesh, c);
      std::copy(vertices.begin(), vertices.end(), out);
      std::int64_t numbers = 0;
      for_each_face_number(mesh, c, [&](Index) { ++numbers; });
      Index* number = lists.faces.data() + (lists.face_ends[c] - numbers);
      for_each_face_number(mesh, c, [&](Index value) { *number++ = value; });
    }
  });
  return lists;
}

/// All numbers of an attribute, if there is one, as another type.
template <class To>
void copy_numbers(const Attribute* attribute, To* to) {
  if (attribute == nullptr) return;
  const std::size_t count = attribute->size() * static_cast<std::size_t>(attribute->components);
  parallel_for_ranges(count, 65536, [=](std::size_t begin, std::size_t end) {
    std::visit(
        [=](const auto& from) {
          for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
        },
        attribute->values);
  });
}

class Writer {
 public:
  explicit Writer(const CellTarget& target)
      : target_(target), mesh_(target.mesh), xml_(target.file, target.encoding) {
    has_polyhedra_ = has_cells(mesh_, CellType::polyhedron);
    polygon_offsets_ = &mesh_.polygon_offsets;
    polygon_corners_ = &mesh_.polygon_corners;
    if (!has_polyhedra_) {
      if (has_cells(mesh_, CellType::prism)) turned_ = corners_of_cells(mesh_);
      return;
    }
    polyhedra_ = make_polyhedra_lists(mesh_);
    // With attributes all polygons are cells of the file, so that nothing is lost; without, the
    // faces of polyhedra need not be there twice.
    if (!mesh_.polygon_attributes.empty()) return;
    free_polygons_ = gather_polygons(mesh_, free_polygons(mesh_));
    polygon_offsets_ = &free_polygons_.offsets;
    polygon_corners_ = &free_polygons_.entries;
  }

  void write() {
    target_.result.polygons = polygon_count();
    const std::size_t elements = segment_count() + polygon_count() + mesh_.cell_count();
    xml_.begin("UnstructuredGrid", fmt::format("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"",
                                               mesh_.positions.size(), elements));
    xml_.add_attributes("PointData", mesh_.vertex_attributes);
    make_cell_data();
    xml_.add_attributes("CellData", cell_data_);
    xml_.add_positions(mesh_.positions, target_.precision);
    xml_.put("<Cells>\n");
    constexpr std::uint64_t limit = std::numeric_limits<std::int32_t>::max();
    if (std::max<std::uint64_t>(
            {mesh_.positions.size(), number_count(), polyhedra_.faces.size()}) <= limit)
      add_cells<std::int32_t>();
    else
      add_cells<std::int64_t>();
    xml_.put("</Cells>\n");
    xml_.finish("UnstructuredGrid", target_.progress);
  }

 private:
  std::uint64_t segment_count() const { return mesh_.segments.size(); }
  std::uint64_t polygon_count() const { return polygon_offsets_->size() - 1; }
  std::uint64_t cell_number_count() const {
    return has_polyhedra_ ? polyhedra_.vertices.size() : mesh_.cell_entries.size();
  }
  std::uint64_t number_count() const {
    return 2 * segment_count() + polygon_corners_->size() + cell_number_count();
  }

  /// Adds an array over all elements from its three parts.
  template <class T, class OfSegment, class OfPolygon, class OfCell>
  void add_for_all(const char* name, OfSegment of_segment, OfPolygon of_polygon, OfCell of_cell) {
    const std::uint64_t segments = segment_count();
    const std::uint64_t flat = segments + polygon_count();
    xml_.add<T>(name, 1, flat + mesh_.cell_count(),
                [=](std::uint64_t first, std::uint64_t last, T* out) {
                  for (std::uint64_t i = first; i < last; ++i)
                    *out++ = static_cast<T>(i < segments ? of_segment(i)
                                            : i < flat   ? of_polygon(i - segments)
                                                         : of_cell(i - flat));
                });
  }

  template <class T>
  void add_cells() {
    const Index* segments = mesh_.segments.empty() ? nullptr : mesh_.segments[0].v;
    const Index* polygons = polygon_corners_->data();
    const Index* cells = has_polyhedra_     ? polyhedra_.vertices.data()
                         : !turned_.empty() ? turned_.data()
                                            : mesh_.cell_entries.data();
    const std::uint64_t before_polygons = 2 * segment_count();
    const std::uint64_t before_cells = before_polygons + polygon_corners_->size();
    xml_.add<T>("connectivity", 1, number_count(),
                [=](std::uint64_t first, std::uint64_t last, T* out) {
                  for (std::uint64_t i = first; i < last; ++i)
                    *out++ = static_cast<T>(i < before_polygons ? segments[i]
                                            : i < before_cells  ? polygons[i - before_polygons]
                                                                : cells[i - before_cells]);
                });
    const Index* polygon_offsets = polygon_offsets_->data();
    add_for_all<T>(
        "offsets", [](std::uint64_t i) { return 2 * (i + 1); },
        [=](std::uint64_t i) { return before_polygons + polygon_offsets[i + 1]; },
        [this, before_cells](std::uint64_t i) {
          return before_cells +
                 (has_polyhedra_ ? polyhedra_.offsets[i + 1] : mesh_.cell_offsets[i + 1]);
        });
    add_for_all<std::uint8_t>(
        "types", [](std::uint64_t) { return vtk_line; },
        [=](std::uint64_t i) {
          return vtk_polygon_of(polygon_offsets[i + 1] - polygon_offsets[i]);
        },
        [this](std::uint64_t i) { return vtk_cell_of(mesh_.cell_types[i]); });
    if (!has_polyhedra_) return;
    const Index* faces = polyhedra_.faces.data();
    xml_.add<T>("faces", 1, polyhedra_.faces.size(),
                [faces](std::uint64_t first, std::uint64_t last, T* out) {
                  for (std::uint64_t i = first; i < last; ++i) *out++ = static_cast<T>(faces[i]);
                });
    add_for_all<T>(
        "faceoffsets", [](std::uint64_t) { return std::int64_t{-1}; },
        [](std::uint64_t) { return std::int64_t{-1}; },
        [this](std::uint64_t i) { return polyhedra_.face_ends[i]; });
  }

  /// VTK has one array for all elements; those without the attribute get 0.
  void make_cell_data() {
    const Attributes* of_kinds[] = {&mesh_.segment_attributes, &mesh_.polygon_attributes,
                                    &mesh_.cell_attributes};
    std::vector<std::string> names;
    for (const Attributes* attributes : of_kinds)
      for (const Attribute& attribute : *attributes)
        if (std::find(names.begin(), names.end(), attribute.name) == names.end())
          names.push_back(attribute.name);
    for (const std::string& name : names) {
      Parts parts;
      for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = find(*of_kinds[k], name);
      drop_other_components(parts);
      cell_data_.push_back(join(name, parts));
      const auto counts = element_counts();
      for (std::size_t k = 0; k < parts.size(); ++k)
        if (parts[k] == nullptr && counts[k] > 0) {
          target_.result.notes.push_back(fmt::format(
              "attribute \"{}\" is 0 on elements that have none, as VTU files need it", name));
          break;
        }
    }
  }

  /// An attribute of segments, of polygons and of cells, nullptr where they have none.
  using Parts = std::array<const Attribute*, 3>;

  std::array<std::size_t, 3> element_counts() const {
    return {segment_count(), polygon_count(), mesh_.cell_count()};
  }

  /// All parts must have as many components as the last one has.
  void drop_other_components(Parts& parts) const {
    constexpr const char* kinds[] = {"edge", "polygon", "cell"};
    std::size_t last = parts.size() - 1;
    while (parts[last] == nullptr) --last;
    for (std::size_t k = 0; k < last; ++k) {
      if (parts[k] == nullptr || parts[k]->components == parts[last]->components) continue;
      target_.result.notes.push_back(
          fmt::format("{} attribute \"{}\" was not written: that of {}s has {} components",
                      kinds[k], parts[k]->name, kinds[last], parts[last]->components));
      parts[k] = nullptr;
    }
  }

  Attribute join(const std::string& name, const Parts& parts) const {
    const Attribute* any = nullptr;
    bool same_type = true;
    for (const Attribute* part : parts) {
      if (part == nullptr) continue;
      same_type = same_type && (any == nullptr || part->values.index() == any->values.index());
      any = part;
    }
    const auto components = static_cast<std::size_t>(any->components);
    const auto make = [&](auto number) -> AttributeValues {
      const auto counts = element_counts();
      Array<decltype(number)> values((counts[0] + counts[1] + counts[2]) * components, 0);
      auto* to = values.data();
      for (std::size_t k = 0; k < parts.size(); ++k) {
        copy_numbers(parts[k], to);
        to += counts[k] * components;
      }
      return values;
    };
    if (!same_type) return {name, any->components, make(double{})};
    // The return type is spelt out: clang 14 loses functions that it must deduce it from.
    return {name, any->components,
            std::visit([&]<class T>(const Array<T>&) -> AttributeValues { return make(T{}); },
                       any->values)};
  }

  const CellTarget& target_;
  const PolyhedralSoup& mesh_;
  VtkXmlWriter xml_;
  bool has_polyhedra_ = false;
  PolyhedraLists polyhedra_;
  Array<Index> turned_;  ///< the corners of all cells where there are prisms and no polyhedra
  Lists free_polygons_;
  const Array<Index>* polygon_offsets_ = nullptr;  ///< of the polygons that are written
  const Array<Index>* polygon_corners_ = nullptr;
  Attributes cell_data_;
};

}  // namespace

void write_vtu_cells(const CellTarget& target) {
  Writer(target).write();
}

}  // namespace tessera::io::detail
