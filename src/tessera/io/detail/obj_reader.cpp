// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Two parallel passes over pieces of the file: one counts, so that every piece knows where its
// vertices and faces go, one parses straight into the arrays of the result.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/parallel.h"
#include "tessera/io/detail/polygons.h"
#include "tessera/io/detail/source.h"
#include "tessera/io/detail/text.h"

namespace tessera::io::detail {
namespace {

using Text = std::span<const char>;

/// Statements that are counted and noted, not read.
enum class Ignored { texture, normal, parameter, group, smoothing, material, line, point, other };
constexpr std::array<std::string_view, 9> ignored_names{"texture coordinates (vt)",
                                                        "normals (vn)",
                                                        "parameter space vertices (vp)",
                                                        "group names (g, o)",
                                                        "smoothing groups",
                                                        "material statements",
                                                        "polylines (l)",
                                                        "point elements (p)",
                                                        "other statements"};

enum class Statement { none, vertex, face, ignored };

struct Keyword {
  Statement statement;
  Ignored ignored = Ignored::other;
};

/// What a line is, by its first word; `scanner` is left behind that word.
Keyword keyword(Scanner& scanner) {
  scanner.skip_blanks();
  const char* p = scanner.position;
  const std::ptrdiff_t length = scanner.end - p;
  if (length == 0 || *p == '#') return {Statement::none};
  if (length > 1 && is_blank(p[1]) && (*p == 'v' || *p == 'f')) {
    scanner.position = p + 1;
    return {*p == 'v' ? Statement::vertex : Statement::face};
  }
  const std::string_view word = scanner.token();
  if (word == "v") return {Statement::vertex};
  if (word == "f") return {Statement::face};
  auto ignored = [](Ignored kind) { return Keyword{Statement::ignored, kind}; };
  if (word == "vt") return ignored(Ignored::texture);
  if (word == "vn") return ignored(Ignored::normal);
  if (word == "vp") return ignored(Ignored::parameter);
  if (word == "g" || word == "o") return ignored(Ignored::group);
  if (word == "s") return ignored(Ignored::smoothing);
  if (word == "usemtl" || word == "mtllib") return ignored(Ignored::material);
  if (word == "l") return ignored(Ignored::line);
  if (word == "p") return ignored(Ignored::point);
  return ignored(Ignored::other);
}

/// Whether the line that ends at `stop` goes on in the next one: "\" before the line end.
bool is_continued(const char* first, const char* stop) {
  if (stop > first && stop[-1] == '\r') --stop;
  return stop > first && stop[-1] == '\\';
}

/// Calls f(scanner, where) for every statement; `where` is the start of its first line. A
/// statement that goes on over several lines is joined first. Comments never go on: one that ends
/// in a Windows path must not swallow a vertex.
template <class F>
void for_each_statement(Text text, F f) {
  std::string joined;
  const char* end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const char* where = p;
    const char* stop = line_end(p, end);
    if (!is_continued(p, stop) || Scanner{p, stop}.token().starts_with('#')) {
      f(Scanner{p, stop}, where);
      p = stop + 1;
      continue;
    }
    joined.clear();
    for (bool more = true; more && p < end; p = stop + 1) {
      stop = line_end(p, end);
      more = is_continued(p, stop);
      joined.append(p, stop);
      if (more) joined.resize(joined.rfind('\\'));
      joined += ' ';
    }
    f(Scanner{joined.data(), joined.data() + joined.size()}, where);
  }
}

/// Pieces that end where a statement does.
std::vector<Text> split_statements(Text text) {
  std::vector<Text> pieces;
  bool open = false;
  for (const Text piece : split_lines(text)) {
    if (open)
      pieces.back() = {pieces.back().data(), pieces.back().size() + piece.size()};
    else
      pieces.push_back(piece);
    const char* stop = piece.data() + piece.size();
    open = stop[-1] == '\n' && is_continued(piece.data(), stop - 1);
  }
  return pieces;
}

std::uint64_t count_tokens(const char* p, const char* end) {
  std::uint64_t count = 0;
  bool blank = true;
  for (; p < end && *p != '#'; ++p) {
    const bool now = is_blank(*p);
    count += blank && !now ? 1 : 0;
    blank = now;
  }
  return count;
}

struct Counts {
  std::uint64_t vertices = 0;
  std::uint64_t colored = 0;
  std::uint64_t faces = 0;
  std::uint64_t corners = 0;
  std::uint64_t other_than_triangles = 0;
  std::array<std::uint64_t, ignored_names.size()> ignored{};
  const char* first_other = nullptr;

