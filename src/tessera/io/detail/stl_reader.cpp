// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/stl_layout.h"
#include "tessera/io/detail/text.h"
#include "tessera/io/detail/weld.h"

namespace tessera::io::detail {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
         });
}

bool is_finite(const Vec3f& p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

// --- binary ---------------------------------------------------------------------------------

std::uint32_t announced_faces(const Source& source) {
  std::uint32_t count = 0;
  std::memcpy(&count, source.begin() + StlLayout::count_offset, sizeof count);
  return count;
}

std::uint16_t face_attribute(const Source& source, std::size_t face) {
  std::uint16_t value = 0;
  std::memcpy(&value,
              source.begin() + StlLayout::faces_offset + face * StlLayout::face_size +
                  StlLayout::attribute_offset,
              sizeof value);
  return value;
}

ReadResult read_binary(const Source& source) {
  if (source.bytes.size() < StlLayout::faces_offset)
    source.fail(fmt::format("{} bytes are too few for the header of a binary STL file",
                            source.bytes.size()));
  const std::uint64_t faces = announced_faces(source);
  const std::uint64_t there =
      (source.bytes.size() - StlLayout::faces_offset) / StlLayout::face_size;
  if (there < faces)
    source.fail(
        fmt::format("the header announces {} triangles, but there are only {}", faces, there));
  source.check_counts(0, faces);

  ReadResult result;
  const FloatCorners corners{source.begin() + StlLayout::faces_offset + StlLayout::corners_offset,
                             StlLayout::face_size, faces};
  Progress progress(source.progress, "reading", 2 * faces);
  FirstError errors;
  std::atomic<bool> attributes{false};
  constexpr std::size_t block = 4096;
  const std::size_t blocks = (faces + block - 1) / block;
  parallel_for(blocks, [&](std::size_t b) {
    const std::size_t first = b * block;
    const std::size_t last = std::min<std::size_t>(faces, first + block);
    bool any = false;
    for (std::size_t face = first; face < last; ++face) {
      for (std::size_t corner = 3 * face; corner < 3 * face + 3; ++corner)
        if (!is_finite(corners.at(corner)))
          errors.report(corners.first + face * corners.stride,
                        fmt::format("triangle {} has a coordinate that is not finite", face));
      any |= face_attribute(source, face) != 0;
    }
    if (any) attributes.store(true, std::memory_order_relaxed);
    progress.advance(last - first);
  });
  errors.raise_at_offset(source);
  weld(corners, result.mesh, progress);
  if (attributes) {
    Array<std::uint16_t> values(faces);
    parallel_for(blocks, [&](std::size_t b) {
      for (std::size_t face = b * block; face < std::min<std::size_t>(faces, (b + 1) * block);
           ++face)
        values[face] = face_attribute(source, face);
    });
    result.mesh.face_attributes.push_back({StlLayout::attribute_name, 1, std::move(values)});
  }
  const std::uint64_t rest =
      source.bytes.size() - StlLayout::faces_offset - faces * StlLayout::face_size;
  if (rest > 0)
    result.notes.push_back(fmt::format("{} bytes behind the last triangle were not read", rest));
  return result;
}

// --- text -----------------------------------------------------------------------------------

/// Tokens over line ends.
std::string_view next_word(Scanner& text) {
  for (;;) {
    const std::string_view word = text.token();
    if (!word.empty() || text.position == text.end) return word;
    ++text.position;
  }
}

void skip_line(Scanner& text) {
  text.position = line_end(text.position, text.end);
}

/// Pieces that start where a line starts a facet, but for the first.
std::vector<std::span<const char>> split_facets(std::span<const char> text) {
  std::vector<std::span<const char>> pieces;
  const char* start = text.data();
  const char* end = text.data() + text.size();
  for (const std::span<const char> piece : split_lines(text)) {
    const char* p = piece.data();
    if (p < start || p == text.data()) continue;
    while (p < end && !equals_ignoring_case(Scanner{p, end}.token(), "facet"))
      p = std::min(end, line_end(p, end) + 1);
    if (p < end) {
      pieces.emplace_back(start, static_cast<std::size_t>(p - start));
      start = p;
    }
  }
  pieces.emplace_back(start, static_cast<std::size_t>(end - start));
  return pieces;
}

struct PieceCounts {
  std::uint64_t faces = 0;
  std::uint64_t solids = 0;
  std::uint64_t ends = 0;
};

/// Reads the facets of one piece. Without `out` it only counts, and leaves numbers unread; errors
/// in the text are found both times.
class FacetReader {
 public:
  FacetReader(std::span<const char> piece, Vec3f* out, FirstError& errors)
      : text_{piece.data(), piece.data() + piece.size()}, out_(out), errors_(errors) {}

  PieceCounts read() {
    while (!failed_) {
      const std::string_view word = next_word(text_);
      if (word.empty()) break;
      if (equals_ignoring_case(word, "facet")) {
        facet();
        ++counts_.faces;
      } else if (equals_ignoring_case(word, "endsolid")) {
        ++counts_.ends;
        skip_line(text_);
      } else if (equals_ignoring_case(word, "solid")) {
        ++counts_.solids;
        skip_line(text_);
      } else {
        fail(word, "expected \"facet\"");
      }
    }
    return counts_;
  }

 private:
  void fail(std::string_view word, std::string_view expected) {
    if (failed_) return;
    failed_ = true;
    errors_.report(word.data(), word.empty()
                                    ? fmt::format("{}, but the text ends", expected)
                                    : fmt::format("{}, not \"{}\"", expected, word.substr(0, 32)));
  }

  void expect(std::string_view keyword, std::string_view message) {
    if (failed_) return;
    const std::string_view word = next_word(text_);
    if (!equals_ignoring_case(word, keyword)) fail(word, message);
  }

  void facet() {
    expect("normal", "expected \"normal\" behind \"facet\"");
    for (int i = 0; i < 3; ++i) next_word(text_);  // computed from the corners where it is needed
    expect("outer", "expected \"outer loop\"");
    expect("loop", "expected \"outer loop\"");
    for (int i = 0; i < 3; ++i) {
      expect("vertex", "expected three times \"vertex\"");
      corner();
    }
    expect("endloop", "expected \"endloop\" behind three vertices");
    expect("endfacet", "expected \"endfacet\"");
  }

  void corner() {
    for (int i = 0; i < 3 && !failed_; ++i) {
      const std::string_view word = next_word(text_);
      if (out_ == nullptr) continue;
      Scanner number{word.data(), word.data() + word.size()};
      double value = 0;
      if (!number.read(value) || number.position != number.end) {
        fail(word, "expected a number");
        return;
      }
      (*out_)[i] = static_cast<float>(value);
      if (!std::isfinite((*out_)[i])) fail(word, "expected a finite number in single precision");
    }
    if (out_ != nullptr) ++out_;
  }

  Scanner text_;
  Vec3f* out_;
  FirstError& errors_;
  PieceCounts counts_;
  bool failed_ = false;
};

/// The faces of some pieces as a mesh of their own.
TriangleSoup read_part(const Source& source, std::span<const std::span<const char>> pieces,
                       const PieceCounts* counts, std::uint64_t faces, Progress& progress) {
  std::vector<std::uint64_t> start(pieces.size(), 0);
  for (std::size_t i = 1; i < pieces.size(); ++i) start[i] = start[i - 1] + counts[i - 1].faces;
  Array<Vec3f> corners(3 * faces);
  FirstError errors;
  parallel_for(pieces.size(), [&](std::size_t i) {
    FacetReader(pieces[i], corners.data() + 3 * start[i], errors).read();
    progress.advance(pieces[i].size());
  });
  errors.raise_at_line(source);
  TriangleSoup part;
  const ProgressCallback silent;
  Progress welding(silent, "", 0);
  weld({reinterpret_cast<const char*>(corners.data()), 3 * sizeof(Vec3f), faces}, part, welding);
  return part;
}

ReadResult read_text(const Source& source) {
  const auto pieces = split_facets(source.bytes);
  std::vector<PieceCounts> counts(pieces.size());
  Progress progress(source.progress, "reading", 2 * source.bytes.size());
  FirstError errors;
  parallel_for(pieces.size(), [&](std::size_t i) {
    counts[i] = FacetReader(pieces[i], nullptr, errors).read();
    progress.advance(pieces[i].size());
  });
  errors.raise_at_line(source);
  PieceCounts total;
  for (const PieceCounts& piece : counts) {
    total.faces += piece.faces;
    total.solids += piece.solids;
    total.ends += piece.ends;
  }
  source.check_counts(0, total.faces);
  if (total.ends < total.solids)
    source.fail_at_line(source.end(), "the last solid has no \"endsolid\": the file was cut short");
  ReadResult result;
  result.mesh.triangles.reserve(total.faces);
  result.mesh.positions.reserve(total.faces / 2 + total.faces / 16);  // a closed mesh has half
  Joiner joiner(result.mesh);
  // The corners of all faces at once would take more memory than the mesh: a part at a time.
  constexpr std::uint64_t part_faces = std::uint64_t{1} << 16;
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t last = first;
    std::uint64_t faces = 0;
    while (last < pieces.size() && (last == first || faces + counts[last].faces <= part_faces))
      faces += counts[last++].faces;
    joiner.append(read_part(source, {pieces.data() + first, last - first}, counts.data() + first,
                            faces, progress));
    first = last;
  }
  if (total.solids > 1)
    result.notes.push_back(fmt::format("{} solids became one mesh", total.solids));
  return result;
}

/// Binary files may start with "solid" too. Their size tells, and where that is wrong, their bytes.
bool has_binary_size(const Source& source) {
  return source.bytes.size() >= StlLayout::faces_offset &&
         StlLayout::faces_offset + std::uint64_t{announced_faces(source)} * StlLayout::face_size ==
             source.bytes.size();
}

bool reads_like_text(const Source& source) {
  const auto sample = source.bytes.first(std::min<std::size_t>(source.bytes.size(), 1024));
  const bool readable = std::all_of(sample.begin(), sample.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || is_blank(c) || c == '\n';
  });
  Scanner text{source.begin(), source.end()};
  return readable && equals_ignoring_case(next_word(text), "solid");
}

}  // namespace

ReadResult read_stl(const Source& source) {
  static_assert(std::endian::native == std::endian::little, "STL files are little-endian");
  if (source.bytes.empty()) source.fail("the file is empty");
  const Source text = source.without_byte_order_mark();
  const bool is_text = !has_binary_size(source) && reads_like_text(text);
  ReadResult result = is_text ? read_text(text) : read_binary(source);
  result.mesh.precision = Precision::float32;
  return result;
}

}  // namespace tessera::io::detail
