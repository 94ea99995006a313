// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Hand-written files of volume cells: what others write, and what is refused.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "volume_soups.h"

namespace tessera::io::testing {
namespace {

// MEDIT

const std::string medit_head = "MeshVersionFormatted 2\nDimension 3\n";
const std::string medit_vertices =
    "Vertices\n8\n0 0 0 1\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n1 1 1 0\n0 1 1 -2\n";

TEST(MeditCells, ReadsAllKindsInAnyOrder) {
  const auto result =
      parse_cells(medit_head + "Hexaedra 1\n1 2 3 4 5 6 7 8 9\n" + medit_vertices +
                      "Wedges\n1\n1 2 3 5 6 7 8\nPyramids 1\n1 2 3 4 5 0\nEdges 2\n1 2 4\n2 3 0\n"
                      "Tetrahedra 1\n1 2 3 5\nQuadrilaterals 1\n1 2 3 4 3\nTriangles 1\n1 2 3 0\n"
                      "Corners 1\n1\nEnd\n",
                  Format::medit);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.cell_types, (Array<CellType>{CellType::tetrahedron, CellType::pyramid,
                                              CellType::prism, CellType::hexahedron}));
  EXPECT_EQ(mesh.cell_entries,
            (Array<Index>{0, 1, 2, 4, 0, 1, 2, 3, 4, 0, 1, 2, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 2, 0, 1, 2, 3}));
  EXPECT_EQ(mesh.segments, (Array<Segment>{{0, 1}, {1, 2}}));
  EXPECT_EQ(refs(mesh.vertex_attributes), (Array<std::int32_t>{1, 0, 0, 0, 0, 0, 0, -2}));
  EXPECT_EQ(refs(mesh.polygon_attributes), (Array<std::int32_t>{0, 3}));
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{0, 0, 8, 9}));
  EXPECT_EQ(refs(mesh.segment_attributes), (Array<std::int32_t>{4, 0}));
  EXPECT_EQ(result.notes, (Notes{"section Corners of 1 entries was not read"}));
}

TEST(MeditCells, RefusesBadFiles) {
  const auto refused = [](const std::string& text, std::string_view sentence) {
    expect_cells_refused(text, Format::medit, sentence);
  };
  refused("", "test: the file is empty");
  refused("nonsense\n", "test:1: not a MEDIT text: it does not start with MeshVersionFormatted");
  refused(medit_head + "End\n", "test: the file has no Vertices");
  refused(medit_head + medit_vertices + "Tetrahedra\n2\n1 2 3 4 0\n",
          "test: 2 Tetrahedra are announced, but only 1 lines follow");
  refused(medit_head + medit_vertices + "Tetrahedra\n1\n1 2 3 9 0\n",
          "test:15: tetrahedron 1 refers to vertex 9, but they are 1 to 8");
  refused(medit_head + medit_vertices + "Hexahedra\n1\n1 2 3 4 5 6 7\n",
          "test:15: hexahedron 1 lacks a vertex number");
  refused(medit_head + medit_vertices + "Tetrahedra\n1\n1 2 3.9 4 0\n",
          "test:15: tetrahedron 1 lacks a vertex number");
  refused(medit_head + medit_vertices + "Prisms\n1\n1 2 3 4 5 6 x\n",
          "test:15: prism 1 must end with a 32-bit reference number");
  refused(medit_head + medit_vertices + "Prisms 0\nWedges 0\n",
          "test:14: Prisms and Wedges are the same");
  refused(medit_head + "Vertices 1\nnan 0 0 0\n",
          "test:4: vertex 1 has a coordinate that is not finite");
}

// Gmsh

const std::string old_head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string old_nodes =
    "$Nodes\n5\n1 0 0 0\n7 1 0 0\n3 0 1 0\n400000 0 0 1\n9 1 1 1\n$EndNodes\n";

TEST(Gmsh, ReadsVersion2) {
  const auto result = parse_cells(
      old_head + "$PhysicalNames\n1\n3 5 \"steel\"\n$EndPhysicalNames\n" + old_nodes +
          "$Elements\n6\n1 15 2 0 1 1\n2 1 2 9 1 1 7\n3 2 2 4 1 1 7 3\n4 4 3 5 1 0 1 7 3 400000\n"
          "5 4 0 9 3 7 400000\n6 99 2 0 1 1 1 1\n$EndElements\n$NodeData\n1\n\"a b\"\n"
          "$EndNodeData\n",
      Format::gmsh);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_EQ(mesh.segments, (Array<Segment>{{0, 1}}));
  EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 2}));
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 3, 4, 2, 1, 3}));
  EXPECT_EQ(refs(mesh.segment_attributes), (Array<std::int32_t>{9}));
  EXPECT_EQ(refs(mesh.polygon_attributes), (Array<std::int32_t>{4}));
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{5, 0}));
  EXPECT_EQ(refs(mesh.cell_attributes, "entity"), (Array<std::int32_t>{1, 0}));
  EXPECT_EQ(result.notes,
            (Notes{"1 point elements were not read", "1 elements of unknown type were not read",
                   "section $PhysicalNames was not read", "section $NodeData was not read"}));
}

