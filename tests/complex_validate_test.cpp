// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "complexes.h"
#include "tessera/core/box.h"
#include "tessera/volume/complex.h"
#include "volume_meshes.h"

namespace tessera::volume {
namespace {

TEST(Complex, ValidateSaysWhatIsWrong) {
  const auto spoil = [](auto change) {
    Complex complex = built(two_tetrahedra(3));
    change(complex);
    return complex.validate().value_or("nothing");
  };
  const auto set_face = [](Complex& complex, std::size_t i, SignedIndex entry) {
    TernaryMatrix cells = copy_of(complex, complex.cell_faces());
    Array<SignedIndex> entries = exec::download(complex.stream(), cells.entries);
    entries[i] = entry;
    cells.entries = exec::upload(complex.stream(), entries);
    complex.set_cell_faces(std::move(cells));
  };
  const auto set_offset = [](Complex& complex, std::size_t i, Index offset) {
    TernaryMatrix cells = copy_of(complex, complex.cell_faces());
    Array<Index> offsets = exec::download(complex.stream(), cells.offsets);
    offsets[i] = offset;
    cells.offsets = exec::upload(complex.stream(), offsets);
    complex.set_cell_faces(std::move(cells));
  };
  EXPECT_EQ(spoil([](Complex&) {}), "nothing");
  EXPECT_EQ(spoil([&](Complex& c) {
              set_face(c, 5, {99, false});
            }),
            "entry 5 of the faces of cells refers to a face beyond the 7 there are");
  EXPECT_NE(spoil([&](Complex& c) {
              const auto faces = exec::download(c.stream(), c.cell_faces().entries);
              set_face(c, 5, faces[5].times(true));
            }).find("cell 1 is not closed"),
            std::string::npos);
  EXPECT_NE(spoil([&](Complex& c) {
              const auto faces = exec::download(c.stream(), c.cell_faces().entries);
              set_face(c, 5, faces[4]);
            }).find("is used twice by one cell"),
            std::string::npos);
  EXPECT_EQ(spoil([](Complex& c) {
              TernaryMatrix faces = copy_of(c, c.face_edges());
              Array<SignedIndex> entries = exec::download(c.stream(), faces.entries);
              std::swap(entries[0], entries[1]);
              faces.entries = exec::upload(c.stream(), entries);
              c.set_face_edges(std::move(faces));
            }),
            "the edges of face 0 are no closed loop");
  EXPECT_EQ(spoil([](Complex& c) {
              Array<EdgeVertices> edges = exec::download(c.stream(), c.edge_vertices());
              edges[3] = {2, 2};
              c.set_edge_vertices(exec::upload(c.stream(), edges));
            }),
            "edge 3 does not join two of the 5 vertices");
  EXPECT_EQ(spoil([](Complex& c) {
              c.attributes(Element::cell).push_back({"ref", 1, Array<float>(3)});
            }),
            "attribute ref has 3 values for 2 cells");
  // Offsets: the first, the last, one beyond the next, none at all.
  EXPECT_EQ(spoil([&](Complex& c) { set_offset(c, 0, 1); }), "cell 0 has a list that is no list");
  EXPECT_EQ(spoil([&](Complex& c) { set_offset(c, 2, 7); }), "cell 1 has a list that is no list");
  EXPECT_EQ(spoil([&](Complex& c) { set_offset(c, 2, 9); }), "cell 1 has a list that is no list");
  EXPECT_EQ(spoil([&](Complex& c) { set_offset(c, 1, 99); }), "cell 0 has a list that is no list");
  EXPECT_EQ(spoil([](Complex& c) {
              TernaryMatrix cells = copy_of(c, c.cell_faces());
              cells.offsets = {};
              c.set_cell_faces(std::move(cells));
            }),
            "there are 8 faces of cells that do not exist");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -Box::infinity})
    EXPECT_EQ(spoil([&](Complex& c) {
                Array<Vec3d> positions = exec::download(c.stream(), c.positions());
                positions[3][1] = bad;
                exec::copy_to_device(c.stream(), c.change_positions(), positions);
              }),
              "vertex 3 has no finite position");
  EXPECT_EQ(spoil([](Complex& c) { c.origin().named_faces.resize(3); }),
            "there are 3 flags of named faces for 7");
  EXPECT_EQ(spoil([](Complex& c) { c.origin().named_edges.resize(3); }),
            "there are 3 flags of named edges for 9");
}

TEST(Complex, ValidateLooksAtEveryCell) {
  Complex complex = built(tetrahedron_block(36));  // more than are looked at together
  ASSERT_GT(complex.cells(), 1u << 18);
  EXPECT_EQ(complex.validate(), std::nullopt);
  const Index last = complex.cells() - 1;
  TernaryMatrix cells = copy_of(complex, complex.cell_faces());
  Array<SignedIndex> entries = exec::download(complex.stream(), cells.entries);
  entries.back() = entries.back().times(true);
  cells.entries = exec::upload(complex.stream(), entries);
  complex.set_cell_faces(std::move(cells));
  EXPECT_NE(complex.validate().value_or("").find("cell " + std::to_string(last) + " is not closed"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::volume
