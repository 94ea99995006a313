// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/ply_header.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include <fmt/format.h>

#include "tessera/io/detail/text.h"

namespace tessera::io::detail {
namespace {

struct TypeName {
  std::string_view name;
  PlyType type;
};
/// The old names first, in the order of the types.
constexpr std::array<TypeName, 16> type_names{{
    {"char", PlyType::int8},
    {"uchar", PlyType::uint8},
    {"short", PlyType::int16},
    {"ushort", PlyType::uint16},
    {"int", PlyType::int32},
    {"uint", PlyType::uint32},
    {"float", PlyType::float32},
    {"double", PlyType::float64},
    {"int8", PlyType::int8},
    {"uint8", PlyType::uint8},
    {"int16", PlyType::int16},
    {"uint16", PlyType::uint16},
    {"int32", PlyType::int32},
    {"uint32", PlyType::uint32},
    {"float32", PlyType::float32},
    {"float64", PlyType::float64},
}};

class HeaderReader {
 public:
  explicit HeaderReader(const Source& source) : source_(source), position_(source.begin()) {}

  PlyHeader read() {
    if (next_word_of_next_line() != "ply")
      source_.fail("this is not a PLY file: it does not start with \"ply\"");
    bool format_known = false;
    for (;;) {
      if (position_ == source_.end()) source_.fail("the header has no end_header");
      const std::string_view keyword = next_word_of_next_line();
      if (keyword == "end_header") break;
      if (keyword.empty() || keyword == "comment" || keyword == "obj_info") continue;
      if (keyword == "format") {
        read_format();
        format_known = true;
      } else if (keyword == "element") {
        read_element();
      } else if (keyword == "property") {
        read_property();
      } else {
        fail(fmt::format("\"{}\" has no meaning in a PLY header", keyword.substr(0, 32)));
      }
      if (!line_.at_end()) fail("there is more on this line than expected");
    }
    if (!format_known) source_.fail("the header does not say the format");
    header_.size = static_cast<std::size_t>(position_ - source_.begin());
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    source_.fail_at_line(line_start_, message);
  }

  std::string_view next_word_of_next_line() {
    line_start_ = position_;
    line_ = {position_, line_end(position_, source_.end())};
    position_ = std::min(source_.end(), line_.end + 1);
    return line_.token();
  }

  void read_format() {
    const std::string_view format = line_.token();
    if (format == "ascii")
      header_.encoding = Encoding::text;
    else if (format == "binary_little_endian")
      header_.encoding = Encoding::binary;
    else if (format == "binary_big_endian")
      header_.encoding = Encoding::binary_big_endian;
    else
      fail("the format must be ascii, binary_little_endian or binary_big_endian");
    if (line_.token() != "1.0") fail("only version 1.0 of PLY is known");
  }

  void read_element() {
    PlyElement element;
    element.name = line_.token();
    if (element.name.empty()) fail("the element has no name");
    if (header_.find(element.name) != nullptr)
      fail(fmt::format("element \"{}\" is declared twice", element.name));
    constexpr std::size_t most_elements = 1000;  // real files have two or three
    if (header_.elements.size() == most_elements) fail("the header declares too many elements");
    if (!line_.read(element.count) || !line_.at_boundary())
      fail("the number of elements must be a whole number of at least 0");
    header_.elements.push_back(std::move(element));
    property_names_.clear();
  }

  PlyType read_type() {
    const std::string_view word = line_.token();
    const auto* found = std::find_if(type_names.begin(), type_names.end(),
                                     [&](const TypeName& t) { return t.name == word; });
    if (found == type_names.end())
      fail(fmt::format("\"{}\" is not a type of PLY", word.substr(0, 32)));
    return found->type;
  }

  void read_property() {
    if (header_.elements.empty()) fail("a property stands before the first element");
    PlyProperty property;
    Scanner ahead = line_;
    if (ahead.token() == "list") {
      line_ = ahead;
      property.count_type = read_type();
      if (!is_integer(*property.count_type)) fail("the length of a list must be an integer");
    }
    property.type = read_type();
    property.name = line_.token();
    if (property.name.empty()) fail("the property has no name");
    if (!property_names_.insert(property.name).second)
      fail(fmt::format("property \"{}\" is declared twice", property.name));
    header_.elements.back().properties.push_back(std::move(property));
  }

  const Source& source_;
  const char* position_;
  const char* line_start_ = nullptr;
  Scanner line_{nullptr, nullptr};
  PlyHeader header_;
  std::unordered_set<std::string> property_names_;
};

}  // namespace

std::string_view name_of(PlyType type) {
  return type_names[static_cast<std::size_t>(type)].name;
}

const PlyProperty* PlyElement::find(std::string_view property) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const PlyProperty& p) { return p.name == property; });
  return found == properties.end() ? nullptr : &*found;
}

std::size_t PlyElement::least_size() const {
  std::size_t size = 0;
  for (const PlyProperty& p : properties) size += size_of(p.count_type.value_or(p.type));
  return size;
}

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& p) { return p.is_list(); });
}

const PlyElement* PlyHeader::find(std::string_view element) const {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [&](const PlyElement& e) { return e.name == element; });
  return found == elements.end() ? nullptr : &*found;
}

PlyHeader read_ply_header(const Source& source) {
  if (source.bytes.empty()) source.fail("the file is empty");
  return HeaderReader(source).read();
}

}  // namespace tessera::io::detail