TEST(Gmsh, ReadsVersion2Binary) {
  for (const bool swap : {false, true}) {
    Bytes bytes(swap);
    bytes.text("$MeshFormat\n2.2 1 8\n").put<std::int32_t>({1}).text("\n$EndMeshFormat\n");
    bytes.text("$Nodes\n5\n");
    for (const std::int32_t tag : {5, 6, 8, 7, 9})
      bytes.put<std::int32_t>({tag}).put<double>({1.0 * tag, 0, 0.5});
    bytes.text("\n$EndNodes\n$Elements\n3\n");
    bytes.put<std::int32_t>({4, 2, 2, /**/ 1, 31, 1, 5, 6, 7, 8, /**/ 2, 32, 1, 8, 7, 6, 9});
    bytes.put<std::int32_t>({2, 1, 0, /**/ 3, 5, 6, 7});
    bytes.text("\n$EndElements\n");
    const PolyhedralSoup mesh = parse_cells(bytes.str(), Format::gmsh).mesh;
    EXPECT_EQ(mesh.positions,
              (Array<Vec3d>{{5, 0, .5}, {6, 0, .5}, {8, 0, .5}, {7, 0, .5}, {9, 0, .5}}));
    EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 3, 2, 2, 3, 1, 4}));
    EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 3}));
    EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{31, 32}));
    EXPECT_EQ(refs(mesh.cell_attributes, "entity"), (Array<std::int32_t>{1, 1}));
    expect_survives_damage(bytes.str(), Format::gmsh);
  }
}

const std::string new_head = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string entities =
    "$Entities\n1 1 0 2\n1 0 0 0 0\n1 0 0 0 1 1 1 0 2 1 -1\n3 0 0 0 1 1 1 2 77 78 1 5\n"
    "4 0 0 0 1 1 1 0 0\n$EndEntities\n";
const std::string new_nodes =
    "$Nodes\n2 5 1 9\n2 1 1 1\n9\n0 0 0 .5 .5\n3 3 0 4\n1\n2\n3\n4\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n"
    "$EndNodes\n";

TEST(Gmsh, ReadsVersion4) {
  const auto result = parse_cells(
      new_head + entities + new_nodes +
          "$Elements\n3 4 1 4\n2 6 2 1\n1 9 1 2\n3 3 4 2\n2 9 1 2 3\n3 4 3 2 1\n3 4 11 1\n"
          "4 1 2 3 4 9 9 9 9 9 9\n$EndElements\n",
      Format::gmsh);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}));
  EXPECT_EQ(mesh.polygon_corners, (Array<Index>{0, 1, 2}));
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 3, 4, 3, 2, 1, 1, 2, 3, 4}));
  EXPECT_EQ(refs(mesh.polygon_attributes), (Array<std::int32_t>{6}));
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{77, 77, 0}));
  EXPECT_EQ(refs(mesh.cell_attributes, "entity"), (Array<std::int32_t>{3, 3, 4}));
  EXPECT_EQ(result.notes,
            (Notes{"1 entities are in several physical groups: the first of each was read, 1 were "
                   "not",
                   "1 elements of higher order were read by their corners"}));
}

