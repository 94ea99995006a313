// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/detail/source.h"
#include "tessera/io/detail/table.h"

namespace tessera::io::detail {

/// A keyword of a MEDIT file and the rows below it.
struct MeditSection {
  std::string keyword;
  const char* where = nullptr;
  std::uint64_t count = 0;      ///< as the file says
  std::uint64_t first_row = 0;  ///< in the table; of the elements, or of what describes them
};

/// What a `.mesh` or `.sol` text holds. The two share their grammar: keywords, each with a number
/// on the same line or the next and, below it, as many rows.
struct MeditText {
  int version = 0;
  int dimension = 0;
  std::vector<MeditSection> sections;

  /// The section of that keyword, or nullptr. Throws InputError if there are two.
  const MeditSection* find(const Source& source, std::string_view keyword) const;
};

/// Finds the sections of a text. Those named in `needed`, whose rows must all be there, have
/// `extra_rows` more than their count. Others are skipped as far as the next keyword.
///
/// Throws InputError where the text does not start with MeshVersionFormatted, has no Dimension of 2
/// or 3, or ends within a section.
MeditText find_sections(const Source& source, LineTable& table,
                        const std::vector<std::string_view>& needed, std::uint64_t extra_rows);

}  // namespace tessera::io::detail
