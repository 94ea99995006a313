// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// The XML of VTK's UnstructuredGrid files: just as much of XML as these have.
#include "tessera/io/detail/vtk_xml_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "tessera/io/detail/text.h"

namespace tessera::io::detail {
namespace {

bool is_space(char c) {
  return is_blank(c) || c == '\n';
}

struct Tag {
  const char* where = nullptr;
  const char* after = nullptr;
  std::string name;
  std::map<std::string, std::string> attributes;
  bool closes = false;  ///< </name>
  bool empty = false;   ///< <name/>

  std::string value(const char* key, const char* otherwise = "") const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? otherwise : found->second;
  }
};

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text[0];
    for (const auto& [entity, meaning] : entities)
      if (text.starts_with(entity)) {
        used = entity.size();
        c = meaning;
      }
    if (text.starts_with("&#")) {
      unsigned code = 0;
      const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + text.size(), code);
      if (error == std::errc{} && stop < text.data() + text.size() && *stop == ';' && code < 128) {
        used = static_cast<std::size_t>(stop + 1 - text.data());
        c = static_cast<char>(code);
      }
    }
    out += c;
    text.remove_prefix(used);
  }
  return out;
}

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), position_(source.begin()) {}

  /// The next tag, or nothing at the end of the file.
  std::optional<Tag> next() {
    for (;;) {
      position_ = find(position_, '<');
      if (position_ == source_.end()) return std::nullopt;
      if (starts_with("<!--"))
        skip_past("-->");
      else if (starts_with("<?"))
        skip_past("?>");
      else if (starts_with("<!"))
        skip_past(">");
      else
        return parse_tag();
    }
  }

  /// Text up to the next tag; it must have one.
  std::string_view text_before_tag(const Tag& tag) const {
    const char* end = find(tag.after, '<');
    if (end == source_.end()) fail_end(tag.where);
    return {tag.after, static_cast<std::size_t>(end - tag.after)};
  }

  [[noreturn]] void fail_end(const char* where) const {
    source_.fail_at_line(where, "the file ends within this element");
  }

 private:
  const char* find(const char* from, char c) const {
    const auto left = static_cast<std::size_t>(source_.end() - from);
    const void* found = left == 0 ? nullptr : std::memchr(from, c, left);
    return found == nullptr ? source_.end() : static_cast<const char*>(found);
  }

  bool starts_with(std::string_view text) const {
    return std::string_view(position_, static_cast<std::size_t>(source_.end() - position_))
        .starts_with(text);
  }

  void skip_past(std::string_view text) {
    const std::string_view rest(position_, static_cast<std::size_t>(source_.end() - position_));
    const std::size_t found = rest.find(text);
    if (found == std::string_view::npos) fail_end(position_);
    position_ += found + text.size();
  }

  char peek() const {
    if (position_ == source_.end()) fail_end(tag_start_);
    return *position_;
  }

  void skip_spaces() {
    while (is_space(peek())) ++position_;
  }

  std::string parse_name() {
    const char* first = position_;
    while (!is_space(peek()) && *position_ != '=' && *position_ != '>' && *position_ != '/' &&
           *position_ != '<')
      ++position_;
    if (position_ == first) source_.fail_at_line(position_, "this is no XML");
    return {first, position_};
  }

  Tag parse_tag() {
    Tag tag;
    tag_start_ = tag.where = position_++;
    if (peek() == '/') {
      tag.closes = true;
      ++position_;
    }
    tag.name = parse_name();
    for (skip_spaces(); peek() != '>'; skip_spaces()) {
      if (*position_ == '/') {
        tag.empty = true;
        ++position_;
        continue;
      }
      const std::string key = parse_name();
      skip_spaces();
      if (peek() != '=') source_.fail_at_line(position_, "an attribute without a value");
      ++position_;
      skip_spaces();
      const char quote = peek();
      if (quote != '"' && quote != '\'')
        source_.fail_at_line(position_, "an attribute without quotes");
      const char* first = ++position_;
      position_ = find(position_, quote);
      peek();
      tag.attributes[key] = unescaped({first, static_cast<std::size_t>(position_ - first)});
      ++position_;
    }
    tag.after = ++position_;
    return tag;
  }

  const Source& source_;
  const char* position_;
  const char* tag_start_ = nullptr;
};

class GridReader {
 public:
  explicit GridReader(const Source& source) : source_(source), parser_(source), file_{source} {}