  void operator+=(const Counts& more) {
    vertices += more.vertices;
    colored += more.colored;
    faces += more.faces;
    corners += more.corners;
    other_than_triangles += more.other_than_triangles;
    for (std::size_t i = 0; i < ignored.size(); ++i) ignored[i] += more.ignored[i];
    if (first_other == nullptr) first_other = more.first_other;
  }
};

Counts count(Text piece) {
  Counts counts;
  for_each_statement(piece, [&](Scanner line, const char* where) {
    const Keyword word = keyword(line);
    switch (word.statement) {
      case Statement::vertex:
        ++counts.vertices;
        counts.colored += count_tokens(line.position, line.end) >= 6 ? 1 : 0;
        break;
      case Statement::face: {
        const std::uint64_t corners = count_tokens(line.position, line.end);
        ++counts.faces;
        counts.corners += corners;
        counts.other_than_triangles += corners != 3 ? 1 : 0;
        break;
      }
      case Statement::ignored:
        ++counts.ignored[static_cast<std::size_t>(word.ignored)];
        if (word.ignored == Ignored::other && counts.first_other == nullptr)
          counts.first_other = where;
        break;
      case Statement::none:
        break;
    }
  });
  return counts;
}

/// Everything the parsing of one piece needs and fills.
struct Parser {
  std::uint64_t vertices;  ///< in the whole file
  Vec3d* positions;
  float* colors;          ///< null: there are none
  Index* corners;         ///< of all faces
  std::uint64_t* starts;  ///< null: all faces are triangles
  FirstError& errors;
  std::atomic<std::uint64_t>& weights;

  void parse(Text piece, Counts at) const;

 private:
  const char* vertex(Scanner line, std::uint64_t number) const;
  const char* face(Scanner line, Counts& at) const;
};

bool at_end_or_comment(Scanner& line) {
  return line.at_end() || *line.position == '#';
}

/// Returns what is wrong, or nullptr.
const char* Parser::vertex(Scanner line, std::uint64_t number) const {
  constexpr int most = 7;  // x y z, then w or a colour with or without opacity
  double values[most];
  int n = 0;
  while (n < most && !(n >= 3 && at_end_or_comment(line))) {
    if (!line.read(values[n]) || !line.at_boundary())
      return n < 3 ? "a vertex needs three numbers" : "this is not a number";
    if (!std::isfinite(values[n])) return "a coordinate is not finite";
    ++n;
  }
  if (n == 5 || !at_end_or_comment(line))
    return "a vertex has three coordinates and at most a weight or a colour";
  positions[number] = {values[0], values[1], values[2]};
  if (n == 4) weights.fetch_add(1, std::memory_order_relaxed);
  if (colors != nullptr)
    for (int i = 0; i < 3; ++i)  // white, where only other vertices have a colour
      colors[3 * number + static_cast<std::uint64_t>(i)] =
          n >= 6 ? static_cast<float>(values[3 + i]) : 1.0F;
  return nullptr;
}

/// Skips one of the optional references to texture coordinates and normals.
bool skip_reference(Scanner& line) {
  if (line.position == line.end || *line.position != '/') return true;
  ++line.position;
  if (line.at_boundary() || *line.position == '/') return true;
  std::int64_t unused = 0;
  return line.read(unused);
}

/// Returns what is wrong, or nullptr.
const char* Parser::face(Scanner line, Counts& at) const {
  const std::uint64_t first = at.corners;
  while (!at_end_or_comment(line)) {
    std::int64_t reference = 0;
    if (!line.read(reference) || !skip_reference(line) || !skip_reference(line) ||
        !line.at_boundary())
      return "a corner of a face must be a vertex number, as in 7, 7/1, 7//3 or 7/1/3";
    if (reference == 0) return "a face refers to vertex 0, but they are numbered from 1";
    const std::int64_t number =
        reference > 0 ? reference - 1 : static_cast<std::int64_t>(at.vertices) + reference;
    if (number < 0 || number >= static_cast<std::int64_t>(vertices))
      return "a face refers to a vertex that does not exist";
    corners[at.corners++] = static_cast<Index>(number);
  }
  if (at.corners == first) return "a face has no corners";
  if (starts != nullptr) starts[at.faces] = first;
  ++at.faces;
  return nullptr;
}

void Parser::parse(Text piece, Counts at) const {
  bool failed = errors.precedes(piece.data());
  if (failed) return;
  for_each_statement(piece, [&](Scanner line, const char* where) {
    if (failed) return;
    const Keyword word = keyword(line);
    const char* wrong = nullptr;
    if (word.statement == Statement::vertex)
      wrong = vertex(line, at.vertices++);
    else if (word.statement == Statement::face)
      wrong = face(line, at);
    if (wrong == nullptr) return;
    failed = true;
    errors.report(where, wrong);
  });
}

void add_notes(const Source& source, const Counts& total, std::uint64_t weights,
               std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < ignored_names.size(); ++i) {
    if (total.ignored[i] == 0) continue;
    std::string note = fmt::format("{} {} were not read", total.ignored[i], ignored_names[i]);
    if (static_cast<Ignored>(i) == Ignored::other) {
      Scanner line{total.first_other, line_end(total.first_other, source.end())};
      note += fmt::format("; the first is \"{}\"", line.token().substr(0, 32));
    }
    notes.push_back(std::move(note));
  }
  if (weights > 0) notes.push_back(fmt::format("weights of {} vertices were not read", weights));
  if (total.colored > 0 && total.colored < total.vertices)
    notes.push_back(
        fmt::format("{} vertices have no colour and became white", total.vertices - total.colored));
}

}  // namespace

