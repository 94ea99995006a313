// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// What holds for all files of volume cells: round trips, choice of formats, errors of writing.
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "volume_soups.h"

namespace tessera::io::testing {
namespace {

PolyhedralSoup only_tetrahedra(Index n) {
  PolyhedralSoup mesh;
  mesh.positions = row_of_squares(n + 1);
  for (Index i = 0; i < n; ++i)
    add_cell(mesh, CellType::tetrahedron, {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 4});
  return mesh;
}

PolyhedralSoup round_trip(const PolyhedralSoup& mesh, const char* name, Encoding encoding) {
  const TemporaryFolder folder;
  WriteOptions options;
  options.encoding = encoding;
  const WritePolyhedraResult written = write_polyhedra(folder / name, mesh, options);
  std::uint64_t bytes = 0;
  for (const auto& file : written.files) bytes += std::filesystem::file_size(file);
  EXPECT_EQ(written.bytes, bytes);
  const ReadPolyhedraResult one = [&] {
    ReadOptions threads;
    threads.threads = 1;
    return read_polyhedra(folder / name, threads);
  }();
  const ReadPolyhedraResult result = read_polyhedra(folder / name);
  EXPECT_EQ(result.bytes, bytes);
  EXPECT_EQ(result.mesh.validate(), std::nullopt);
  expect_same(result.mesh, one.mesh);
  return result.mesh;
}

TEST(VolumeFiles, RoundTripsOfAllCellTypes) {
  for (const Index n : {Index{4}, Index{400}, Index{30000}}) {
    const PolyhedralSoup mesh = mixed_mesh(n);
    ASSERT_EQ(mesh.validate(), std::nullopt);
    for (const char* name : {"a.mesh", "a.msh", "a.vtu"})
      for (const Encoding encoding : {Encoding::text, Encoding::binary}) {
        SCOPED_TRACE(std::string(name) + (encoding == Encoding::text ? " text" : " binary"));
        expect_same(round_trip(mesh, name, encoding), mesh);
      }
  }
}

TEST(VolumeFiles, RoundTripsKeepReferences) {
  PolyhedralSoup mesh = with_refs(mixed_mesh(40));
  mesh.segment_attributes = {{"ref", 1, Array<std::int32_t>(40, 9)}};
  expect_same(round_trip(mesh, "a.mesh", Encoding::text), mesh);
  const Attributes vertex_refs = std::exchange(mesh.vertex_attributes, {});
  for (const Encoding encoding : {Encoding::text, Encoding::binary})
    expect_same(round_trip(mesh, "a.msh", encoding), mesh);
  mesh.vertex_attributes = vertex_refs;
  for (const Encoding encoding : {Encoding::text, Encoding::binary})
    expect_same(round_trip(mesh, "a.vtu", encoding), mesh);
  PolyhedralSoup tetrahedra = only_tetrahedra(5000);
  tetrahedra.vertex_attributes = {
      random_attribute<std::int32_t>("ref", 1, tetrahedra.positions.size(), 1)};
  tetrahedra.cell_attributes = {random_attribute<std::int32_t>("ref", 1, 5000, 2)};
  for (const char* name : {"a.node", "a.ele", "A.NODE"})
    expect_same(round_trip(tetrahedra, name, Encoding::text), tetrahedra);
}

TEST(VolumeFiles, RoundTripsOfPolyhedra) {
  for (const Index n : {Index{1}, Index{2}, Index{3}, Index{5000}}) {
    const PolyhedralSoup mesh = polyhedral_mesh(n);
    ASSERT_EQ(mesh.validate(), std::nullopt);
    for (const Encoding encoding : {Encoding::text, Encoding::binary})
      expect_same(round_trip(mesh, "a.vtu", encoding), mesh);
  }
  // With attributes all polygons are in the file, and are found again as faces.
  PolyhedralSoup mesh = polyhedral_mesh(50);
  mesh.polygon_attributes = {random_attribute<float>("heat", 2, mesh.polygon_count(), 1)};
  mesh.cell_attributes = {random_attribute<float>("heat", 2, 50, 2)};
  expect_same(round_trip(mesh, "a.vtu", Encoding::binary), mesh);
  // Polyhedra beside other cells, and polygons that no polyhedron has.
  mesh = polyhedral_mesh(3);
  add_cell(mesh, CellType::hexahedron, cube_corners(1));
  PolyhedralSoup with_polygon = mesh;
  add_polygon(with_polygon, {0, 4, 8, 9, 5});
  expect_same(round_trip(mesh, "a.vtu", Encoding::text), mesh);
  const PolyhedralSoup read = round_trip(with_polygon, "a.vtu", Encoding::binary);
  EXPECT_EQ(read.polygon_count(), mesh.polygon_count() + 1);
  EXPECT_EQ((Array<Index>(read.polygon_corners.begin(), read.polygon_corners.begin() + 5)),
            (Array<Index>{0, 4, 8, 9, 5}));
}

TEST(VolumeFiles, RoundTripsOfAttributesOfAllTypes) {
  PolyhedralSoup mesh = mixed_mesh(4);
  mesh.segments.clear();
  mesh.polygon_offsets = {0};
  mesh.polygon_corners.clear();
  const std::size_t cells = mesh.cell_count();
  mesh.vertex_attributes = {random_attribute<std::uint8_t>("a <&\"> b", 3, 20, 1),
                            random_attribute<std::int8_t>("c", 1, 20, 2),
                            random_attribute<std::uint16_t>("d", 2, 20, 3),
                            random_attribute<double>("normal", 3, 20, 4)};
  mesh.cell_attributes = {random_attribute<std::uint32_t>("e", 1, cells, 1),
                          random_attribute<std::int16_t>("f", 9, cells, 2),
                          random_attribute<float>("g", 1, cells, 3)};
  for (const Encoding encoding : {Encoding::text, Encoding::binary})
    expect_same(round_trip(mesh, "a.vtu", encoding), mesh);
}

TEST(VolumeFiles, RoundTripsOfFieldsBesideMedit) {
  PolyhedralSoup mesh = mixed_mesh(4);
  mesh.vertex_attributes = {random_attribute<double>("sol", 6, 20, 4)};
  const TemporaryFolder folder;
  const WritePolyhedraResult written = write_polyhedra(folder / "a.mesh", mesh);
  EXPECT_EQ(written.files,
            (std::vector<std::filesystem::path>{folder / "a.mesh", folder / "a.sol"}));
  expect_same(read_polyhedra(folder / "a.mesh").mesh, mesh);
}

TEST(VolumeFiles, TetGenKeepsFieldsWithoutNames) {
  PolyhedralSoup mesh = only_tetrahedra(3);
  mesh.vertex_attributes = {random_attribute<double>("heat", 1, 16, 1),
                            random_attribute<float>("flow", 3, 16, 2)};
  const TemporaryFolder folder;
  const auto written = write_polyhedra(folder / "a.node", mesh);
  EXPECT_EQ(written.notes,
            (std::vector<std::string>{
                "TetGen files keep no names, here of vertex attributes \"heat\", \"flow\""}));
  const auto result = read_polyhedra(folder / "a.ele");
  ASSERT_EQ(result.mesh.vertex_attributes.size(), 1U);
  EXPECT_EQ(result.mesh.vertex_attributes[0].name, "attribute");
  EXPECT_EQ(result.mesh.vertex_attributes[0].components, 4);
  const auto& values = std::get<Array<double>>(result.mesh.vertex_attributes[0].values);
  const auto& flow = std::get<Array<float>>(mesh.vertex_attributes[1].values);
  for (std::size_t i = 0; i < flow.size(); ++i)
    EXPECT_EQ(static_cast<float>(values[i / 3 * 4 + 1 + i % 3]), flow[i]);
}

TEST(VolumeFiles, EmptyMeshesRoundTrip) {
  for (const char* name : {"a.mesh", "a.msh", "a.vtu", "a.node"})
    for (const Encoding encoding : {Encoding::text, Encoding::binary}) {
      SCOPED_TRACE(name);
      expect_same(round_trip({}, name, encoding), {});
      PolyhedralSoup points;
      points.positions = {{1, 2, 3}, {4, 5, 6}};
      expect_same(round_trip(points, name, encoding), points);
    }
}

TEST(VolumeFiles, SinglePrecision) {
  PolyhedralSoup mesh = mixed_mesh(4);
  for (Vec3d& p : mesh.positions) p = cast<double>(cast<float>(p * 0.1));
  mesh.precision = Precision::float32;
  expect_same(round_trip(mesh, "a.vtu", Encoding::binary), mesh);
  for (const char* name : {"a.mesh", "a.msh", "a.node"}) {
    if (std::string_view(name) == "a.node") mesh = only_tetrahedra(4);
    const PolyhedralSoup read = round_trip(mesh, name, Encoding::text);
    for (std::size_t v = 0; v < mesh.positions.size(); ++v)
      EXPECT_EQ(cast<float>(read.positions[v]), cast<float>(mesh.positions[v]));
  }
  mesh.precision = Precision::float32;
  mesh.positions[3][0] = 1e300;
  const TemporaryFolder folder;
  try {
    write_polyhedra(folder / "a.vtu", mesh);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), (folder / "a.vtu").string() +
                                ": the coordinate 1e+300 is too large for single precision");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a.vtu"));
}

std::string sentence_of_writing(const std::filesystem::path& path, const PolyhedralSoup& mesh) {
  try {
    write_polyhedra(path, mesh);
  } catch (const InputError& error) {
    EXPECT_FALSE(std::filesystem::exists(path));
    return error.what();
  }
  return "written";
}

TEST(VolumeFiles, CellsWithoutAPlaceAreRefused) {
  const TemporaryFolder folder;
  for (const auto& [name, format] :
       {std::pair{"a.mesh", "MEDIT"}, {"a.msh", "Gmsh"}, {"a.node", "TetGen"}})
    EXPECT_EQ(sentence_of_writing(folder / name, polyhedral_mesh(2)),
              (folder / name).string() + ": cell 0, a polyhedron, has no place in " + format +
                  " files; VTU (.vtu) can hold it");
  EXPECT_EQ(sentence_of_writing(folder / "a.ele", mixed_mesh(4)),
            (folder / "a.ele").string() +
                ": cell 6, a pyramid, has no place in TetGen files; MEDIT (.mesh), Gmsh (.msh) and "
                "VTU (.vtu) can hold it");
}

TEST(VolumeFiles, FormatsThatCannotAreRefused) {
  const TemporaryFolder folder;
  const std::string name = (folder / "a.ovm").string();
  EXPECT_EQ(sentence_of_writing(name, {}),
            name +
                ": volume cells of OVM files cannot be written, only MEDIT (.mesh), VTU (.vtu), "
                "Gmsh (.msh), TetGen (.node, .ele)");
  EXPECT_THROW(check_polyhedra_output(folder / "a.ovm"), InputError);
  EXPECT_THROW(check_polyhedra_output(folder / "none" / "a.vtu"), InputError);
  EXPECT_NO_THROW(check_polyhedra_output(folder / "a.ele"));
  std::filesystem::create_directory(folder / "b.node");
  EXPECT_THROW(check_polyhedra_output(folder / "b.ele"), InputError);
  EXPECT_THROW(parse_cells("", Format::obj), InputError);
  EXPECT_THROW(read_polyhedra(folder / "a.txt"), InputError);
  EXPECT_THROW(read_polyhedra(folder / ""), InputError);
  EXPECT_THROW(read_polyhedra(folder / "missing.vtu"), InputError);
  try {
    read_polyhedra("parts.pvtu");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "parts.pvtu: a PVTU file only names its pieces; give these, which end in .vtu");
  }
  // Surfaces have no part in the new formats.
  for (const Format format : {Format::gmsh, Format::tetgen, Format::ovm}) {
    EXPECT_THROW(parse("", format), InputError);
    WriteOptions options;
    options.format = format;
    EXPECT_THROW(write_triangles(folder / "a", {}, options), InputError);
  }
}

