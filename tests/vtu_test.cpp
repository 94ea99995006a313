// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "volume_soups.h"

namespace tessera::io::testing {
namespace {

std::string vtu(const std::string& points, const std::string& cells, int point_count,
                int cell_count, const std::string& more = "") {
  return "<?xml version=\"1.0\"?>\n<!-- <VTKFile> --><VTKFile type=\"UnstructuredGrid\" "
         "byte_order=\"LittleEndian\">\n<UnstructuredGrid><FieldData><DataArray type=\"Int32\" "
         "Name=\"time\">1</DataArray></FieldData>\n<Piece NumberOfPoints=\"" +
         std::to_string(point_count) + "\" NumberOfCells='" + std::to_string(cell_count) + "'>\n" +
         more + "<Points>" + points + "</Points>\n<Cells>" + cells +
         "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

std::string array(const std::string& type, const std::string& name, const std::string& numbers,
                  int components = 1) {
  return "<DataArray type=\"" + type + "\" Name=\"" + name + "\" NumberOfComponents=\"" +
         std::to_string(components) + "\" format=\"ascii\">\n" + numbers + "</DataArray>\n";
}

const std::string cube_points =
    array("Float32", "Points", "0 0 0 1 0 0 0 1 0 1 1 0\n0 0 1 1 0 1 0 1 1\t1 1 1 ", 3);

std::string cells(const std::string& connectivity, const std::string& offsets,
                  const std::string& types) {
  return array("Int64", "connectivity", connectivity) + array("UInt32", "offsets", offsets) +
         array("UInt8", "types", types);
}

TEST(Vtu, ReadsAllTypesOfCells) {
  const std::string more = "<PointData>" + array("Float64", "t&amp;u", "0 1 2 3 4 5 6 7") +
                           "</PointData><CellData>" + array("Int64", "ref", "1 2 3 4 5 6 7") +
                           array("UInt64", "big", "1 2 3 4 5 6 7000000000") + "</CellData>";
  const auto result = parse_cells(
      vtu(cube_points,
          cells("0  0 1  0 1 2 3  0 1 2 3 4 5 6 7  0 1 3 2 5  0 1 2 3 4 5 6 7 0 1  7 6 5",
                "1 3 7 15 20 30 33", "1 3 8 11 7 24 99"),
          8, 7, more),
      Format::vtu);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.precision, Precision::float32);
  EXPECT_EQ(mesh.segments, (Array<Segment>{{0, 1}}));
  EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 3, 2, 0, 1, 3, 2, 5}));
  EXPECT_EQ(mesh.cell_types, (Array<CellType>{CellType::hexahedron, CellType::tetrahedron}));
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 3, 2, 4, 5, 7, 6, 0, 1, 2, 3}));
  EXPECT_EQ(mesh.vertex_attributes[0].name, "t&u");
  EXPECT_EQ(refs(mesh.segment_attributes), (Array<std::int32_t>{2}));
  EXPECT_EQ(refs(mesh.polygon_attributes), (Array<std::int32_t>{3, 5}));
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{4, 6}));
  EXPECT_EQ(std::get<Array<double>>(find(mesh.cell_attributes, "big")->values),
            (Array<double>{4, 6}));
  EXPECT_EQ(result.notes, (Notes{"1 cells of VTK's type 1 were not read",
                                 "1 cells of VTK's type 99 were not read",
                                 "1 elements of higher order were read by their corners"}));
}

std::string numbers_to(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += std::to_string(i % 8) + " ";
  return text;
}