TEST(Gmsh, LeavesOutNodesBetweenCorners) {
  std::string text = old_head + "$Nodes\n13\n";
  for (int i = 1; i <= 13; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 0 0\n";
  text +=
      "$EndNodes\n$Elements\n2\n1 11 2 0 1 1 3 5 7 2 4 6 8 9 10\n2 8 2 0 1 7 11 10\n"
      "$EndElements\n";
  const ReadPolyhedraResult result = parse_cells(text, Format::gmsh);
  EXPECT_EQ(result.mesh.positions,
            (Array<Vec3d>{{1, 0, 0}, {3, 0, 0}, {5, 0, 0}, {7, 0, 0}, {11, 0, 0}}));
  EXPECT_EQ(result.mesh.cell_entries, (Array<Index>{0, 1, 2, 3}));
  EXPECT_EQ(result.mesh.segments, (Array<Segment>{{3, 4}}));
  EXPECT_EQ(result.notes,
            (Notes{"2 elements of higher order were read by their corners, 8 nodes that no element "
                   "has any more were left out"}));
}

TEST(Gmsh, AnEntityIsNoGroup) {
  // Volume 2 is in no group: it must not become group 2, in which volume 1 is.
  const auto result = parse_cells(
      new_head +
          "$Entities\n0 1 1 2\n8 0 0 0 1 1 1 1 77 0\n5 0 0 0 1 1 1 0 0\n1 0 0 0 1 1 1 1 2 0\n"
          "2 0 0 0 1 1 1 0 0\n$EndEntities\n" +
          new_nodes +
          "$Elements\n4 4 1 4\n1 8 1 1\n1 9 1\n2 5 2 1\n2 9 1 2\n3 1 4 1\n3 9 1 2 3\n"
          "3 2 4 1\n4 4 3 2 1\n$EndElements\n",
      Format::gmsh);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{2, 0}));
  EXPECT_EQ(refs(mesh.cell_attributes, "entity"), (Array<std::int32_t>{1, 2}));
  EXPECT_EQ(refs(mesh.segment_attributes), (Array<std::int32_t>{77}));
  EXPECT_EQ(refs(mesh.segment_attributes, "entity"), (Array<std::int32_t>{8}));
  // There are no groups of surfaces: there the entity tells more than nothing.
  EXPECT_EQ(refs(mesh.polygon_attributes), (Array<std::int32_t>{5}));
  EXPECT_EQ(find(mesh.polygon_attributes, "entity"), nullptr);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Gmsh, ReadsElementsOfSeveralGroupsOnce) {
  const auto result =
      parse_cells(old_head + old_nodes +
                      "$Elements\n9\n1 4 2 2 1 1 7 3 9\n2 4 2 3 1 1 7 3 9\n3 4 2 -4 1 7 1 3 9\n"
                      // The same number and corners in the same group; the same corners, which is
                      // no repetition of a group; another element of the same number.
                      "4 4 2 2 1 1 7 3 400000\n4 4 2 2 1 1 7 3 400000\n5 4 2 2 1 1 7 3 400000\n"
                      "5 4 2 2 1 9 7 3 400000\n"
                      // Other types of the same corners.
                      "6 2 2 8 1 1 7 3\n7 3 2 9 1 1 7 3 9\n$EndElements\n",
                  Format::gmsh);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 4, 0, 1, 2, 3, 0, 1, 2, 3, 4, 1, 2, 3}));
  EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{2, 2, 2, 2}));
  EXPECT_EQ(mesh.polygon_count(), 2U);
  EXPECT_EQ(result.notes, (Notes{"3 elements stand in the file once more for another physical "
                                 "group; they were read once, in their first group"}));
}

TEST(Gmsh, GroupsOfAllDimensionsComeBack) {
  const TemporaryFolder folder;
  PolyhedralSoup mesh = with_refs(mixed_mesh(8));
  mesh.vertex_attributes.clear();
  const auto values = [](std::size_t n, std::initializer_list<std::int32_t> some) {
    Array<std::int32_t> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(some.begin()[i * some.size() / n]);
    return out;
  };
  mesh.segment_attributes = {{"ref", 1, values(8, {0, 77})}, {"entity", 1, values(8, {3, 4})}};
  const std::size_t cells = mesh.cell_count();
  // Entity 5 is in two groups, which it cannot be: one of them gets another entity.
  mesh.cell_attributes = {{"ref", 1, values(cells, {1, 2, 2})},
                          {"entity", 1, values(cells, {5, 5, 6})}};
  for (const Encoding encoding : {Encoding::text, Encoding::binary}) {
    WriteOptions options;
    options.encoding = encoding;
    EXPECT_TRUE(write_polyhedra(folder / "a.msh", mesh, options).notes.empty());
    const ReadPolyhedraResult result = read_polyhedra(folder / "a.msh");
    PolyhedralSoup expected = mesh;
    expected.cell_attributes[1].values = values(cells, {5, 1, 6});
    expect_same(result.mesh, expected);
  }
}

