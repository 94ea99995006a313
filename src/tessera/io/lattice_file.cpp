// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/lattice_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/output_file.h"

namespace tessera::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr char magic[8] = {'T', 'E', 'S', 'S', 'L', 'A', 'T', 'T'};
constexpr std::uint32_t version = 1;
constexpr std::uint64_t no_arcs = ~std::uint64_t{0};
constexpr std::uint64_t most_arcs = std::uint64_t{1} << 30;

struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t blocks;
  std::uint64_t struts;  ///< own ones of all blocks
};
static_assert(sizeof(FileHeader) == 32);

struct BlockHeader {
  std::uint64_t bytes;  ///< of the whole block, this header included
  std::uint64_t arcs;   ///< no_arcs: none are stored
  std::uint32_t nodes;
  std::uint32_t struts;
  std::uint32_t first;
  std::uint32_t count;
};
static_assert(sizeof(BlockHeader) == 32);

/// Every array starts at a multiple of eight bytes.
constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

std::uint64_t size_of(const BlockHeader& h) {
  const std::uint64_t struts = h.struts;
  std::uint64_t size =
      sizeof h + h.nodes * sizeof(Vec3d) + struts * (sizeof(StrutNodes) + sizeof(Vec2f));
  if (h.arcs != no_arcs)
    size += padded(struts) + padded((2 * std::uint64_t{h.count} + 1) * sizeof(Index)) +
            h.arcs * 4 * sizeof(std::uint32_t);
  return size;
}

template <class T>
std::span<const char> bytes_of(const Array<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

bool is_lattice_file(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".tlat" || ending == ".TLAT";
}

struct LatticeFileWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  /// Starts at a multiple of eight bytes.
  template <class T>
  void append(const Array<T>& values) {
    file.append(bytes_of(values));
    constexpr char zeros[8] = {};
    file.append(std::span(zeros, padded(file.size()) - file.size()));
  }

  detail::OutputFile file;
  FileHeader header{{}, version, 0, 0, 0};
};

