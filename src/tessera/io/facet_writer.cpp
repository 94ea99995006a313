// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/facet_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include "tessera/core/array.h"
#include "tessera/core/error.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/stl_layout.h"
#include "tessera/io/detail/weld.h"

namespace tessera::io {
namespace {

using detail::StlLayout;

constexpr std::size_t face_size = StlLayout::face_size;
constexpr std::uint64_t most_facets = std::numeric_limits<std::uint32_t>::max();
/// About 1 MiB: it stays in the cache between here and the kernel's copy of it.
constexpr std::size_t facets_a_block = (std::size_t{1} << 20) / face_size;

/// In double precision: facets may be very thin.
Vec3f normal(const Facet& f) {
  const Vec3d a = cast<double>(f[0]);
  const Vec3d area = cross(cast<double>(f[1]) - a, cast<double>(f[2]) - a);
  const double size = length(area);
  return size > 0 && std::isfinite(size) ? cast<float>(area * (1 / size)) : Vec3f{};
}

}  // namespace

struct FacetWriter::State {
  explicit State(const std::filesystem::path& path) : file(path), name(path.string()) {}
  detail::OutputFile file;
  std::string name;
  std::mutex mutex;
  std::uint64_t facets = 0;
};

FacetWriter::FacetWriter(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {
  std::array<char, StlLayout::faces_offset> header{};
  constexpr std::string_view title = "binary STL written by Tessera";
  title.copy(header.data(), title.size());
  state_->file.append(header);
}

FacetWriter::~FacetWriter() = default;

void FacetWriter::write(std::uint64_t first, std::span<const Facet> facets) {
  if (facets.size() > most_facets || first > most_facets - facets.size())
    throw OutputError(state_->name + ": STL files hold at most 4294967295 facets");
  {
    const std::lock_guard lock(state_->mutex);
    const std::uint64_t end = StlLayout::faces_offset + (first + facets.size()) * face_size;
    if (end > state_->file.size()) state_->file.extend(end - state_->file.size());
    state_->facets += facets.size();
  }
  Array<char> block(std::min(facets.size(), facets_a_block) * face_size);
  for (std::size_t done = 0; done < facets.size(); done += facets_a_block) {
    const auto part = facets.subspan(done, std::min(facets_a_block, facets.size() - done));
    char* out = block.data();
    for (const Facet& facet : part) {
      const Vec3f n = normal(facet);
      std::memcpy(out, &n, sizeof n);
      std::memcpy(out + StlLayout::corners_offset, &facet, sizeof facet);
      std::memset(out + StlLayout::attribute_offset, 0, 2);
      out += face_size;
    }
    state_->file.write_at(StlLayout::faces_offset + (first + done) * face_size,
                          std::span<const char>(block).first(part.size() * face_size));
  }
  state_->file.start_storing(StlLayout::faces_offset + first * face_size,
                             facets.size() * face_size);
}

std::uint64_t FacetWriter::finish() {
  const auto count = static_cast<std::uint32_t>(state_->facets);
  std::array<char, sizeof count> bytes{};
  std::memcpy(bytes.data(), &count, sizeof count);
  state_->file.write_at(StlLayout::count_offset, bytes);
  state_->file.commit();
  return state_->file.size();
}

TriangleSoup weld_facets(std::span<const Facet> facets, const ProgressCallback& progress) {
  if (facets.size() >= no_index / 3)
    throw InputError(fmt::format("{} facets are more than a mesh can have", facets.size()));
  TriangleSoup mesh;
  Progress welding(progress, "welding", facets.size());
  detail::weld({reinterpret_cast<const char*>(facets.data()), sizeof(Facet), facets.size()}, mesh,
               welding);
  return mesh;
}

}  // namespace tessera::io
