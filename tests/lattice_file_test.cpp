// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/lattice_file.h"

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io_support.h"
#include "tessera/core/error.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/graph_blocks.h"
#include "tessera/lattice/stream.h"

namespace tessera::lattice {
namespace {

using io::testing::read_bytes;
using io::testing::TemporaryFolder;

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LatticeFile, KeepsBlocksAndArcs) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.tlat";
  const GraphBlocks blocks(generate({CellType::octet, {3, 2, 2}}), 50);
  std::vector<LatticeBlock> written;
  for (const bool with_arcs : {false, true}) {
    written.clear();
    io::LatticeFileWriter writer(path);
    if (with_arcs)
      meta_mesh_stream(exec::Device::cpu(), blocks, {}, [&](LatticeBlock block) {
        writer.append(block);
        written.push_back(std::move(block));
      });
    for (std::uint64_t i = 0; !with_arcs && i < blocks.blocks(); ++i) {
      written.push_back(blocks.block(i));
      writer.append(written.back());
    }
    const std::uint64_t bytes = writer.finish();
    const io::LatticeFile file(path);
    EXPECT_EQ(file.bytes(), bytes);
    EXPECT_EQ(file.has_arcs(), with_arcs);
    EXPECT_EQ(file.struts(), blocks.struts());
    EXPECT_EQ(file.largest_block(), 50U);
    ASSERT_EQ(file.blocks(), written.size());
    for (std::uint64_t i = 0; i < file.blocks(); ++i) {
      const LatticeBlock read = file.block(i);
      const LatticeBlock& block = written[i];
      EXPECT_EQ(read.number, i);
      EXPECT_EQ(read.first, block.first);
      EXPECT_EQ(read.count, block.count);
      EXPECT_EQ(read.graph.nodes, block.graph.nodes);
      EXPECT_EQ(read.graph.struts, block.graph.struts);
      EXPECT_EQ(read.graph.radii, block.graph.radii);
      ASSERT_EQ(read.arcs.has_value(), with_arcs);
      if (!with_arcs) continue;
      EXPECT_EQ(read.arcs->kinds, block.arcs->kinds);
      EXPECT_EQ(read.arcs->loops, block.arcs->loops);
      EXPECT_EQ(read.arcs->arcs, block.arcs->arcs);
    }
    EXPECT_THROW(file.block(file.blocks()), InputError);
  }
}

TEST(LatticeFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.tlat";
  const GraphBlocks blocks(generate({}), 5);
  io::LatticeFileWriter writer(path);
  for (std::uint64_t i = 0; i < blocks.blocks(); ++i) writer.append(blocks.block(i));
  writer.finish();
  const std::string good = read_bytes(path);
  const auto open_changed = [&](std::size_t at, char value) {
    std::string bytes = good;
    bytes.at(at) = value;
    return message([&] {
      const io::LatticeFile file(bytes, "a.tlat");
      for (std::uint64_t i = 0; i < file.blocks(); ++i) static_cast<void>(file.block(i));
    });
  };
  EXPECT_EQ(open_changed(40, good[40]), "");
  EXPECT_EQ(open_changed(0, 'X'), "a.tlat: is not a lattice file: it does not start with TESSLATT");
  EXPECT_EQ(open_changed(8, 9),
            "a.tlat: is a lattice file of version 9; this program knows version 1");
  EXPECT_EQ(open_changed(16, 2), "a.tlat: says that it has 12 struts, but its blocks have 10");
  EXPECT_EQ(open_changed(16, 4), "a.tlat: ends before block 3 of 4");
  EXPECT_EQ(open_changed(24, 13), "a.tlat: says that it has 13 struts, but its blocks have 12");
  EXPECT_EQ(open_changed(32, 1).substr(0, 36), "a.tlat: block 0 says that it has 257");
  EXPECT_EQ(open_changed(60, 120), "a.tlat: block 0 has counts that make no sense");
  const std::size_t first_strut = 32 + 32 + 8 * 24;
  EXPECT_EQ(open_changed(first_strut, 99),
            "a.tlat: block 0: strut 0 refers to node 99, but there are only 8");
  for (std::size_t size : {std::size_t{0}, std::size_t{31}, std::size_t{40}, good.size() - 1}) {
    const std::span<const char> cut = std::span(good).first(size);
    EXPECT_NE(message([&] { io::LatticeFile(cut, "a.tlat"); }), "") << size;
  }
  std::string longer = good;
  longer.resize(good.size() + 3);
  EXPECT_EQ(message([&] { io::LatticeFile(longer, "a.tlat"); }),
            "a.tlat: has 3 bytes after its last block");
  { const io::LatticeFileWriter dropped(folder / "b.tlat"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "b.tlat"));
}

}  // namespace
}  // namespace tessera::lattice