LatticeFileWriter::LatticeFileWriter(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {
  std::memcpy(state_->header.magic, magic, sizeof magic);
  state_->file.append({reinterpret_cast<const char*>(&state_->header), sizeof state_->header});
}
LatticeFileWriter::~LatticeFileWriter() = default;

void LatticeFileWriter::append(const LatticeBlock& block) {
  if (const auto wrong = block.graph.validate()) throw InputError(*wrong);
  const std::size_t struts = block.graph.struts.size();
  const bool has_own = block.first <= struts && block.count <= struts - block.first;
  if (!has_own || struts > LatticeGraph::max_struts)
    throw InputError("a block's own struts are not among its struts");
  if (block.arcs && (block.arcs->kinds.size() != struts ||
                     block.arcs->loops.size() != 2 * std::size_t{block.count} + 1 ||
                     block.arcs->arcs.size() % 4 != 0 || block.arcs->arcs.size() / 4 >= most_arcs))
    throw InputError("the arcs of a block are not as many as its struts need");
  BlockHeader header{};
  header.arcs = block.arcs ? block.arcs->arcs.size() / 4 : no_arcs;
  header.nodes = static_cast<std::uint32_t>(block.graph.nodes.size());
  header.struts = static_cast<std::uint32_t>(block.graph.struts.size());
  header.first = block.first;
  header.count = block.count;
  header.bytes = size_of(header);
  state_->file.append({reinterpret_cast<const char*>(&header), sizeof header});
  state_->append(block.graph.nodes);
  state_->append(block.graph.struts);
  state_->append(block.graph.radii);
  if (block.arcs) {
    state_->append(block.arcs->kinds);
    state_->append(block.arcs->loops);
    state_->append(block.arcs->arcs);
  }
  ++state_->header.blocks;
  state_->header.struts += block.count;
}

std::uint64_t LatticeFileWriter::finish() {
  state_->file.write_at(0, {reinterpret_cast<const char*>(&state_->header), sizeof state_->header});
  state_->file.commit();
  return state_->file.size();
}

struct LatticeFile::State {
  std::unique_ptr<detail::MappedFile> file;
  std::span<const char> bytes;
  std::string name;
  std::vector<std::uint64_t> offsets;  ///< of blocks
  std::uint64_t struts = 0;
  Index largest_block = 0;
  bool has_arcs = true;

  [[noreturn]] void fail(const std::string& what) const { throw InputError(name + ": " + what); }

  BlockHeader header(std::uint64_t offset) const {
    BlockHeader h;
    std::memcpy(&h, bytes.data() + offset, sizeof h);
    return h;
  }

  /// Goes from block to block, and checks that each lies within the file.
  void find_blocks() {
    FileHeader h;
    if (bytes.size() < sizeof h) fail("is not a lattice file: it is too short");
    std::memcpy(&h, bytes.data(), sizeof h);
    if (std::memcmp(h.magic, magic, sizeof magic) != 0)
      fail("is not a lattice file: it does not start with TESSLATT");
    if (h.version != version)
      fail(fmt::format("is a lattice file of version {}; this program knows version {}", h.version,
                       version));
    std::uint64_t at = sizeof h;
    for (std::uint64_t i = 0; i < h.blocks; ++i) {
      const std::uint64_t left = bytes.size() - at;
      if (left < sizeof(BlockHeader)) fail(fmt::format("ends before block {} of {}", i, h.blocks));
      const BlockHeader b = header(at);
      if (b.struts > LatticeGraph::max_struts || b.first > b.struts ||
          b.count > b.struts - b.first || (b.arcs != no_arcs && b.arcs >= most_arcs))
        fail(fmt::format("block {} has counts that make no sense", i));
      if (b.bytes != size_of(b))
        fail(fmt::format("block {} says that it has {} bytes, but its counts need {}", i, b.bytes,
                         size_of(b)));
      if (b.bytes > left) fail(fmt::format("ends within block {} of {}", i, h.blocks));
      offsets.push_back(at);
      struts += b.count;
      largest_block = std::max(largest_block, b.count);
      has_arcs = has_arcs && b.arcs != no_arcs;
      at += b.bytes;
    }
    if (struts != h.struts)
      fail(fmt::format("says that it has {} struts, but its blocks have {}", h.struts, struts));
    if (at != bytes.size())
      fail(fmt::format("has {} bytes after its last block", bytes.size() - at));
  }
};

LatticeFile::LatticeFile(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->file = std::make_unique<detail::MappedFile>(path);
  state_->bytes = state_->file->bytes();
  state_->name = path.string();
  state_->find_blocks();
}
LatticeFile::LatticeFile(std::span<const char> bytes, const std::string& name)
    : state_(std::make_unique<State>()) {
  state_->bytes = bytes;
  state_->name = name;
  state_->find_blocks();
}
LatticeFile::~LatticeFile() = default;

std::uint64_t LatticeFile::blocks() const {
  return state_->offsets.size();
}
std::uint64_t LatticeFile::struts() const {
  return state_->struts;
}
std::uint64_t LatticeFile::bytes() const {
  return state_->bytes.size();
}
bool LatticeFile::has_arcs() const {
  return state_->has_arcs;
}
std::uint64_t LatticeFile::largest_block() const {
  return state_->largest_block;
}

LatticeBlock LatticeFile::block(std::uint64_t number) const {
  if (number >= blocks()) state_->fail("there is no such block");
  const BlockHeader h = state_->header(state_->offsets[number]);
  std::uint64_t at = state_->offsets[number] + sizeof h;
  const auto read = [&]<class T>(Array<T>& to, std::uint64_t count) {
    to.resize(count);
    if (count > 0) std::memcpy(to.data(), state_->bytes.data() + at, count * sizeof(T));
    at += padded(count * sizeof(T));
  };
  LatticeBlock block;
  block.number = number;
  block.first = h.first;
  block.count = h.count;
  read(block.graph.nodes, h.nodes);
  read(block.graph.struts, h.struts);
  read(block.graph.radii, h.struts);
  if (h.arcs != no_arcs) {
    ArcLoops& arcs = block.arcs.emplace();
    read(arcs.kinds, h.struts);
    read(arcs.loops, 2 * std::uint64_t{h.count} + 1);
    read(arcs.arcs, 4 * h.arcs);
  }
  if (const auto wrong = block.graph.validate())
    state_->fail(fmt::format("block {}: {}", number, *wrong));
  return block;
}

}  // namespace tessera::io
