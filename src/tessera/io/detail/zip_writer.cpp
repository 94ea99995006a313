// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// The layout is that of PKWARE's APPNOTE 6.3; the joining of streams that of pigz.
#include "tessera/io/detail/zip_writer.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <zlib.h>

#include "tessera/io/detail/deflate.h"

namespace tessera::io::detail {
namespace {

constexpr std::uint64_t limit = 0xffffffff;  ///< of 32-bit fields; stands for "see ZIP64"

/// Numbers in the byte order of ZIP files.
class Record {
 public:
  explicit Record(std::string_view signature) : bytes_(signature) {}

  Record& add16(std::uint64_t number) { return add(number, 2); }
  Record& add32(std::uint64_t number) { return add(number, 4); }
  Record& add64(std::uint64_t number) { return add(number, 8); }

  std::string with(std::string_view rest) const { return bytes_ + std::string(rest); }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& add(std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(number >> (8 * i));
    return *this;
  }

  std::string bytes_;
};

std::uint32_t checksum(std::span<const char> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Deflated, names and comments in UTF-8, 1 January 1980, so that equal meshes give equal files.
constexpr std::uint64_t deflated = 8;
constexpr std::uint64_t date = 0x21;

std::uint64_t version(bool zip64) {
  return zip64 ? 45 : 20;
}

}  // namespace

std::string ZipWriter::local_header(const Entry& entry) {
  Record record("PK\3\4");
  record.add16(version(entry.zip64)).add16(0).add16(deflated).add16(0).add16(date);
  record.add32(entry.crc);
  record.add32(entry.zip64 ? limit : entry.compressed);
  record.add32(entry.zip64 ? limit : entry.size);
  record.add16(entry.name.size()).add16(entry.zip64 ? 20 : 0);
  std::string header = record.with(entry.name);
  if (entry.zip64)
    header += Record("").add16(1).add16(16).add64(entry.size).add64(entry.compressed).bytes();
  return header;
}

std::string ZipWriter::directory_header(const Entry& entry) {
  const bool zip64 = entry.zip64 || entry.header >= limit;
  Record record("PK\1\2");
  record.add16(version(zip64)).add16(version(zip64)).add16(0).add16(deflated).add16(0).add16(date);
  record.add32(entry.crc);
  record.add32(zip64 ? limit : entry.compressed);
  record.add32(zip64 ? limit : entry.size);
  record.add16(entry.name.size()).add16(zip64 ? 28 : 0);
  record.add16(0).add16(0).add16(0).add32(0);
  record.add32(zip64 ? limit : entry.header);
  std::string header = record.with(entry.name);
  if (zip64)
    header += Record("")
                  .add16(1)
                  .add16(24)
                  .add64(entry.size)
                  .add64(entry.compressed)
                  .add64(entry.header)
                  .bytes();
  return header;
}

void ZipWriter::begin(std::string_view name, std::uint64_t most) {
  Entry entry;
  entry.name = name;
  entry.header = file_.size();
  entry.zip64 = most >= limit;
  file_.append(local_header(entry));
  entry.data = file_.size();
  entries_.push_back(std::move(entry));
}

void ZipWriter::append(std::string_view text) {
  Entry& entry = entries_.back();
  file_.append(Deflater().compress(text));
  entry.crc = static_cast<std::uint32_t>(
      crc32_combine(entry.crc, checksum(text), static_cast<z_off_t>(text.size())));
  entry.size += text.size();
}

void ZipWriter::append(std::size_t count, Progress& progress,
                       const std::function<void(std::size_t, std::size_t, TextBuffer&)>& format) {
  struct Block {
    std::size_t first;
    std::uint64_t size;
    std::uint32_t crc;
  };
  struct Workspace {
    TextBuffer plain;
    Deflater deflater;
  };
  std::vector<Block> blocks;
  std::mutex blocks_lock;
  tbb::enumerable_thread_specific<Workspace> workspaces;
  append_text(file_, count, progress, [&](std::size_t first, std::size_t last, TextBuffer& out) {
    Workspace& workspace = workspaces.local();
    workspace.plain.clear();
    format(first, last, workspace.plain);
    const std::span<const char> text = workspace.plain.bytes();
    out.put(workspace.deflater.compress(text));
    const std::uint32_t crc = checksum(text);
    const std::lock_guard lock(blocks_lock);
    blocks.push_back({first, text.size(), crc});
  });
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.first < b.first; });
  Entry& entry = entries_.back();
  for (const Block& block : blocks) {
    entry.crc = static_cast<std::uint32_t>(
        crc32_combine(entry.crc, block.crc, static_cast<z_off_t>(block.size)));
    entry.size += block.size;
  }
}

void ZipWriter::end() {
  Entry& entry = entries_.back();
  file_.append(Deflater::last_block());
  entry.compressed = file_.size() - entry.data;
  if (!entry.zip64 && std::max(entry.size, entry.compressed) >= limit)
    throw std::logic_error("a file in a ZIP archive is larger than was announced");
  file_.write_at(entry.header, local_header(entry));
}

void ZipWriter::finish() {
  const std::uint64_t start = file_.size();
  for (const Entry& entry : entries_) file_.append(directory_header(entry));
  const std::uint64_t size = file_.size() - start;
  const std::uint64_t count = entries_.size();
  if (start >= limit) {
    const std::uint64_t end = file_.size();
    file_.append(Record("PK\6\6")
                     .add64(44)
                     .add16(version(true))
                     .add16(version(true))
                     .add32(0)
                     .add32(0)
                     .add64(count)
                     .add64(count)
                     .add64(size)
                     .add64(start)
                     .bytes());
    file_.append(Record("PK\6\7").add32(0).add64(end).add32(1).bytes());
  }
  file_.append(Record("PK\5\6")
                   .add16(0)
                   .add16(0)
                   .add16(count)
                   .add16(count)
                   .add32(size)
                   .add32(std::min(start, limit))
                   .add16(0)
                   .bytes());
}

}  // namespace tessera::io::detail
