// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/lost_attributes.h"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::io::detail {

void note_lost(const Target& target, std::string_view format,
               std::span<const Attribute* const> kept) {
  auto note = [&](const Attributes& attributes, std::string_view kind) {
    for (const Attribute& attribute : attributes)
      if (std::find(kept.begin(), kept.end(), &attribute) == kept.end())
        target.result.notes.push_back(fmt::format("{} files have no room for {} attribute \"{}\"",
                                                  format, kind, attribute.name));
  };
  note(target.mesh.vertex_attributes, "vertex");
  note(target.mesh.face_attributes, "face");
}

}  // namespace tessera::io::detail
