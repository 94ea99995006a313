// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tessera/io/detail/cells.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/sol.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

/// The end of an element's line.
void put_ref(TextBuffer& text, const Attribute* refs, std::size_t element) {
  text.put(' ');
  put_ref_number(text, refs, element);
  text.put('\n');
}

/// As edges all of which are ridges.
void write_ridges(const Target& target, Progress& progress) {
  const Array<VertexPair>& ridges = target.mesh.ridges;
  if (ridges.empty()) return;
  target.file.append(fmt::format("\nEdges\n{}\n", ridges.size()));
  append_text(target.file, ridges.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t i = first; i < last; ++i) {
                  text.put(ridges[i][0] + 1);
                  text.put(' ');
                  text.put(ridges[i][1] + 1);
                  text.put(std::string_view(" 0\n"));
                }
              });
  target.file.append(fmt::format("\nRidges\n{}\n", ridges.size()));
  append_text(target.file, ridges.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t i = first; i < last; ++i) {
                  text.put(i + 1);
                  text.put('\n');
                }
              });
}

}  // namespace

void write_medit(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  const Attribute* vertex_refs = find_refs(mesh.vertex_attributes);
  const Attribute* face_refs = find_refs(mesh.face_attributes);
  std::vector<const Attribute*> kept{vertex_refs, face_refs};
  for (const Attribute& a : mesh.vertex_attributes)
    if (is_field(a)) kept.push_back(&a);  // in the .sol file
  note_lost(target, "MEDIT", kept);

  target.file.append(fmt::format("MeshVersionFormatted {}\n\nDimension 3\n\nVertices\n{}\n",
                                 target.precision == Precision::float32 ? 1 : 2,
                                 mesh.positions.size()));
  Progress progress(target.progress, "writing",
                    mesh.positions.size() + mesh.triangles.size() + 2 * mesh.ridges.size());
  append_text(target.file, mesh.positions.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t v = first; v < last; ++v) {
                  text.put(mesh.positions[v], target.precision);
                  put_ref(text, vertex_refs, v);
                }
              });
  target.file.append(fmt::format("\nTriangles\n{}\n", mesh.triangles.size()));
  append_text(target.file, mesh.triangles.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t f = first; f < last; ++f) {
                  const Triangle& t = mesh.triangles[f];
                  for (int i = 0; i < 3; ++i) {
                    if (i > 0) text.put(' ');
                    text.put(t[i] + 1);
                  }
                  put_ref(text, face_refs, f);
                }
              });
  write_ridges(target, progress);
  target.file.append(std::string_view("\nEnd\n"));
}

}  // namespace tessera::io::detail
