// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <fstream>

#include <gtest/gtest.h>

#include "io_support.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/ridges.h"
#include "tessera/io/sol.h"

namespace tessera::io::testing {
namespace {

const std::string head = "MeshVersionFormatted 2\nDimension 3\n";
const std::string vertices = "Vertices\n4\n0 0 0 1\n1 0 0 0\n1 1 0 0\n0 1 0 -7\n";
const std::string square = head + vertices + "Triangles\n2\n1 2 3 5\n1 3 4 0\nEnd\n";

const Array<std::int32_t>& refs(const Attributes& attributes) {
  return std::get<Array<std::int32_t>>(find(attributes, "ref")->values);
}

Attributes parse_sol(std::string_view text, std::size_t count) {
  const ProgressCallback none;
  return detail::read_sol({{text.data(), text.size()}, "test.sol", none}, count);
}

void expect_sol_refused(std::string_view text, std::size_t count, std::string_view part) {
  try {
    parse_sol(text, count);
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const InputError& error) {
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
  }
}

TEST(Medit, ReadsTrianglesAndReferences) {
  const ReadResult result = parse(square, Format::medit);
  EXPECT_EQ(result.mesh.positions.size(), 4u);
  EXPECT_EQ(result.mesh.positions[2], (Vec3d{1, 1, 0}));
  EXPECT_EQ(result.mesh.triangles, (Array<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(refs(result.mesh.vertex_attributes), (Array<std::int32_t>{1, 0, 0, -7}));
  EXPECT_EQ(refs(result.mesh.face_attributes), (Array<std::int32_t>{5, 0}));
  EXPECT_EQ(result.mesh.precision, Precision::float64);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Medit, ReadsTheSameWhateverTheLayout) {
  const TriangleSoup expected = parse(square, Format::medit).mesh;
  const std::string other =
      "# comment\n MeshVersionFormatted\n2\n\nDimension\n\n3 # space\n Vertices 4\n0 0 0 1\n  1 0 "
      "0 "
      "0\n# between\n1 1 0\n0 1 0 -7 # last\n\nTriangles 2\n1 2 3 5\n1 3 4 0";
  std::string crlf;
  for (const char c : other) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& text : {other, crlf, square.substr(0, square.size() - 4)})
    expect_same(parse(text, Format::medit).mesh, expected);
}

TEST(Medit, ReadsVersionsAndDimensions) {
  const ReadResult flat = parse(
      "MeshVersionFormatted 1\nDimension 2\nVertices 3\n0 0 0\n1 0 0\n0 1 0\n"
      "Triangles 1\n1 2 3 0\nEnd\n",
      Format::medit);
  EXPECT_EQ(flat.mesh.precision, Precision::float32);
  EXPECT_EQ(flat.mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_TRUE(flat.mesh.vertex_attributes.empty()) << "references of 0 say nothing";
  EXPECT_TRUE(flat.mesh.face_attributes.empty());
}

TEST(Medit, TriangulatesQuadrilaterals) {
  for (const bool quads_first : {false, true}) {
    const std::string triangles = "Triangles 1\n1 2 3 8\n";
    const std::string quads = "Quadrilaterals\n1\n1 2 3 4 9\n";
    const ReadResult result = parse(
        head + vertices + (quads_first ? quads + triangles : triangles + quads), Format::medit);
    EXPECT_EQ(result.polygons, 1u);
    ASSERT_EQ(result.mesh.triangles.size(), 3u);
    EXPECT_EQ(result.mesh.triangles[0], (Triangle{0, 1, 2}));
    EXPECT_EQ(refs(result.mesh.face_attributes), (Array<std::int32_t>{8, 9, 9}));
    EXPECT_EQ(result.mesh.validate(), std::nullopt);
  }
}

TEST(Medit, SkipsAndNotesOtherSections) {
  const ReadResult result =
      parse(head + "Edges\n2\n1 2 0\n2 3 0\n" + vertices +
                "AngleOfCornerBound 45.\nUnknown\n1 2 3 4\n5 6\nTetrahedra\n0\n"
                "Triangles\n1\n1 2 3 0\nCorners\n1\n1\n",
            Format::medit);
  EXPECT_EQ(result.mesh.triangles.size(), 1u);
  ASSERT_EQ(result.notes.size(), 5u);
  EXPECT_EQ(result.notes[0], "section Edges of 2 entries was not read");
  EXPECT_EQ(result.notes[4], "section Corners of 1 entries was not read");
}

TEST(Medit, RidgesAreTheEdgesThatTheyName) {
  const std::string text = head + vertices + "Edges\n3\n1 2 0\n2 3 5\n3 1\n";
  const std::string faces = "Triangles\n1\n1 2 3 0\n";
  const auto refused = [](const std::string& wrong, std::string_view part) {
    expect_refused(wrong, Format::medit, part);
  };
  const ReadResult result = parse(text + "Ridges\n2\n1\n3\n" + faces, Format::medit);
  EXPECT_EQ(result.mesh.ridges, (Array<VertexPair>{{0, 1}, {2, 0}}));
  EXPECT_TRUE(result.notes.empty());
  // Edges may be anything.
  EXPECT_TRUE(parse(text + faces, Format::medit).mesh.ridges.empty());
  refused(text + "Ridges\n1\n4\n" + faces, "ridge 1 is no edge from 1 to 3");
  refused(text + "Ridges\n1\n0\n" + faces, "ridge 1 is no edge");
  refused(head + vertices + "Ridges\n1\n1\n" + faces, "no Edges");
  refused(head + vertices + "Edges\n1\n1 99 0\nRidges\n1\n1\n" + faces, "vertex 99");
  refused(head + vertices + faces + "Ridges\n1\n1\nEdges\n3\n1 2 0\n", "lines follow");

  const TemporaryFolder folder;
  TriangleSoup mesh = result.mesh;
  write_triangles(folder / "a.mesh", mesh);
  EXPECT_EQ(read_triangles(folder / "a.mesh").mesh.ridges, mesh.ridges);
  EXPECT_EQ(write_triangles(folder / "a.off", mesh).notes.back(),
            "OFF files have no room for ridges");
  mesh.ridges[0][1] = 99;
  EXPECT_EQ(mesh.validate(), "ridge 0 refers to vertex 99, but there are only 4");
}

TEST(Ridges, AreTwoNumbersALine) {
  const TemporaryFolder folder;
  const auto read = [&](std::string_view text) {
    std::ofstream(folder / "a.txt") << text;
    return read_ridges(folder / "a.txt", 10);
  };
  EXPECT_EQ(read("1 2\n\n# ridges\n  10 3 # one\r\n"), (Array<VertexPair>{{0, 1}, {9, 2}}));
  EXPECT_TRUE(read("").empty());
  for (const auto& [text, part] : {std::pair{"1 2\n3\n", "a.txt:2: ridge 2 lacks a vertex"},
                                   {"1 11\n", "vertex 11, but they are 1 to 10"},
                                   {"0 1\n", "vertex 0"},
                                   {"1 2 3\n", "more than two vertices"},
                                   {"a b\n", "lacks a vertex number"}})
    try {
      read(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(Medit, RoundTripKeepsEveryBit) {
  const TemporaryFolder folder;
  for (const std::uint32_t n : {1u, 3u, 1000u, 40000u}) {
    TriangleSoup mesh = random_soup(n, n, 2 * n);
    for (const bool with_refs : {false, true}) {
      if (with_refs) {
        mesh.vertex_attributes = {random_attribute<std::int32_t>("ref", 1, n, 1)};
        mesh.face_attributes = {random_attribute<std::int32_t>("ref", 1, 2 * n, 2)};
      }
      const WriteResult written = write_triangles(folder / "mesh.mesh", mesh);
      EXPECT_TRUE(written.notes.empty());
      EXPECT_FALSE(std::filesystem::exists(folder / "mesh.sol"));
      expect_same(read_triangles(folder / "mesh.mesh").mesh, mesh);
    }
  }
}

TEST(Medit, EmptyMeshRoundTrip) {
  const TemporaryFolder folder;
  write_triangles(folder / "mesh.mesh", {});
  EXPECT_TRUE(read_triangles(folder / "mesh.mesh").mesh.positions.empty());
}

TEST(Medit, FieldsGoToASolFile) {
  const TemporaryFolder folder;
  TriangleSoup mesh = random_soup(5, 3000, 5000);
  mesh.vertex_attributes = {random_attribute<double>("metric", 6, 3000, 1)};
  const WriteResult written = write_triangles(folder / "mesh.mesh", mesh);
  ASSERT_EQ(written.notes.size(), 1u);
  EXPECT_NE(written.notes[0].find("\"metric\""), std::string::npos);
  ReadResult result = read_triangles(folder / "mesh.mesh");
  mesh.vertex_attributes[0].name = "sol";
  expect_same(result.mesh, mesh);

  mesh.vertex_attributes = {random_attribute<std::int32_t>("ref", 1, 3000, 2),
                            random_attribute<double>("heat", 1, 3000, 3),
                            random_attribute<float>("normal", 3, 3000, 4),
                            random_attribute<float>("texcoord", 2, 3000, 5)};
  mesh.face_attributes = {random_attribute<double>("area", 1, 5000, 6)};
  const WriteResult several = write_triangles(folder / "mesh.mesh", mesh);
  EXPECT_EQ(several.notes.size(), 3u) << "texcoord, area, and the names";
  result = read_triangles(folder / "mesh.mesh");
  ASSERT_EQ(result.mesh.vertex_attributes.size(), 3u);
  expect_same_attributes({result.mesh.vertex_attributes[0]}, {mesh.vertex_attributes[0]});
  mesh.vertex_attributes[1].name = "sol_0";
  expect_same_attributes({result.mesh.vertex_attributes[1]}, {mesh.vertex_attributes[1]});
  const Attribute& normal = result.mesh.vertex_attributes[2];
  EXPECT_EQ(normal.name, "sol_1");
  ASSERT_EQ(normal.components, 3);
  const auto& before = std::get<Array<float>>(mesh.vertex_attributes[2].values);
  const auto& after = std::get<Array<double>>(normal.values);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(before[i], static_cast<float>(after[i])) << i;
}

TEST(Medit, RefusesBadFiles) {
  const auto refused = [](const std::string& text, std::string_view part) {
    expect_refused(text, Format::medit, part);
  };
  refused("", "empty");
  refused("garbage \x01\x02\n", "test:1: not a MEDIT text");
  refused("Vertices 1\n0 0 0 0\n", "not a MEDIT text");
  refused("MeshVersionFormatted\n", "must be 1 to 4");
  refused("MeshVersionFormatted 9\nDimension 3\n", "must be 1 to 4");
  refused("MeshVersionFormatted 2\nDimension 4\n", "must be 2 to 3");
  refused("MeshVersionFormatted 2\n" + vertices, "no Dimension");
  refused(head + "End\n", "no Vertices");
  refused(head + "Vertices\n4000000000\n0 0 0 0\n", "only 1 lines follow");
  refused(head + "Vertices\n18446744073709551615\n0 0 0 0\n", "lines follow");
  refused(head + "Vertices\n-1\n0 0 0 0\n", "needs a number");
  refused(head + "Vertices\n", "needs a number");
  refused(head + "Vertices\n2\n0 0 0 0\n", "only 1 lines follow");
  refused(head + "Vertices\n1\n0 nan 0 0\n",
          "test:5: vertex 1 has a coordinate that is not finite");
  refused(head + "Vertices\n1\n0 0 inf 0\n", "not finite");
  refused(head + "Vertices\n1\n0 0\n", "needs 3 coordinates");
  refused(head + "Vertices\n1\n0 0 0 x\n", "reference");
  refused(head + "Vertices\n1\n0 0 0 0 0\n", "reference");
  refused(head + "Vertices\n1\n0 0 0 9999999999\n", "32-bit reference");
  refused(head + vertices + "1 1 1 1\n", "expected a keyword");
  refused(head + vertices + vertices, "second section Vertices");
  refused(head + vertices + "Triangles\n1\n1 2 5 0\n", "test:11: triangle 1 refers to vertex 5");
  refused(head + vertices + "Triangles\n1\n0 1 2 0\n", "refers to vertex 0");
  refused(head + vertices + "Triangles\n1\n1 2\n", "lacks a vertex number");
  refused(head + vertices + "Quadrilaterals\n1\n1 2 3\n", "lacks a vertex number");
  refused(head + vertices + "Quadrilaterals\n1\n1 2 3 9 0\n", "refers to vertex 9");
  refused(head + vertices + "Tetrahedra\n4000000000\n1 2 3 4 0\n", "only 1 lines follow");
}

TEST(Medit, SurvivesTruncation) {
  expect_survives_truncation(square, Format::medit);
  expect_survives_truncation(head + vertices + "Edges 1\n1 2 0\nQuadrilaterals 1\n1 2 3 4 0\n",
                             Format::medit);
}

TEST(Medit, ManySmallSectionsTakeLinearTime) {
  std::string text = head + vertices;
  for (int i = 0; i < 100000; ++i) text += "Edges 0\n";
  EXPECT_EQ(parse(text, Format::medit).notes.size(), 100000u);
}

TEST(Sol, ReadsFieldsOfAllTypes) {
  const Attributes fields = parse_sol(
      head +
          "SolAtVertices\n2\n3 1 2 3\n1 2 3 4 5 6 7 8 9 10\n-1 -2 -3 -4 -5 -6 -7 -8 -9 -10\nEnd\n",
      2);
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields[0].name, "sol_0");
  EXPECT_EQ(std::get<Array<double>>(fields[0].values), (Array<double>{1, -1}));
  EXPECT_EQ(fields[1].components, 3);
  EXPECT_EQ(std::get<Array<double>>(fields[1].values), (Array<double>{2, 3, 4, -2, -3, -4}));
  EXPECT_EQ(fields[2].components, 6);
  EXPECT_EQ(std::get<Array<double>>(fields[2].values),
            (Array<double>{5, 6, 7, 8, 9, 10, -5, -6, -7, -8, -9, -10}));
}

TEST(Sol, TwoDimensionsHaveFewerComponents) {
  const Attributes fields =
      parse_sol("MeshVersionFormatted 2\nDimension\n2\nSolAtVertices 1\n2 3 2\n1 2 3 4 5\n", 1);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].components, 3);
  EXPECT_EQ(fields[1].components, 2);
}

TEST(Sol, RefusesBadFiles) {
  expect_sol_refused("", 1, "empty");
  expect_sol_refused(head, 1, "no SolAtVertices");
  expect_sol_refused(head + "SolAtVertices\n2\n1 1\n1\n2\n", 3, "2 vertices have values");
  expect_sol_refused(head + "SolAtVertices\n2\n1 1\n1\n", 2, "lines follow");
  expect_sol_refused(head + "SolAtVertices\n4000000000\n1 1\n1\n", 4000000000, "lines follow");
  expect_sol_refused(head + "SolAtVertices\n1\n1 4\n1\n", 1, "needs a type");
  expect_sol_refused(head + "SolAtVertices\n1\n2 1\n1\n", 1, "needs a type");
  expect_sol_refused(head + "SolAtVertices\n1\n1 1 1\n1\n", 1, "more types");
  expect_sol_refused(head + "SolAtVertices\n1\n4000000000 1\n1\n", 1, "needs a type");
  expect_sol_refused(head + "SolAtVertices\n1\n1 3\n1 2 3\n", 1, "test.sol:6: vertex 1 lacks");
  expect_sol_refused(head + "SolAtVertices\n1\n1 1\n1 2\n", 1, "more values");
}

TEST(Sol, SurvivesTruncation) {
  const std::string text = head + "SolAtVertices\n2\n2 1 3\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7\nEnd\n";
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      for (const Attribute& a : parse_sol(std::string_view(text).substr(0, n), 2))
        EXPECT_EQ(a.size(), 2u);
    } catch (const InputError&) {
    }
  }
}

TEST(Sol, FieldsOfAnyMeshRoundTrip) {
  const TemporaryFolder folder;
  for (const std::uint32_t n : {0u, 1u, 5000u}) {
    Attributes fields = {random_attribute<double>("size", 1, n, 1)};
    const std::uint64_t bytes = write_sol(folder / "a.sol", fields);
    EXPECT_EQ(bytes, std::filesystem::file_size(folder / "a.sol"));
    fields[0].name = "sol";
    expect_same_attributes(read_sol(folder / "a.sol", n), fields);
    fields = {random_attribute<double>("sol_0", 6, n, 1),
              random_attribute<double>("sol_1", 3, n, 2)};
    write_sol(folder / "a.sol", fields);
    expect_same_attributes(read_sol(folder / "a.sol", n), fields);
  }
}

TEST(Sol, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, std::size_t count, const std::string& part) {
    try {
      read_sol(folder / name, count);
      ADD_FAILURE() << "accepted " << name;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(name), std::string::npos) << what;
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  };
  refused("none.sol", 1, "No such file");
  write_sol(folder / "a.sol", {{"h", 1, Array<float>{1, 2}}});
  refused("a.sol", 3, "a.sol:5: 2 vertices have values, but the mesh has 3 vertices");
  write_bytes(folder / "b.sol", head + "SolAtVertices\n1\n1 1\nx\n");
  refused("b.sol", 1, "b.sol:6: vertex 1 lacks a value");
  EXPECT_THROW(write_sol(folder / "a.sol", {}), std::invalid_argument);
  EXPECT_THROW(write_sol(folder / "a.sol", {{"two", 2, Array<float>{1, 2}}}),
               std::invalid_argument);
  EXPECT_THROW(
      write_sol(folder / "a.sol", {{"a", 1, Array<float>{1}}, {"b", 1, Array<float>{1, 2}}}),
      std::invalid_argument);
  EXPECT_EQ(read_sol(folder / "a.sol", 2).size(), 1u) << "what was there stays";
  EXPECT_THROW(write_sol(folder / "none" / "a.sol", {{"h", 1, Array<float>{1}}}), InputError);
}

}  // namespace
}  // namespace tessera::io::testing