TEST(Vtu, TurnsPrisms) {
  // The types that are turned, and how many nodes they have; the triangle 0 1 2 of a prism is seen
  // counter-clockwise from outside in VTK, but not of Lagrange and Bezier prisms.
  for (const auto& [type, nodes, turned] : {std::tuple{13, 6, true},
                                            {26, 15, true},
                                            {31, 12, true},
                                            {32, 18, true},
                                            {73, 18, false},
                                            {80, 18, false}}) {
    const PolyhedralSoup mesh =
        parse_cells(
            vtu(cube_points, cells(numbers_to(nodes), std::to_string(nodes), std::to_string(type)),
                8, 1),
            Format::vtu)
            .mesh;
    EXPECT_EQ(mesh.cell_types, (Array<CellType>{CellType::prism})) << type;
    EXPECT_EQ(mesh.cell_entries,
              (turned ? Array<Index>{0, 2, 1, 3, 5, 4} : Array<Index>{0, 1, 2, 3, 4, 5}))
        << type;
  }
  // Other cells keep their order.
  for (const auto& [type, nodes, corners] :
       {std::tuple{10, 4, 4}, {24, 10, 4}, {14, 5, 5}, {27, 13, 5}, {12, 8, 8}, {25, 20, 8}}) {
    const PolyhedralSoup mesh =
        parse_cells(
            vtu(cube_points, cells(numbers_to(nodes), std::to_string(nodes), std::to_string(type)),
                8, 1),
            Format::vtu)
            .mesh;
    ASSERT_EQ(mesh.cell_entries.size(), static_cast<std::size_t>(corners));
    for (Index k = 0; k < mesh.cell_entries.size(); ++k) EXPECT_EQ(mesh.cell_entries[k], k);
  }
}

TEST(Vtu, WritesPrismsInTheOrderOfVtk) {
  PolyhedralSoup mesh;
  mesh.positions = row_of_squares(3);
  add_cell(mesh, CellType::hexahedron, cube_corners(1));
  add_cell(mesh, CellType::prism, {0, 1, 2, 4, 5, 6});
  const auto written = [](const PolyhedralSoup& of) {
    const TemporaryFolder folder;
    WriteOptions options;
    options.encoding = Encoding::text;
    write_polyhedra(folder / "a.vtu", of, options);
    std::string text = read_bytes(folder / "a.vtu");
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  EXPECT_NE(written(mesh).find(" 4 5 6 7 8 9 10 11 0 2 1 4 6 5 "), std::string::npos)
      << written(mesh);
  PolyhedralSoup with_polyhedra = polyhedral_mesh(2);
  add_cell(with_polyhedra, CellType::prism, {0, 1, 2, 4, 5, 6});
  EXPECT_NE(written(with_polyhedra).find(" 0 2 1 4 6 5 "), std::string::npos);
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k > bytes.size() - i ? '=' : letters[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

/// What writers of VTU files make of the same three points and a triangle.
std::string encoded(std::string_view mode, bool big_endian, bool wide) {
  Bytes points(big_endian);
  Bytes connectivity(big_endian);
  Bytes offsets(big_endian);
  Bytes types(big_endian);
  const auto length = [&](Bytes& bytes, std::uint32_t n) {
    if (wide)
      bytes.put<std::uint64_t>({n});
    else
      bytes.put<std::uint32_t>({n});
  };
  length(points, 72);
  points.put<double>({0, 0, 0, 1.5, 0, 0, 0, 1, 0.25});
  length(connectivity, 12);
  connectivity.put<std::int32_t>({0, 1, 2});
  length(offsets, 8);
  offsets.put<std::int64_t>({3});
  length(types, 1);
  types.put<std::uint8_t>({5});
  std::string appended;
  const auto tag = [&](const std::string& type, const std::string& name, const std::string& bytes) {
    std::string text = "<DataArray type=\"" + type + "\" Name=\"" + name + "\" " +
                       (name == "Points" ? "NumberOfComponents=\"3\" " : "");
    if (mode == "inline") {
      text += "format=\"binary\">\n<InformationKey name=\"x\">1</InformationKey>\n" +
              base64(bytes) + "\n</DataArray>\n";
      return text;
    }
    text += "format=\"appended\" offset=\"" + std::to_string(appended.size()) + "\"/>\n";
    appended += mode == "raw" ? bytes : base64(bytes);
    return text;
  };
  std::string file =
      std::string("<VTKFile type=\"UnstructuredGrid\" byte_order=\"") +
      (big_endian ? "BigEndian" : "LittleEndian") + "\" header_type=\"" +
      (wide ? "UInt64" : "UInt32") +
      "\"><UnstructuredGrid><Piece NumberOfPoints=\"3\" NumberOfCells=\"1\"><Points>";
  file += tag("Float64", "Points", points.str()) + "</Points><Cells>";
  file += tag("Int32", "connectivity", connectivity.str());
  file += tag("Int64", "offsets", offsets.str());
  file += tag("UInt8", "types", types.str()) + "</Cells></Piece></UnstructuredGrid>";
  if (!appended.empty())
    file += "<AppendedData encoding=\"" + std::string(mode) + "\">\n _" + appended +
            "\n</AppendedData>";
  return file + "</VTKFile>";
}

TEST(Vtu, ReadsAllEncodings) {
  for (const std::string_view mode : {"inline", "raw", "base64"})
    for (const bool big_endian : {false, true})
      for (const bool wide : {false, true}) {
        SCOPED_TRACE(std::string(mode) + (big_endian ? " big" : " little") +
                     (wide ? " 64" : " 32"));
        const std::string file = encoded(mode, big_endian, wide);
        const PolyhedralSoup mesh = parse_cells(file, Format::vtu).mesh;
        EXPECT_EQ(mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1.5, 0, 0}, {0, 1, .25}}));
        EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 2}));
        expect_survives_damage(file, Format::vtu);
      }
}

