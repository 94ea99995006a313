// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/ridges.h"

#include <fmt/format.h>

#include "tessera/core/arena.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/medit_rows.h"
#include "tessera/io/detail/ridges.h"
#include "tessera/io/detail/table.h"

namespace tessera::io {

Array<VertexPair> detail::read_ridges(const Source& source, std::size_t vertices) {
  const LineTable table(source);
  Array<VertexPair> ridges(table.size());
  Progress progress(source.progress, "reading ridges", table.size());
  table.for_each(0, table.size(), progress, [&](std::uint64_t i, Scanner& row) {
    read_medit_corners(row, "ridge", i + 1, 2, vertices, ridges[i].v);
    if (!at_row_end(row))
      throw RowError{row.position, fmt::format("ridge {} has more than two vertices", i + 1)};
  });
  return ridges;
}

Array<VertexPair> read_ridges(const std::filesystem::path& path, std::size_t vertices,
                              const ReadOptions& options) {
  const detail::MappedFile file(path);
  const detail::Source source{file.bytes(), path.string(), options.progress};
  return Arena(options.threads).execute([&] {
    return detail::read_ridges(source.without_byte_order_mark(), vertices);
  });
}

}  // namespace tessera::io
