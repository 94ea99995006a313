// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/facet_writer.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "tessera/core/error.h"
#include "tessera/core/progress.h"
#include "tessera/io/detail/binary_writer.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/stl_layout.h"

namespace tessera::io {
namespace {

using detail::StlLayout;

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

void FacetWriter::append(std::span<const Facet> facets) {
  state_->facets += facets.size();
  if (state_->facets > std::numeric_limits<std::uint32_t>::max())
    throw OutputError(state_->name + ": STL files hold at most 4294967295 facets");
  const ProgressCallback nobody;
  Progress progress(nobody, "writing", facets.size() * StlLayout::face_size);
  detail::append_binary(state_->file, facets.size(), StlLayout::face_size, progress,
                        [&](std::uint64_t first, std::uint64_t last, char* out) {
                          for (std::uint64_t f = first; f < last;
                               ++f, out += StlLayout::face_size) {
                            const Vec3f n = normal(facets[f]);
                            std::memcpy(out, &n, sizeof n);
                            std::memcpy(out + StlLayout::corners_offset, &facets[f], sizeof(Facet));
                            std::memset(out + StlLayout::attribute_offset, 0, 2);
                          }
                        });
}

std::uint64_t FacetWriter::finish() {
  const auto count = static_cast<std::uint32_t>(state_->facets);
  std::array<char, sizeof count> bytes{};
  std::memcpy(bytes.data(), &count, sizeof count);
  state_->file.write_at(StlLayout::count_offset, bytes);
  state_->file.commit();
  return state_->file.size();
}

}  // namespace tessera::io