/// Bytes as blocks of at most `block` bytes, each compressed by zlib, with the numbers in front
/// that VTK writes; these and the blocks are coded one after the other if it is to be base64.
std::string compressed(const std::string& bytes, std::size_t block, bool as_base64) {
  Bytes header(false);
  std::string blocks;
  const std::size_t count = (bytes.size() + block - 1) / block;
  header.put<std::uint32_t>({static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(block),
                             static_cast<std::uint32_t>(bytes.size() % block)});
  for (std::size_t i = 0; i < bytes.size(); i += block) {
    const std::string part = bytes.substr(i, block);
    std::string packed(compressBound(part.size()), ' ');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(part.data()), part.size());
    header.put<std::uint32_t>({static_cast<std::uint32_t>(size)});
    blocks += packed.substr(0, size);
  }
  return as_base64 ? base64(header.str()) + base64(blocks) : header.str() + blocks;
}

TEST(Vtu, ReadsCompressedArrays) {
  Bytes points(false);
  points.put<double>({0, 0, 0, 1.5, 0, 0, 0, 1, 0.25});
  Bytes connectivity(false);
  connectivity.put<std::int32_t>({0, 1, 2});
  Bytes offsets(false);
  offsets.put<std::int32_t>({3});
  Bytes types(false);
  types.put<std::uint8_t>({5});
  for (const bool is_inline : {true, false})
    for (const std::size_t block : {24u, 32u, 1000u}) {
      SCOPED_TRACE(block);
      std::string appended;
      const auto tag = [&](const std::string& attributes, const Bytes& data) {
        const std::string coded = compressed(data.str(), block, is_inline);
        if (is_inline)
          return "<DataArray " + attributes + " format=\"binary\">" + coded + "</DataArray>";
        const std::string offset = std::to_string(appended.size());
        appended += coded;
        return "<DataArray " + attributes + " format=\"appended\" offset=\"" + offset + "\"/>";
      };
      std::string file =
          "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" "
          "compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece NumberOfPoints=\"3\" "
          "NumberOfCells=\"1\"><Points>" +
          tag("type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", points) +
          "</Points><Cells>" + tag("type=\"Int32\" Name=\"connectivity\"", connectivity) +
          tag("type=\"Int32\" Name=\"offsets\"", offsets) +
          tag("type=\"UInt8\" Name=\"types\"", types) + "</Cells></Piece></UnstructuredGrid>";
      if (!is_inline) file += "<AppendedData encoding=\"raw\">_" + appended + "</AppendedData>";
      file += "</VTKFile>";
      const PolyhedralSoup mesh = parse_cells(file, Format::vtu).mesh;
      EXPECT_EQ(mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1.5, 0, 0}, {0, 1, .25}}));
      EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 2}));
      expect_survives_damage(file, Format::vtu);
    }
}