TEST(Gmsh, ReadsVersion4BinaryOfBothByteOrders) {
  for (const bool swap : {false, true}) {
    Bytes bytes(swap);
    bytes.text("$MeshFormat\n4.1 1 8\n").put<std::int32_t>({1}).text("\n$EndMeshFormat\n");
    bytes.text("$Entities\n").put<std::uint64_t>({0, 0, 0, 1}).put<std::int32_t>({3});
    bytes.put<double>({0, 0, 0, 1, 1, 1}).put<std::uint64_t>({1}).put<std::int32_t>({-8});
    bytes.put<std::uint64_t>({2}).put<std::int32_t>({1, 2}).text("\n$EndEntities\n");
    bytes.text("$Nodes\n").put<std::uint64_t>({1, 4, 1, 4}).put<std::int32_t>({3, 3, 1});
    bytes.put<std::uint64_t>({4, 1, 2, 3, 1000000000000});
    for (int i = 0; i < 4; ++i) bytes.put<double>({1.0 * i, 2, 3, .1, .2, .3});
    bytes.text("\n$EndNodes\n$Elements\n").put<std::uint64_t>({1, 1, 1, 1});
    bytes.put<std::int32_t>({3, 3, 4}).put<std::uint64_t>({1, 1, 1000000000000, 3, 2, 1});
    bytes.text("\n$EndElements\n");
    const PolyhedralSoup mesh = parse_cells(bytes.str(), Format::gmsh).mesh;
    EXPECT_EQ(mesh.positions, (Array<Vec3d>{{0, 2, 3}, {1, 2, 3}, {2, 2, 3}, {3, 2, 3}}));
    EXPECT_EQ(mesh.cell_entries, (Array<Index>{3, 2, 1, 0}));
    EXPECT_EQ(refs(mesh.cell_attributes), (Array<std::int32_t>{-8}));
    expect_survives_damage(bytes.str(), Format::gmsh);
  }
}

TEST(Gmsh, RefusesBadFiles) {
  const auto refused = [](const std::string& text, std::string_view sentence) {
    expect_cells_refused(text, Format::gmsh, sentence);
  };
  const auto elements = [](const std::string& rows) {
    return old_head + old_nodes + "$Elements\n1\n" + rows + "$EndElements\n";
  };
  refused("", "test: the file is empty");
  refused("nonsense", "test:1: not a Gmsh file: it does not start with $MeshFormat");
  refused("$MeshFormat\n4.0 0 8\n", "test:2: version 4 is not read, only 2.2 and 4.1");
  refused("$MeshFormat\nx\n", "test:2: expected version, kind and data size of the file");
  refused("$MeshFormat\n4.1 1 4\n", "test:2: a data size of 4 is not read, only 8");
  refused("$MeshFormat\n4.1 1 8\nabcd",
          "test: at byte 20: expected the number 1, which tells the byte order");
  refused(old_head, "test: the file has no $Nodes");
  refused(old_head + "$Nodes\n9\n1 0 0 0\n$EndNodes\n",
          "test: 9 nodes are announced, but only 2 lines follow");
  refused(old_head + "$Nodes\n1\n1 0 inf 0\n$EndNodes\n",
          "test:6: node 1 has a coordinate that is not finite");
  refused(old_head + "$Nodes\n1\n1 0 0\n$EndNodes\n", "test:6: node 1 needs 3 coordinates");
  refused(old_head + "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", "test: two nodes have the tag 1");
  refused(old_head + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "test:7: expected $EndNodes");
  refused(old_head + old_nodes + old_nodes, "test:12: a second $Nodes");
  refused(elements("1 4 2 0 1 1 7 3 2\n"),
          "test:14: element 1 refers to node 2, which the file does not have");
  refused(elements("1 4 2 0 1 1 7 3\n"), "test:14: element 1 lacks a node");
  refused(elements("1 4 9 0 1\n"), "test:14: element 1 lacks a tag");
  refused(elements("x\n"), "test:14: element 1 has no tag");
  refused(elements("1 4 2 0 1 1 7 3 400000 9 1 7\n"),
          "test:14: element 1 has more in its row than it should");
  refused(elements("1 4 2 0 1 1 7 3 400000x\n"), "test:14: element 1 lacks a node");
  refused(elements("1 4 2 0 1 1 7 3 9.5\n"), "test:14: element 1 lacks a node");
  refused(elements("1 4 2 0 1.5 1 7 3 9\n"), "test:14: element 1 lacks a tag");
  refused(elements("1 4.5 2 0 1 1 7 3 9\n"), "test:14: element 1 has no type");
  refused(elements("1 4 1.5 0 1 7 3 9\n"), "test:14: element 1 has no number of tags");
  refused(elements("1 11 2 0 1 1 7 3 400000\n"), "test:14: element 1 lacks a node");
  refused(elements("1 15 2 0 1 1 7\n"), "test:14: element 1 has more in its row than it should");
  refused(old_head + "$Nodes\n1\n1 0 0 0 junk\n$EndNodes\n",
          "test:6: node 1 has more in its row than it should");
  refused(new_head + "$Nodes\n1 1 1 1\n3 1 0 1\n1 2\n0 0 0\n$EndNodes\n",
          "test:7: node 1 has more in its row than it should");
  refused(new_head + "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0 0\n$EndNodes\n",
          "test:8: node 1 has more in its row than it should");
  refused(new_head + "$Nodes\n1 1 1 1\n2 1 1 1\n1\n0 0 0 0\n$EndNodes\n",
          "test:8: node 1 lacks a parameter on its entity");
  refused(new_head + "$Nodes\n1 1 1 1\n4 1 1 1\n1\n0 0 0 0\n$EndNodes\n",
          "test:6: nodes on an entity of dimension 4");
  refused(new_head + "$Nodes\n1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
          "test:5: $Nodes needs four numbers below it: those of blocks and of nodes, the smallest "
          "tag and the largest");
  refused(new_head + new_nodes + "$Elements\n1 1 1 1\n3 3 4 1\n1 1 2 3 4 9\n$EndElements\n",
          "test:22: element 1 has more in its row than it should");
  for (const char* entity : {"3 0 0 0 1 1 1 2 77", "3 0 0 0 1 1 1 0 0 5", "3 0 0 0 1 1 1 0"})
    refused(new_head + "$Entities\n0 0 0 1\n" + entity + "\n$EndEntities\n",
            "test:6: this row of an entity lacks something or is too long");
  refused(old_head + old_nodes + "$Elements\n5\n",
          "test: 5 elements are announced, but only 0 lines follow");
  refused(old_head + old_nodes + "what\n",
          "test:12: expected a section; there may be more rows here than the one above announces");
  refused(new_head + "$Nodes\n1 3 1 3\n3 1 0 1\n1\n0 0 0\n$EndNodes\n",
          "test:5: 3 nodes are announced, but the blocks have 1");
  refused(new_head + "$Nodes\n18446744073709551615 3 1 3\n", "test: the file ends within $Nodes");
  refused(new_head + "$Nodes\n1 1 1 1\n3 1 0 9223372036854775808\n1\n0 0 0\n",
          "test: 9223372036854775808 nodes are announced, but only 2 lines follow");
  Bytes bytes;
  bytes.text("$MeshFormat\n4.1 1 8\n").put<std::int32_t>({1}).text("\n$EndMeshFormat\n$Nodes\n");
  bytes.put<std::uint64_t>({1, 4000000000, 1, 1}).put<std::int32_t>({3, 3, 0});
  bytes.put<std::uint64_t>({4000000000});
  refused(bytes.str(),
          "test: at byte 99: 4000000000 nodes are announced, but the file ends after 0 at most");
}

