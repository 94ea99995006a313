// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/sol.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/arena.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/detail/source.h"

namespace tessera::io {

bool is_sol(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".sol" || ending == ".SOL";
}

Attributes read_sol(const std::filesystem::path& path, std::size_t vertices,
                    const ReadOptions& options) {
  const detail::MappedFile file(path);
  const detail::Source source{file.bytes(), path.string(), options.progress};
  return Arena(options.threads).execute([&] {
    return detail::read_sol(source.without_byte_order_mark(), vertices);
  });
}

std::uint64_t write_sol(const std::filesystem::path& path, const Attributes& attributes,
                        const WriteOptions& options) {
  if (attributes.empty()) throw std::invalid_argument("a .sol file needs a field");
  const std::size_t vertices = attributes.front().size();
  for (const Attribute& attribute : attributes) {
    if (!detail::is_field(attribute))
      throw std::invalid_argument(
          fmt::format("a .sol file has no room for attribute \"{}\"", attribute.name));
    if (attribute.size() != vertices)
      throw std::invalid_argument("the fields of a .sol file are of different sizes");
  }
  return Arena(options.threads).execute([&] {
    detail::OutputFile file(path);
    std::vector<std::string> names_are_lost;
    detail::write_sol(file, {attributes, vertices, options.progress, names_are_lost});
    file.commit();
    return file.size();
  });
}

}  // namespace tessera::io