/// Two tetrahedra as polyhedra; the second names the shared face from another corner, turned.
std::string two_polyhedra() {
  return vtu(cube_points,
             cells("0 1 2 4 1 2 4 7", "4 8", "42 42") +
                 array("Int32", "faces",
                       "4 3 0 2 1 3 0 1 4 3 0 4 2 3 1 2 4  4 3 4 2 1 3 1 2 7 3 2 4 7 3 4 1 7") +
                 array("Int32", "faceoffsets", "17 34"),
             8, 2);
}

TEST(Vtu, JoinsFacesThatPolyhedraShare) {
  const PolyhedralSoup mesh = parse_cells(two_polyhedra(), Format::vtu).mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.polygon_count(), 7U);
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 3, ~Index{3}, 4, 5, 6}));
}

TEST(Vtu, JoinsPieces) {
  const auto piece = [](const std::string& points, const std::string& some_cells, int point_count,
                        int cell_count, const std::string& more) {
    std::string text = vtu(points, some_cells, point_count, cell_count, more);
    const std::size_t start = text.find("<Piece");
    return text.substr(start, text.find("</Piece>") + 8 - start);
  };
  // A tetrahedron and a triangle; nothing; a polyhedron; a prism and a line.
  const std::string tetrahedron =
      piece(array("Float32", "Points", "0 0 0 1 0 0 0 1 0 0 0 1", 3),
            cells("0 1 2 3 0 1 2", "4 7", "10 5"), 4, 2,
            "<PointData>" + array("Int32", "a", "1 2 3 4") + array("Int32", "b", "1 2 3 4") +
                "</PointData><CellData>" + array("Int32", "ref", "5 6") + "</CellData>");
  const std::string nothing = piece("", "", 0, 0, "");
  const std::string polyhedron = piece(
      array("Float64", "Points", "0 0 5 1 0 5 0 1 5 0 0 6", 3),
      cells("0 1 2 3", "4", "42") + array("Int32", "faces", "4 3 0 2 1 3 0 1 3 3 0 3 2 3 1 2 3") +
          array("Int32", "faceoffsets", "17"),
      4, 1,
      "<PointData>" + array("Float32", "a", "5 6 7 8.5") + "</PointData><CellData>" +
          array("Int32", "ref", "7") + "</CellData>");
  const std::string prism =
      piece(cube_points, cells("0 1 2 4 5 6 6 7", "6 8", "13 3"), 8, 2,
            "<PointData>" + array("Int32", "a", "1 2 3 4 5 6 7 8") + "</PointData><CellData>" +
                array("Int32", "ref", "8 9") + "</CellData>");
  const std::string head = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>";
  const std::string tail = "</UnstructuredGrid></VTKFile>";
  const std::string text = head + tetrahedron + nothing + polyhedron + polyhedron + prism + tail;
  const ReadPolyhedraResult result = parse_cells(text, Format::vtu);
  const PolyhedralSoup& mesh = result.mesh;
  ASSERT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.positions.size(), 20U);
  EXPECT_EQ(mesh.positions[7], (Vec3d{0, 0, 6}));
  EXPECT_EQ(mesh.precision, Precision::float64);
  EXPECT_EQ(mesh.segments, (Array<Segment>{{18, 19}}));
  EXPECT_EQ(mesh.polygon_count(), 9U);
  EXPECT_EQ((Array<Index>(mesh.polygon_corners.begin(), mesh.polygon_corners.begin() + 6)),
            (Array<Index>{0, 1, 2, 4, 6, 5}));
  EXPECT_EQ(mesh.cell_types, (Array<CellType>{CellType::tetrahedron, CellType::polyhedron,
                                              CellType::polyhedron, CellType::prism}));
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 3,  //
                                             1, 2, 3, 4,  //
                                             5, 6, 7, 8,  //
                                             12, 14, 13, 16, 18, 17}));
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{5, 7, 7, 8}));
  EXPECT_EQ(refs(mesh.segment_attributes), (Array<std::int32_t>{9}));
  EXPECT_EQ(std::get<Array<double>>(find(mesh.vertex_attributes, "a")->values),
            (Array<double>{1, 2, 3, 4, 5, 6, 7, 8.5, 5, 6, 7, 8.5, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(result.notes,
            (Notes{"vertex attribute \"b\" is not in all pieces and was not read",
                   "polygon attribute \"ref\" is not in all pieces and was not read"}));
  expect_survives_damage(text, Format::vtu);
}

TEST(Vtu, JoinsPiecesOfPolyhedraThatShareFaces) {
  // Twice the two polyhedra: the turned face of the second piece counts from there too.
  const std::string text = two_polyhedra();
  const std::size_t start = text.find("<Piece");
  const std::size_t end = text.find("</Piece>") + 8;
  const std::string twice = text.substr(0, end) + text.substr(start);
  const PolyhedralSoup mesh = parse_cells(twice, Format::vtu).mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 3, ~Index{3}, 4, 5, 6,  //
                                             7, 8, 9, 10, ~Index{10}, 11, 12, 13}));
}