// TetGen

const std::string nodes =
    "# from TetGen\n4 3 1 1\n  0 0 0 0 .5 1 # first\n1 1 0 0 1 0\n\n2 0 1 0 2 0\n3 0 0 1 3 -4\n";

TEST(TetGen, ReadsBothFiles) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.1.node", nodes);
  auto result = read_polyhedra(folder / "a.1.node");
  EXPECT_EQ(result.notes,
            (Notes{"there is no " + (folder / "a.1.ele").string() + ", so the mesh has no cells"}));
  EXPECT_EQ(result.mesh.cell_count(), 0U);
  write_bytes(folder / "a.1.ele", "1 10 1\n0 0 1 2 3 0 0 0 0 0 0 -7\n# end\nmore\n");
  for (const char* name : {"a.1.node", "a.1.ele"}) {
    result = read_polyhedra(folder / name);
    EXPECT_EQ(result.mesh.positions, (Array<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
    EXPECT_EQ(result.mesh.cell_entries, (Array<Index>{0, 1, 2, 3}));
    EXPECT_EQ(std::get<Array<double>>(find(result.mesh.vertex_attributes, "attribute")->values),
              (Array<double>{.5, 1, 2, 3}));
    EXPECT_EQ(refs(result.mesh.vertex_attributes), (Array<std::int32_t>{1, 0, 0, -4}));
    EXPECT_EQ(refs(result.mesh.cell_attributes), (Array<std::int32_t>{-7}));
    EXPECT_EQ(result.notes, (Notes{"1 lines behind the tetrahedra were not read",
                                   "1 elements of higher order were read by their corners"}));
    EXPECT_EQ(result.bytes, std::filesystem::file_size(folder / "a.1.node") +
                                std::filesystem::file_size(folder / "a.1.ele"));
  }
  write_bytes(folder / "a.1.ele", "1 4 1\n0 0 1 2 3 .5\n");
  result = read_polyhedra(folder / "a.1.ele");
  EXPECT_EQ(std::get<Array<double>>(find(result.mesh.cell_attributes, "attribute")->values),
            (Array<double>{.5}));
  std::filesystem::remove(folder / "a.1.node");
  EXPECT_THROW(read_polyhedra(folder / "a.1.ele"), InputError);
}

TEST(TetGen, RefusesBadFiles) {
  const auto refused = [](const std::string& text, std::string_view sentence) {
    expect_cells_refused(text, Format::tetgen, sentence);
  };
  refused("", "test: the file is empty");
  refused("nonsense\n", "test:1: expected the number of points");
  refused("9 3 0 0\n1 0 0 0\n", "test: 9 points are announced, but only 1 lines follow");
  refused("1 2 0 0\n1 0 0\n", "test:1: points of dimension 2 are not read, only 3");
  refused("1 3 0 0\n5 0 0 0\n", "test:2: points must be numbered from 0 or 1 on");
  refused("2 3 0 0\n1 0 0 0\n3 0 0 0\n", "test:3: expected point 2");
  refused("1 3 0 0\n1 0 0 nan\n", "test:2: point 1 has a coordinate that is not finite");
  refused("1 3 0 0\n1 0 0\n", "test:2: point 1 needs 3 coordinates");
  refused("1 3 1 0\n1 0 0 0\n", "test:2: point 1 lacks an attribute");
  refused("1 3 0 0\n1 0 0 0x1\n", "test:2: point 1 needs 3 coordinates");
  refused("1 3 0 1\n1 0 0 0 x\n", "test:2: point 1 must end with a 32-bit marker");
  refused("1 3 0 0\n1 0 0 0 5\n", "test:2: point 1 has more numbers than the first line announces");
  refused("1 3 4000000000 0\n1 0 0 0\n", "test:1: the file is too short for its attributes");
  const TemporaryFolder folder;
  write_bytes(folder / "a.node", nodes);
  const std::string name = (folder / "a.ele").string();
  for (const auto& [text, sentence] :
       {std::pair{"", ": the file is empty"},
        {"1 8 0\n0 0 1 2 3 0 1 2 3\n", ":1: tetrahedra of 8 nodes are not read, only of 4 and 10"},
        {"1 4 0\n0 0 1 2 4\n", ":2: tetrahedron 0 refers to point 4, but they are 0 to 3"},
        {"1 4 0\n0 0 1 2\n", ":2: tetrahedron 0 lacks a point"},
        {"1 4 0\n0 0 1.9 2 3\n", ":2: tetrahedron 0 lacks a point"},
        {"1 4 0\n1 0 1 2 3\n", ":2: expected tetrahedron 0"},
        {"1 4 0\n0 0 1 2 3 4\n",
         ":2: tetrahedron 0 has more numbers than the first line announces"}}) {
    write_bytes(name, text);
    try {
      read_polyhedra(name);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), name + sentence);
    }
  }
}

