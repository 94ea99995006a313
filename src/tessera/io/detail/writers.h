// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/io/detail/output_file.h"
#include "tessera/io/triangles.h"

namespace tessera::io::detail {

/// What a writer writes, and where. The writer fills `file`, adds to `result.notes` and corrects
/// the counts in `result` where the file holds less than the mesh; write_triangles() commits the
/// file and counts its bytes.
struct Target {
  OutputFile& file;
  const TriangleSoup& mesh;
  Encoding encoding;
  Precision precision;
  const ProgressCallback& progress;
  WriteResult& result;
};

void write_obj(const Target& target);
void write_ply(const Target& target);
void write_stl(const Target& target);
void write_off(const Target& target);
void write_three_mf(const Target& target);
void write_medit(const Target& target);
void write_vtp(const Target& target);
void write_vtu(const Target& target);
void write_glb(const Target& target);

}  // namespace tessera::io::detail
