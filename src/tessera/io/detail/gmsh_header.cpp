// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "tessera/io/detail/byte_order.h"
#include "tessera/io/detail/gmsh_file.h"
#include "tessera/io/detail/text.h"

namespace tessera::io::detail {

GmshHeader read_gmsh_header(const Source& source) {
  const char* p = source.begin();
  const char* end = source.end();
  while (p < end && (is_blank(*p) || *p == '\n')) ++p;
  if (p == end) source.fail("the file is empty");
  Scanner line{p, end};
  if (line.token() != "$MeshFormat")
    source.fail_at_line(p, "not a Gmsh file: it does not start with $MeshFormat");
  p = line_end(line.position, end);
  p = p < end ? p + 1 : end;
  line = {p, line_end(p, end)};
  double version = 0;
  int kind = 0;
  int size = 0;
  if (!line.read(version) || !line.read(kind) || !line.read(size) || !line.at_end())
    source.fail_at_line(p, "expected version, kind and data size of the file");
  GmshHeader header;
  header.is_4 = version == 4.1;
  if (!header.is_4 && !(version >= 2 && version < 3))
    source.fail_at_line(p, fmt::format("version {} is not read, only 2.2 and 4.1", version));
  if (kind != 0 && kind != 1)
    source.fail_at_line(p, fmt::format("the file is of kind {}, not 0 (text) or 1 (binary)", kind));
  header.is_binary = kind == 1;
  header.behind = static_cast<std::size_t>(std::min(line.end + 1, end) - source.begin());
  if (!header.is_binary) return header;
  if (size != 8) source.fail_at_line(p, fmt::format("a data size of {} is not read, only 8", size));
  const std::size_t left = source.bytes.size() - header.behind;
  if (left < sizeof(std::int32_t)) source.fail("the file ends within $MeshFormat");
  const auto one = load_number<std::int32_t>(source.begin() + header.behind, false);
  header.swap = one != 1;
  if (header.swap && load_number<std::int32_t>(source.begin() + header.behind, true) != 1)
    source.fail_at_offset(header.behind, "expected the number 1, which tells the byte order");
  header.behind += sizeof(std::int32_t);
  return header;
}

}  // namespace tessera::io::detail