// OVM

const std::string tetrahedron =
    "OVM ASCII\nVertices\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nEdges\n6\n0 1\n1 2\n2 0\n0 3\n1 3\n2 3\n"
    "Faces\n4\n3 0 2 4\n3 0 8 7\n3 2 10 9\n3 4 6 11\nPolyhedra\n1\n4 1 2 4 6\n";

std::string changed(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Ovm, ReadsCellsOfHalfFaces) {
  const auto result =
      parse_cells(tetrahedron + "Vertex_Property int \"a\"\n1\n2\n3\n4\n", Format::ovm);
  const PolyhedralSoup& mesh = result.mesh;
  EXPECT_EQ(mesh.validate(), std::nullopt);
  EXPECT_TRUE(mesh.segments.empty());
  EXPECT_EQ(mesh.polygon_count(), 0U);
  EXPECT_EQ(mesh.cell_types, (Array<CellType>{CellType::tetrahedron}));
  EXPECT_EQ(mesh.cell_entries, (Array<Index>{0, 1, 2, 3}));
  EXPECT_EQ(result.notes, (Notes{"5 lines behind the cells (properties) were not read"}));
  expect_same(parse_cells(changed(tetrahedron, "Vertices", "VERTICES"), Format::ovm).mesh, mesh);
  EXPECT_EQ(parse_cells("OVM ASCII\nVertices\n0\nEdges\n0\nFaces\n0\nPolyhedra\n0\n", Format::ovm)
                .mesh.cell_count(),
            0U);
}

