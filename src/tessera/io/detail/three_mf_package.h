// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tessera/io/detail/zip_writer.h"

namespace tessera::io::detail {

inline constexpr std::string_view content_types =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
 <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
 <Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
</Types>
)";

inline constexpr std::string_view relationships =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
 <Relationship Target="/3D/3dmodel.model" Id="model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>
)";

/// The part that holds the model itself.
inline constexpr std::string_view model_part = "3D/3dmodel.model";

/// The parts that every 3MF package has besides its model.
inline void add_package_parts(ZipWriter& zip) {
  const auto add = [&](std::string_view name, std::string_view content) {
    zip.begin(name, content.size());
    zip.append(content);
    zip.end();
  };
  add("[Content_Types].xml", content_types);
  add("_rels/.rels", relationships);
}

}  // namespace tessera::io::detail