  std::vector<VtkGrid> read() {
    if (source_.bytes.empty()) source_.fail("the file is empty");
    if (!starts_like_xml()) source_.fail("not a VTU file: it does not start with <");
    while (const auto tag = parser_.next()) {
      if (tag->closes) {
        if (open_.empty() || open_.back() != tag->name)
          source_.fail_at_line(tag->where, fmt::format("</{}> closes nothing", tag->name));
        open_.pop_back();
        look_for_text_behind(*tag);
        continue;
      }
      if (open_.empty() && tag->name != "VTKFile")
        source_.fail_at_line(tag->where, "not a VTU file: it does not start with <VTKFile>");
      if (tag->name == "AppendedData") {
        read_appended(*tag);
        break;  // what follows may be anything
      }
      read_tag(*tag);
      if (!tag->empty) open_.push_back(tag->name);
    }
    if (!has_file_) source_.fail("not a VTU file: it has no <VTKFile>");
    if (pieces_.empty()) source_.fail("the file has no <Piece>");
    if (!open_.empty() && file_.appended.data() == nullptr)
      source_.fail(fmt::format("the file ends within <{}>", open_.back()));
    for (VtkGrid& piece : pieces_) {
      piece.swap = file_.swap;
      piece.header_bytes = file_.header_bytes;
      piece.compressed = file_.compressed;
      piece.is_base64 = file_.is_base64;
      piece.appended = file_.appended;
    }
    return std::move(pieces_);
  }

 private:
  bool starts_like_xml() const {
    const auto* first = std::find_if_not(source_.begin(), source_.end(), is_space);
    return first != source_.end() && *first == '<';
  }

  void read_tag(const Tag& tag) {
    if (tag.name == "VTKFile") {
      read_file(tag);
    } else if (tag.name == "Piece") {
      pieces_.push_back({source_});
      pieces_.back().points = count(tag, "NumberOfPoints");
      pieces_.back().cells = count(tag, "NumberOfCells");
    } else if (tag.name == "DataArray" && !open_.empty() && !pieces_.empty()) {
      pieces_.back().arrays.push_back({tag.where,
                                       open_.back(),
                                       tag.value("Name"),
                                       tag.value("type"),
                                       tag.value("format", "ascii"),
                                       tag.value("NumberOfComponents", "1"),
                                       tag.value("offset"),
                                       {}});
      if (!tag.empty) pieces_.back().arrays.back().text = parser_.text_before_tag(tag);
    }
  }

  /// Notes of VTK about an array may stand in front of its numbers.
  void look_for_text_behind(const Tag& tag) {
    if (open_.empty() || open_.back() != "DataArray") return;
    if (pieces_.empty() || pieces_.back().arrays.empty()) return;
    std::string_view& text = pieces_.back().arrays.back().text;
    if (std::all_of(text.begin(), text.end(), is_space)) text = parser_.text_before_tag(tag);
  }

  void read_file(const Tag& tag) {
    if (has_file_) source_.fail_at_line(tag.where, "a second <VTKFile>");
    has_file_ = true;
    if (tag.value("type") == "PUnstructuredGrid")
      source_.fail_at_line(tag.where,
                           "the file only names its pieces; give these, which end in .vtu");
    if (tag.value("type") != "UnstructuredGrid")
      source_.fail_at_line(tag.where, fmt::format("the file is a {}, not an UnstructuredGrid",
                                                  tag.value("type", "VTKFile without a type")));
    file_.compressed = tag.attributes.contains("compressor");
    if (file_.compressed && tag.value("compressor") != "vtkZLibDataCompressor")
      source_.fail_at_line(tag.where,
                           fmt::format("the file is compressed by {}, which is not read; store it "
                                       "with zlib or without compression",
                                       tag.value("compressor")));
    file_.swap = tag.value("byte_order") == "BigEndian";
    file_.header_bytes = tag.value("header_type") == "UInt64" ? 8 : 4;
  }

  void read_appended(const Tag& tag) {
    if (tag.empty) return;
    file_.is_base64 = tag.value("encoding") == "base64";
    if (!file_.is_base64 && tag.value("encoding") != "raw")
      source_.fail_at_line(tag.where,
                           fmt::format("appended data of encoding \"{}\"", tag.value("encoding")));
    const char* at = tag.after;
    while (at < source_.end() && is_space(*at)) ++at;
    if (at == source_.end() || *at != '_')
      source_.fail_at_line(tag.where, "appended data must start with an underscore");
    file_.appended = {at + 1, static_cast<std::size_t>(source_.end() - at - 1)};
  }

  std::uint64_t count(const Tag& tag, const char* key) const {
    const std::string value = tag.value(key);
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || stop != value.data() + value.size())
      source_.fail_at_line(tag.where, fmt::format("<Piece> needs a number {}", key));
    return number;
  }

  const Source& source_;
  Parser parser_;
  VtkGrid file_;  ///< what all pieces have in common
  std::vector<VtkGrid> pieces_;
  std::vector<std::string> open_;
  bool has_file_ = false;
};

}  // namespace

const VtkTag* VtkGrid::find(std::string_view parent, std::string_view name) const {
  for (const VtkTag& tag : arrays)
    if (tag.parent == parent && tag.name == name) return &tag;
  return nullptr;
}

void VtkGrid::fail(const VtkTag& tag, std::string_view message) const {
  source.fail_at_line(tag.where, fmt::format("array \"{}\" {}", tag.name, message));
}

std::vector<VtkGrid> read_vtk_grids(const Source& source) {
  return GridReader(source).read();
}

}  // namespace tessera::io::detail