/// A mesh of polyhedra as OVM; faces and edges in the order in which they come.
std::string as_ovm(const PolyhedralSoup& mesh, const std::vector<Segment>& more_edges = {}) {
  std::string text = fmt::format("OVM ASCII\nVertices\n{}\n", mesh.positions.size());
  for (const Vec3d& p : mesh.positions) text += fmt::format("{} {} {}\n", p[0], p[1], p[2]);
  std::vector<Segment> edges = more_edges;
  std::string faces;
  for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
    const Index first = mesh.polygon_offsets[p];
    const Index size = mesh.polygon_offsets[p + 1] - first;
    faces += std::to_string(size);
    for (Index k = 0; k < size; ++k) {
      const Index a = mesh.polygon_corners[first + k];
      const Index b = mesh.polygon_corners[first + (k + 1) % size];
      auto found = std::find_if(edges.begin(), edges.end(), [&](const Segment& e) {
        return e == Segment{a, b} || e == Segment{b, a};
      });
      if (found == edges.end()) found = edges.insert(edges.end(), Segment{a, b});
      faces += fmt::format(" {}", 2 * (found - edges.begin()) + ((*found)[0] == a ? 0 : 1));
    }
    faces += "\n";
  }
  text += fmt::format("Edges\n{}\n", edges.size());
  for (const Segment& e : edges) text += fmt::format("{} {}\n", e[0], e[1]);
  text +=
      fmt::format("Faces\n{}\n{}Polyhedra\n{}\n", mesh.polygon_count(), faces, mesh.cell_count());
  for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
    text += std::to_string(mesh.cell_offsets[c + 1] - mesh.cell_offsets[c]);
    for (Index i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      const Index entry = mesh.cell_entries[i];
      text += fmt::format(" {}", entry < ~entry ? 2 * entry : 2 * ~entry + 1);
    }
    text += "\n";
  }
  return text;
}

/// One polyhedron of those faces, over the corners of two cubes.
PolyhedralSoup polyhedron_of(const std::vector<std::vector<Index>>& faces) {
  PolyhedralSoup mesh;
  mesh.positions = row_of_squares(3);
  std::vector<Index> numbers;
  for (const std::vector<Index>& face : faces) {
    numbers.push_back(static_cast<Index>(mesh.polygon_count()));
    add_polygon(mesh, face);
  }
  add_cell(mesh, CellType::polyhedron, numbers);
  return mesh;
}

