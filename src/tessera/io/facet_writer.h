// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "tessera/core/facet.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"

namespace tessera::io {

/// Writes facets to a binary STL file as they come, for meshes that no memory holds. The file
/// appears under its name when it is complete.
class FacetWriter {
 public:
  /// Throws InputError where no file can be put there.
  explicit FacetWriter(const std::filesystem::path& path);
  ~FacetWriter();
  FacetWriter(const FacetWriter&) = delete;
  FacetWriter& operator=(const FacetWriter&) = delete;

  /// Facets with the numbers from `first` on. Any thread, any order, several at once; in the end
  /// all numbers from 0 on must have been written. Throws OutputError if the disk is full, or if
  /// there are more facets than an STL file can count, which is 2^32 - 1.
  void write(std::uint64_t first, std::span<const Facet> facets);

  /// Gives the file its name; returns its size.
  std::uint64_t finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Facets as a mesh: corners of equal coordinates become one vertex. Throws InputError if there are
/// more than a mesh can have, Cancelled if the callback says so.
TriangleSoup weld_facets(std::span<const Facet> facets, const ProgressCallback& progress = {});

}  // namespace tessera::io
