// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "cancel.h"
#include "lattice_solids.h"
#include "tessera/core/error.h"
#include "tessera/exec/buffer.h"
#include "tessera/lattice/generate.h"
#include "tessera/lattice/graph_blocks.h"
#include "tessera/lattice/stream.h"
#include "tessera/lattice/triangulate.h"
#include "test_device.h"

namespace tessera::lattice {
namespace {

/// All facets, each where its number says.
struct Collected {
  std::mutex mutex;
  std::vector<std::vector<Facet>> facets;
  StreamReport report;

  explicit Collected(const LatticeSource& source, const std::vector<double>& errors = {0.1},
                     const exec::Device& device = test_device(), const StreamOptions& options = {})
      : facets(errors.size()) {
    report = mesh_stream(
        device, source, errors, options,
        [this](std::size_t which, std::uint64_t first, std::span<const Facet> part) {
          const std::lock_guard lock(mutex);
          std::vector<Facet>& to = facets[which];
          if (to.size() < first + part.size()) to.resize(first + part.size());
          std::copy(part.begin(), part.end(), to.begin() + static_cast<std::ptrdiff_t>(first));
        });
    for (std::size_t i = 0; i < errors.size(); ++i) EXPECT_EQ(facets[i].size(), report.facets[i]);
  }
};

std::vector<GenerateOptions> regular_lattices() {
  std::vector<GenerateOptions> all;
  for (const CellType type : {CellType::cubic, CellType::bcc, CellType::fcc, CellType::octet,
                              CellType::diamond, CellType::kelvin})
    all.push_back({type, {13, 9, 21}, 1, 0.04, type == CellType::bcc ? 0.07 : -1});
  return all;
}

using Strut = std::tuple<double, double, double, double, double, double>;

std::multiset<Strut> struts_of(const LatticeGraph& graph, Index first, Index count) {
  std::multiset<Strut> all;
  for (Index s = first; s < first + count; ++s) {
    const Vec3d a = graph.nodes[graph.struts[s][0]];
    const Vec3d b = graph.nodes[graph.struts[s][1]];
    all.emplace(a[0], a[1], a[2], b[0], b[1], b[2]);
  }
  return all;
}

void expect_blocks_make_the_whole(const LatticeSource& source, const LatticeGraph& whole) {
  std::multiset<Strut> parts;
  for (std::uint64_t i = 0; i < source.blocks(); ++i) {
    const LatticeBlock block = source.block(i);
    EXPECT_EQ(block.number, i);
    EXPECT_FALSE(block.graph.validate());
    parts.merge(struts_of(block.graph, block.first, block.count));
  }
  EXPECT_EQ(parts, struts_of(whole, 0, static_cast<Index>(whole.struts.size())));
}

TEST(LatticeBlocks, OwnStrutsMakeTheWhole) {
  for (const GenerateOptions& options : regular_lattices()) {
    const LatticeGraph whole = generate(options);
    for (const Index size : {1U, 10000U, 1U << 30}) {
      const GeneratedBlocks blocks(options, size);
      EXPECT_GE(blocks.struts(), whole.struts.size());
      expect_blocks_make_the_whole(blocks, whole);
    }
    expect_blocks_make_the_whole(GraphBlocks(whole, 1000), whole);
  }
  EXPECT_EQ(GraphBlocks({}, 10).blocks(), 0U);
  EXPECT_THROW(GraphBlocks({}, 0), InputError);
  EXPECT_THROW(GraphBlocks({}, 10).block(0), InputError);
  EXPECT_THROW(GeneratedBlocks({}, 10).block(1), InputError);
}

// The blocks of a lattice know of struts around them just what they need: what comes out does not
// depend on where the lattice is cut.
TEST(LatticeBlocks, TheSameSurfaceFromBlocksOfAnySize) {
  for (const GenerateOptions& options : regular_lattices()) {
    const LatticeGraph graph = generate(options);
    const exec::Stream stream(test_device());
    const MetaMesh mesh = build_meta_mesh(stream, graph);
    const Array<Facet> all = exec::download(stream, triangulate(mesh, 0.1, 0, mesh.struts()));
    const std::vector<Facet> whole = sorted({all.begin(), all.end()});
    const Collected small(GeneratedBlocks(options, 1));
    EXPECT_TRUE(sorted(small.facets[0]) == whole) << name_of(options.cell);
    EXPECT_EQ(small.report.struts, graph.struts.size());
    EXPECT_EQ(small.report.arcs, mesh.arcs());
  }
}

// Where all struts of a node can share it, none of them has a say in what becomes of another.
TEST(LatticeBlocks, HoldNoStrutsThatHaveNoSay) {
  const GraphBlocks blocks(generate({CellType::octet, {12, 12, 12}, 1, 0.04}), 2000);
  for (std::uint64_t i = 0; i < blocks.blocks(); ++i) {
    const LatticeBlock block = blocks.block(i);
    std::set<Index> own;
    for (Index s = block.first; s < block.first + block.count; ++s)
      for (const Index n : block.graph.struts[s].v) own.insert(n);
    for (const StrutNodes& s : block.graph.struts)
      EXPECT_TRUE(own.contains(s[0]) || own.contains(s[1]));
  }
}

TEST(LatticeBlocks, FilteredNodesTakeTheirStrutsAlong) {
  GenerateOptions options{CellType::octet, {20, 9, 9}};
  options.origin = {5, 6, 7};
  options.filter = [](std::span<const Vec3d> nodes, std::span<const float> radii,
                      std::span<std::uint8_t> keep) {
    EXPECT_EQ(nodes.size(), radii.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      keep[i] = length(nodes[i] - Vec3d{12, 10, 11}) < 5 ? 1 : 0;
  };
  const LatticeGraph whole = generate(options);
  EXPECT_GT(whole.struts.size(), 1000U);
  for (const Vec3d& p : whole.nodes) EXPECT_LT(length(p - Vec3d{12, 10, 11}), 5);
  expect_blocks_make_the_whole(GeneratedBlocks(options, 1), whole);
  const EdgeReport report = check_edges(Collected(GeneratedBlocks(options, 1)).facets[0]);
  EXPECT_EQ(report.open, 0U);
  EXPECT_EQ(report.non_manifold, 0U);
}

TEST(LatticeBlocks, TanglesAreClosedHoweverTheyAreCut) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const LatticeGraph graph = tangle(seed, 150);
    std::vector<MetaReport> reports;
    for (const Index size : {7U, 100U, 333U}) {
      const Collected mesh(GraphBlocks(graph, size));
      EXPECT_EQ(mesh.report.struts, graph.struts.size());
      const EdgeReport report = check_edges(mesh.facets[0]);
      EXPECT_EQ(report.open, 0U);
      EXPECT_EQ(report.non_manifold, 0U);
      EXPECT_EQ(report.degenerate, 0U);
      reports.push_back(mesh.report.treated);
    }
    EXPECT_GT(reports[0].capsules, 50U);
    for (const MetaReport& r : reports) {
      EXPECT_EQ(r.capsules, reports[0].capsules);
      EXPECT_EQ(r.swallowed, reports[0].swallowed);
      EXPECT_EQ(r.closed_nodes, 0U);
    }
  }
}

TEST(LatticeStream, FacetsHaveTheSameNumbersOnAnyThreads) {
  const GraphBlocks blocks(tangle(4, 200), 64);
  const std::vector<double> errors{0.2, 0.05};
  const Collected one(blocks, errors, exec::Device::cpu(1));
  for (const int threads : {2, 5})
    EXPECT_TRUE(Collected(blocks, errors, exec::Device::cpu(threads)).facets == one.facets);
  EXPECT_GT(one.facets[1].size(), one.facets[0].size());
}

TEST(LatticeStream, LittleMemoryMakesThePartsSmaller) {
  const GeneratedBlocks blocks({CellType::octet, {8, 8, 8}}, 1 << 20);
  StreamOptions little;
  little.memory = 1 << 20;
  const Collected parts(blocks, {0.05}, test_device(), little);
  EXPECT_TRUE(sorted(parts.facets[0]) == sorted(Collected(blocks, {0.05}).facets[0]));
  EXPECT_LT(suitable_block(test_device(), little), suitable_block(test_device(), {}));
}

TEST(LatticeStream, EmptyLattices) {
  const Collected none(GraphBlocks({}, 10));
  EXPECT_TRUE(none.facets[0].empty());
  GenerateOptions options{CellType::cubic, {20, 20, 20}};
  options.filter = [](auto, auto, std::span<std::uint8_t> keep) {
    std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  };
  EXPECT_TRUE(Collected(GeneratedBlocks(options, 1)).facets[0].empty());
}

TEST(LatticeStream, ErrorsEndIt) {
  const GeneratedBlocks blocks({CellType::cubic, {30, 30, 30}}, 1);
  struct Full {};
  const auto full = [](std::size_t, std::uint64_t first, std::span<const Facet>) {
    if (first > 50000) throw Full();
  };
  EXPECT_THROW(mesh_stream(exec::Device::cpu(3), blocks, {0.1}, {}, full), Full);
  StreamOptions cancelled;
  cancelled.progress = cancel_after(2);
  const auto nothing = [](std::size_t, std::uint64_t, std::span<const Facet>) {};
  // So large that the callback is asked before it is done.
  const GeneratedBlocks many({CellType::cubic, {200, 200, 200}}, 1 << 14);
  EXPECT_THROW(mesh_stream(exec::Device::cpu(3), many, {0.1}, cancelled, nothing), Cancelled);
  EXPECT_THROW(mesh_stream(test_device(), blocks, {0.7}, {}, nothing), InputError);
}

TEST(LatticeStream, MetaMeshesAreMeshedLater) {
  const GraphBlocks blocks(tangle(5, 200), 100);
  /// Blocks that have their arcs.
  class Kept final : public LatticeSource {
   public:
    std::vector<LatticeBlock> all;
    std::uint64_t blocks() const override { return all.size(); }
    std::uint64_t struts() const override { return all.size(); }
    std::uint64_t largest_block() const override { return 100; }
    LatticeBlock block(std::uint64_t number) const override { return all[number]; }
  };
  Kept kept;
  const StreamReport report = meta_mesh_stream(
      test_device(), blocks, {}, [&](LatticeBlock block) { kept.all.push_back(std::move(block)); });
  EXPECT_EQ(kept.all.size(), blocks.blocks());
  const Collected direct(blocks);
  EXPECT_EQ(report.arcs, direct.report.arcs);
  EXPECT_EQ(report.treated.capsules, direct.report.treated.capsules);
  EXPECT_TRUE(Collected(kept).facets == direct.facets);

  const exec::Stream stream(test_device());
  const auto refuse = [&](const auto& damage) {
    LatticeBlock block = kept.all[0];
    damage(block);
    EXPECT_THROW(upload_meta_mesh(stream, block), InputError);
  };
  refuse([](LatticeBlock& b) { b.arcs.reset(); });
  refuse([](LatticeBlock& b) { b.first = 1000000; });
  refuse([](LatticeBlock& b) { b.arcs->loops[0] = 1; });
  refuse([](LatticeBlock& b) { b.arcs->loops[3] = 1U << 31; });
  refuse([](LatticeBlock& b) { b.arcs->loops.back() += 1; });
  refuse([](LatticeBlock& b) { b.arcs->kinds[0] = 9; });
  refuse([](LatticeBlock& b) { b.arcs->arcs.pop_back(); });
  refuse([](LatticeBlock& b) { b.arcs->arcs.back() = 0x3fffffff; });
  refuse([](LatticeBlock& b) { b.arcs->arcs[0] = 0x7fc00000; });
  refuse([](LatticeBlock& b) {
    // An arc between a strut and itself.
    const std::size_t arcs = b.arcs->arcs.size() / 4;
    Index end = 0;
    while (b.arcs->loops[end + 1] == 0) ++end;
    b.arcs->arcs[3 * arcs] = 2 * b.first + end;
  });
}

// Each strut goes by its own arc then; there is a gap, but no point is anywhere else.
TEST(LatticeStream, ArcsMayDifferFromThoseOfTheOtherStrut) {
  const GraphBlocks whole(tangle(6, 100), 1U << 20);
  std::vector<LatticeBlock> blocks;
  meta_mesh_stream(test_device(), whole, {},
                   [&](LatticeBlock block) { blocks.push_back(std::move(block)); });
  ASSERT_EQ(blocks.size(), 1U);
  LatticeBlock& block = blocks[0];
  const exec::Stream stream(test_device());
  const auto count = [&] {
    return triangulate(upload_meta_mesh(stream, block), 0.05, 0, block.count).size();
  };
  const std::size_t before = count();
  for (std::size_t a = 0; a < block.arcs->arcs.size() / 4; a += 3) block.arcs->arcs[a] ^= 1U;
  const std::size_t after = count();
  EXPECT_GT(after, before * 9 / 10);
  EXPECT_LT(after, before * 11 / 10);
}

}  // namespace
}  // namespace tessera::lattice
