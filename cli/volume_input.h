// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "run.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/io/polyhedra.h"
#include "tessera/volume/complex.h"

namespace tessera::cli {

/// Adds the volume mesh that a command writes, with --encoding.
void add_volume_output(CLI::App& command, std::string& path, io::WriteOptions& options);

/// The complex of a volume mesh that was read from that file; reports what was lost on the way.
volume::Complex build_complex(Run& run, const std::string& path, const PolyhedralSoup& soup);

/// Reads a volume mesh and builds its complex.
volume::Complex read_complex(Run& run, const std::string& path);

/// Writes a complex; reports files, counts and losses.
void write_complex(Run& run, const std::string& path, const volume::Complex& complex,
                   const io::WriteOptions& options);

/// A mesh to look at: a surface as it is, a volume by its boundary, with the attributes and
/// qualities of the cells behind it on its faces.
TriangleSoup read_for_view(Run& run, const std::string& path);

}  // namespace tessera::cli