TEST(Ovm, NamesCellsThatHaveAName) {
  const auto read = [](const PolyhedralSoup& mesh) {
    PolyhedralSoup result = parse_cells(as_ovm(mesh), Format::ovm).mesh;
    EXPECT_EQ(result.validate(), std::nullopt);
    EXPECT_TRUE(result.segments.empty());
    return result;
  };
  // Faces turned any way: the cell is turned so that its volume is positive.
  const PolyhedralSoup pyramid =
      read(polyhedron_of({{0, 1, 4}, {1, 2, 4}, {4, 3, 2}, {0, 1, 2, 3}, {3, 0, 4}}));
  EXPECT_EQ(pyramid.cell_types, (Array<CellType>{CellType::pyramid}));
  EXPECT_EQ(pyramid.cell_entries, (Array<Index>{0, 1, 2, 3, 4}));
  const PolyhedralSoup prism =
      read(polyhedron_of({{0, 1, 5, 4}, {2, 1, 0}, {1, 2, 6, 5}, {2, 0, 4, 6}, {4, 5, 6}}));
  EXPECT_EQ(prism.cell_types, (Array<CellType>{CellType::prism}));
  EXPECT_EQ(prism.cell_entries, (Array<Index>{0, 1, 2, 4, 5, 6}));
  const PolyhedralSoup cubes = read(polyhedral_mesh(2));
  EXPECT_EQ(cubes.cell_types, Array<CellType>(2, CellType::hexahedron));
  EXPECT_EQ(cubes.polygon_count(), 0U);
  EXPECT_EQ(cubes.cell_entries, (Array<Index>{0, 1, 2, 3, 4, 5, 6, 7,  //
                                              4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Ovm, KeepsWhatHasNoName) {
  // A cube with a corner cut off, beside a cube that shares a face with it; a face of no cell; an
  // edge of no face.
  PolyhedralSoup mesh = polyhedral_mesh(2);
  mesh.positions.push_back({.5, 0, 0});
  mesh.positions.push_back({0, .5, 0});
  mesh.positions.push_back({0, 0, .5});
  PolyhedralSoup cut;
  cut.positions = mesh.positions;
  const Index x = 12, y = 13, z = 14;
  for (const std::vector<Index>& face : std::vector<std::vector<Index>>{{3, 2, 1, y, z},
                                                                        {4, 5, 6, 7},
                                                                        {x, y, 1, 5, 4},
                                                                        {1, 2, 6, 5},
                                                                        {2, 3, 7, 6},
                                                                        {3, z, x, 4, 7},
                                                                        {x, z, y},
                                                                        {8, 9, 10, 11},
                                                                        {4, 5, 9, 8},
                                                                        {5, 6, 10, 9},
                                                                        {6, 7, 11, 10},
                                                                        {7, 4, 8, 11},
                                                                        {0, x, y}})
    add_polygon(cut, face);
  add_cell(cut, CellType::polyhedron, {0, 1, 2, 3, 4, 5, 6});
  add_cell(cut, CellType::polyhedron, {~Index{1}, 7, 8, 9, 10, 11});
  const PolyhedralSoup result = parse_cells(as_ovm(cut, {{0, 11}}), Format::ovm).mesh;
  EXPECT_EQ(result.validate(), std::nullopt);
  EXPECT_EQ(result.segments, (Array<Segment>{{0, 11}}));
  EXPECT_EQ(result.cell_types, (Array<CellType>{CellType::polyhedron, CellType::hexahedron}));
  EXPECT_EQ(result.polygon_count(), 8U);
  EXPECT_EQ((Array<Index>(result.cell_entries.begin(), result.cell_entries.begin() + 7)),
            (Array<Index>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ((Array<Index>(result.polygon_corners.end() - 3, result.polygon_corners.end())),
            (Array<Index>{0, x, y}));
  // Open, and with a face twice.
  for (const auto& faces : std::vector<std::vector<std::vector<Index>>>{
           {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {1, 2, 3}},
           {{0, 1, 2}, {0, 1, 2}, {0, 1, 3}, {0, 1, 3}},
           {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {2, 3, 4}}}) {
    const PolyhedralSoup bad = parse_cells(as_ovm(polyhedron_of(faces)), Format::ovm).mesh;
    EXPECT_EQ(bad.cell_types, (Array<CellType>{CellType::polyhedron}));
    EXPECT_EQ(bad.polygon_count(), faces.size());
  }
}

TEST(Ovm, RefusesBadFiles) {
  const auto refused = [](const std::string& text, std::string_view sentence) {
    expect_cells_refused(text, Format::ovm, sentence);
  };
  refused("", "test: the file is empty");
  refused("nonsense\n", "test:1: not an OVM file: it does not start with OVM");
  refused("OVM BINARY\n", "test:1: OVM files of kind \"binary\" are not read, only ASCII");
  refused("OVM ASCII\nVertices\n9\n0 0 0\n",
          "test: 9 Vertices are announced, but only 1 lines follow");
  refused("OVM ASCII\nVertices\nx\n", "test:2: Vertices needs a number below it");
  refused(changed(tetrahedron, "1 0 0", "1 inf 0"),
          "test:5: vertex 1 has a coordinate that is not finite");
  refused(changed(tetrahedron, "1 0 0", "1 0"), "test:5: vertex 1 needs 3 coordinates");
  refused(changed(tetrahedron, "1 0 0", "1 0 0 junk"),
          "test:5: vertex 1 has more in its row than it should");
  refused(changed(tetrahedron, "1 0 0", "1 0 0x"), "test:5: vertex 1 needs 3 coordinates");
  refused(changed(tetrahedron, "0 1\n1 2", "0 1.9\n1 2"), "test:10: edge 0 lacks a vertex");
  refused(changed(tetrahedron, "0 1\n1 2", "0 1 2\n1 2"),
          "test:10: edge 0 has more in its row than it should");
  refused(changed(tetrahedron, "3 0 2 4", "3 0 2 4 6"),
          "test:18: face 0 has more in its row than it should");
  refused(changed(tetrahedron, "4 1 2 4 6", "4 1 2 4 6 0"),
          "test:24: polyhedron 0 has more in its row than it should");
  refused(changed(tetrahedron, "1 2\n", "1 4\n"),
          "test:11: edge 1 refers to vertex 4, but there are only 4");
  refused(changed(tetrahedron, "3 0 2 4", "3 0 2 12"),
          "test:18: face 0 refers to half-edge 12, but there are only 12");
  refused(changed(tetrahedron, "3 0 2 4", "3 0 3 4"),
          "test:18: the half-edges of face 0 are no cycle");
  refused(changed(tetrahedron, "3 0 2 4", "2 0 2 4"),
          "test:18: face 0 needs a number from 3 on, and as many behind it");
  refused(changed(tetrahedron, "3 0 2 4", "60 0 2 4"), "test:18: face 0 lacks a half-edge");
  refused(changed(tetrahedron, "4 1 2 4 6", "4 1 2 4 8"),
          "test:24: polyhedron 0 refers to half-face 8, but there are only 8");
  refused(changed(tetrahedron, "4 1 2 4 6", "4 1 2 4"), "test:24: polyhedron 0 lacks a half-face");
  refused(changed(tetrahedron, "Edges\n6", "Edges\n5"),
          "test:15: expected Faces; there may be more rows here than the section above announces");
  expect_survives_damage(tetrahedron, Format::ovm);
}

}  // namespace
}  // namespace tessera::io::testing