ReadResult read_obj(const Source& source) {
  if (source.bytes.empty()) source.fail("the file is empty");
  const std::vector<Text> pieces = split_statements(source.bytes);
  Progress progress(source.progress, "reading", 2 * source.bytes.size());
  std::vector<Counts> counts(pieces.size());
  parallel_for(pieces.size(), [&](std::size_t i) {
    counts[i] = count(pieces[i]);
    progress.advance(pieces[i].size());
  });
  Counts total;
  for (Counts& piece : counts) {
    const Counts before = total;
    total += piece;
    piece = before;
  }
  if (total.vertices == 0 && total.faces == 0 && total.first_other != nullptr)
    source.fail_at_line(total.first_other, "this is not a statement of an OBJ file");
  source.check_counts(total.vertices, total.faces);

  ReadResult result;
  TriangleSoup& mesh = result.mesh;
  PolygonSoup polygons;
  const bool only_triangles = total.other_than_triangles == 0;
  mesh.positions.resize(total.vertices);
  if (only_triangles) {
    mesh.triangles.resize(total.faces);
  } else {
    polygons.corners.resize(total.corners);
    polygons.starts.resize(total.faces + 1);
    polygons.starts.back() = total.corners;
  }
  Array<float> colors(total.colored > 0 ? 3 * total.vertices : 0);
  FirstError errors;
  std::atomic<std::uint64_t> weights{0};
  const Parser parser{
      total.vertices,
      mesh.positions.data(),
      colors.empty() ? nullptr : colors.data(),
      only_triangles ? reinterpret_cast<Index*>(mesh.triangles.data()) : polygons.corners.data(),
      only_triangles ? nullptr : polygons.starts.data(),
      errors,
      weights};
  parallel_for(pieces.size(), [&](std::size_t i) {
    parser.parse(pieces[i], counts[i]);
    progress.advance(pieces[i].size());
  });
  errors.raise_at_line(source);
  if (!colors.empty()) mesh.vertex_attributes.push_back({"color", 3, std::move(colors)});
  if (!only_triangles) triangulate(source, polygons, result);
  add_notes(source, total, weights, result.notes);
  return result;
}

}  // namespace tessera::io::detail