TEST(VolumeFiles, BadMeshesAreABugOfTheCaller) {
  const TemporaryFolder folder;
  PolyhedralSoup mesh = mixed_mesh(4);
  mesh.cell_entries[0] = 1000;
  EXPECT_THROW(write_polyhedra(folder / "a.vtu", mesh), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.vtu"));
}

TEST(VolumeFiles, AttributesHaveDifferentNames) {
  PolyhedralSoup mesh = mixed_mesh(4);
  mesh.vertex_attributes = {random_attribute<float>("a", 1, 20, 1),
                            random_attribute<float>("b", 1, 20, 1)};
  mesh.segment_attributes = {random_attribute<float>("a", 1, 4, 1)};
  EXPECT_EQ(mesh.validate(), std::nullopt);
  mesh.vertex_attributes[1].name = "a";
  EXPECT_EQ(mesh.validate(), "two vertex attributes have the name \"a\"");
  mesh.vertex_attributes.clear();
  mesh.segment_attributes = {random_attribute<float>("a", 1, 3, 1)};
  EXPECT_EQ(mesh.validate(), "edge attribute \"a\" has 3 numbers for 4 elements of 1 components");
}

TEST(VolumeFiles, NotesSayWhatIsLost) {
  const TemporaryFolder folder;
  PolyhedralSoup mesh = only_tetrahedra(4);
  add_polygon(mesh, {0, 1, 2, 3, 4});
  add_polygon(mesh, {0, 1, 2});
  mesh.segments = {{0, 1}};
  mesh.vertex_attributes = {random_attribute<float>("uv", 2, 20, 1)};
  mesh.polygon_attributes = {random_attribute<float>("p", 1, 2, 1)};
  mesh.cell_attributes = {random_attribute<float>("c", 1, 4, 1)};
  using Notes = std::vector<std::string>;
  EXPECT_EQ(write_polyhedra(folder / "a.mesh", mesh).notes,
            (Notes{"MEDIT files have no room for vertex attribute \"uv\"",
                   "MEDIT files have no room for polygon attribute \"p\"",
                   "MEDIT files have no room for cell attribute \"c\"",
                   "MEDIT files have no room for 1 polygons of more than four corners"}));
  EXPECT_EQ(write_polyhedra(folder / "a.msh", mesh).notes,
            (Notes{"Gmsh files have no room for vertex attribute \"uv\"",
                   "Gmsh files have no room for polygon attribute \"p\"",
                   "Gmsh files have no room for cell attribute \"c\"",
                   "Gmsh files have no room for 1 polygons of more than four corners"}));
  EXPECT_EQ(
      write_polyhedra(folder / "a.node", mesh).notes,
      (Notes{"TetGen files keep no names, here of vertex attributes \"uv\"",
             "TetGen files have no room for 1 edges", "TetGen files have no room for 2 polygons",
             "TetGen files have no room for cell attribute \"c\""}));
  EXPECT_EQ(write_polyhedra(folder / "a.vtu", mesh).notes,
            (Notes{"attribute \"p\" is 0 on elements that have none, as VTU files need it",
                   "attribute \"c\" is 0 on elements that have none, as VTU files need it"}));
}

TEST(VolumeFiles, WritingCanBeCancelled) {
  const TemporaryFolder folder;
  WriteOptions options;
  options.progress = [](std::string_view, double) { return Continue::no; };
  for (const char* name : {"a.mesh", "a.msh", "a.vtu"}) {
    EXPECT_THROW(write_polyhedra(folder / name, mixed_mesh(4), options), Cancelled);
    EXPECT_FALSE(std::filesystem::exists(folder / name));
    ReadOptions reading;
    reading.progress = options.progress;
    write_polyhedra(folder / name, mixed_mesh(4));
    EXPECT_THROW(read_polyhedra(folder / name, reading), Cancelled);
  }
}

TEST(VolumeFiles, DamageIsSurvived) {
  const TemporaryFolder folder;
  for (const char* name : {"a.mesh", "a.msh", "a.vtu", "a.node"})
    for (const Encoding encoding : {Encoding::text, Encoding::binary}) {
      const bool tetgen = std::string_view(name) == "a.node";
      PolyhedralSoup mesh = tetgen ? only_tetrahedra(2) : with_refs(mixed_mesh(4));
      if (std::string_view(name) == "a.vtu") mesh = polyhedral_mesh(2);
      WriteOptions options;
      options.encoding = encoding;
      write_polyhedra(folder / name, mesh, options);
      expect_survives_damage(read_bytes(folder / name), *format_of(name));
    }
}

}  // namespace
}  // namespace tessera::io::testing