TEST(Vtu, NotesWhatChanges) {
  const std::string more =
      "<PointData>" + array("Int32", "a", "1 2 3 4 5 6 7 8") +
      array("Int32", "a", "8 7 6 5 4 3 2 1") + array("Int32", "a 2", "1 1 1 1 1 1 1 1") +
      array("Int64", "id",
            "9007199254740993 -9007199254740993 9007199254740992 -9223372036854775808 "
            "9223372036854775807 0 1 2") +
      array("UInt64", "uid", "18446744073709551615 9223372036854775808 0 1 2 3 4 5") +
      "</PointData>";
  const ReadPolyhedraResult result = parse_cells(vtu(cube_points, "", 8, 0, more), Format::vtu);
  EXPECT_EQ(result.mesh.validate(), std::nullopt);
  EXPECT_EQ(refs(result.mesh.vertex_attributes, "a 2"),
            (Array<std::int32_t>{8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(result.notes,
            (Notes{"a second array \"a\" was read as \"a 2\"",
                   "a second array \"a 2\" was read as \"a 2 2\"",
                   "3 whole numbers of array \"id\" are beyond 2^53 and were rounded",
                   "1 whole numbers of array \"uid\" are beyond 2^53 and were rounded"}));
}

TEST(Vtu, LeavesOutNodesBetweenCorners) {
  const std::string points =
      array("Float64", "Points",
            "9 9 9 0 0 0 .5 0 0 1 0 0 0 .5 0 .5 .5 0 0 1 0 0 0 .5 .5 0 .5 0 .5 .5 0 "
            "0 1 7 7 7",
            3);
  const ReadPolyhedraResult result = parse_cells(
      vtu(points, cells("1 3 6 10 2 5 4 7 8 9 1 0", "10 12", "24 3"), 12, 2,
          "<PointData>" + array("Int32", "ref", "0 1 2 3 4 5 6 7 8 9 10 11") + "</PointData>"),
      Format::vtu);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.positions, (Array<Vec3d>{{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{1, 2, 3, 4}));
  EXPECT_EQ(mesh.segments, (Array<Segment>{{1, 0}}));
  EXPECT_EQ(refs(mesh.vertex_attributes), (Array<std::int32_t>{0, 1, 3, 6, 10}));
  EXPECT_EQ(result.notes,
            (Notes{"1 elements of higher order were read by their corners, 7 nodes that no element "
                   "has any more were left out"}));
}

TEST(Vtu, RefusesBadFiles) {
  const auto refused = [](const std::string& text, std::string_view sentence) {
    expect_cells_refused(text, Format::vtu, sentence);
  };
  const auto grid = [](const std::string& some_cells, int count) {
    return vtu(cube_points, some_cells, 8, count);
  };
  refused("", "test: the file is empty");
  refused("nonsense", "test: not a VTU file: it does not start with <");
  refused("\x89PNG <VTKFile", "test: not a VTU file: it does not start with <");
  refused("<!-- -->", "test: not a VTU file: it has no <VTKFile>");
  refused("<VTKFile type=\"PUnstructuredGrid\"></VTKFile>",
          "test:1: the file only names its pieces; give these, which end in .vtu");
  refused("<html></html>", "test:1: not a VTU file: it does not start with <VTKFile>");
  refused("<VTKFile type=\"PolyData\"></VTKFile>",
          "test:1: the file is a PolyData, not an UnstructuredGrid");
  refused("<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
          "test:1: the file is compressed by vtkLZ4DataCompressor, which is not read; store it "
          "with zlib or without compression");
  refused("<VTKFile type=\"UnstructuredGrid\"></VTKFile>", "test: the file has no <Piece>");
  refused("<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"-1\">",
          "test:1: <Piece> needs a number NumberOfPoints");
  refused("<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"0\" NumberOfCells=\"0\">",
          "test: the file ends within <Piece>");
  refused("<VTKFile type=\"Unstruct", "test:1: the file ends within this element");
  refused("<VTKFile type=UnstructuredGrid>", "test:1: an attribute without quotes");
  refused(vtu("", "", 8, 0), "test: the file has no <Points>");
  refused(vtu(cube_points, "", 4000000000 % 2147483647, 0),
          "test:5: array \"Points\" has 24 numbers for 1852516353 points of 3 coordinates");
  refused(vtu(array("Float32", "Points", "0 nan 0", 3), "", 1, 0),
          "test: vertex 0 has a coordinate that is not finite");
  refused(vtu(array("Float32", "Points", "0 x 0", 3), "", 1, 0),
          "test:6: expected a number of type Float32");
  refused(vtu(array("Complex", "Points", "0 0 0", 3), "", 1, 0),
          "test:5: array \"Points\" is of an unknown type \"Complex\"");
  refused(grid("", 1), "test: <Cells> has no array \"connectivity\"");
  refused(grid(cells("0 1 2 8", "4", "10"), 1),
          "test: cell 0 refers to vertex 8, but there are only 8");
  refused(grid(cells("0 1 2 -1", "4", "10"), 1),
          "test: cell 0 refers to vertex -1, but there are only 8");
  refused(grid(cells("0 1 2 3", "5", "10"), 1),
          "test:11: array \"offsets\" says that cell 0 ends at corner 5, but there are 4 and the "
          "cell before ends at 0");
  refused(grid(cells("0 1 2 3", "3", "10"), 1), "test: cell 0, of type 10, has only 3 corners");
  refused(grid(cells("0 1 2 3", "2", "7"), 1), "test: cell 0, of type 7, has only 2 corners");
  refused(grid(cells("0 1 2 3", "4 4", "10"), 1),
          "test:11: array \"offsets\" has 2 numbers for 1 cells");
  refused(grid(cells("0 1 2 3", "4", "300"), 1), "test:14: expected a number of type UInt8");
  refused(grid(cells("0 1 2 3", "4", "42"), 1),
          "test: polyhedra need the arrays \"faces\" and \"faceoffsets\" in <Cells>");
  refused(grid(cells("0 1 2 3", "4", "42") + array("Int8", "faces", "4 3 0 1") +
                   array("Int8", "faceoffsets", "4"),
               1),
          "test:15: array \"faces\" has no list of four or more faces of three or more corners for "
          "cell 0, a polyhedron");
  refused(
      vtu(cube_points, "", 8, 0, "<PointData>" + array("Float32", "t", "1 2", 1) + "</PointData>"),
      "test:5: array \"t\" has 2 numbers for 8 points of 1 components");
  std::string raw = encoded("raw", false, true);
  refused(raw.substr(0, raw.size() - 30),
          "test:4: array \"types\" has no offset within the appended data");
}

}  // namespace
}  // namespace tessera::io::testing
