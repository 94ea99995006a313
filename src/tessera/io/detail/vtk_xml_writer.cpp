// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/vtk_xml_writer.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "tessera/io/detail/binary_writer.h"

namespace tessera::io::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "the header says LittleEndian");

/// The well-known attributes that VTK has a role for.
std::string roles(const Attributes& attributes) {
  constexpr std::pair<const char*, const char*> known[] = {
      {"normal", "Normals"}, {"color", "Scalars"}, {"texcoord", "TCoords"}};
  std::string out;
  for (const auto& [name, role] : known)
    if (find(attributes, name) != nullptr) out += fmt::format(" {}=\"{}\"", role, name);
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\t' || c == '\n' || c == '\r')
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += static_cast<unsigned char>(c) < ' ' ? '?' : c;  // XML has no other control characters
  }
  return out;
}

void VtkXmlWriter::begin(std::string_view type, const std::string& piece) {
  xml_ += fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<{0}>\n<Piece {1}>\n",
      type, piece);
}

void VtkXmlWriter::add_array(NewArray array) {
  xml_ += fmt::format("<DataArray type=\"{}\" Name=\"{}\" ", array.type, escaped(array.name));
  // As VTK itself writes it; there are readers that stumble over a 1 in the arrays of cells.
  if (array.components > 1) xml_ += fmt::format("NumberOfComponents=\"{}\" ", array.components);
  if (encoding_ == Encoding::text)
    xml_ += "format=\"ascii\">\n";
  else
    xml_ += fmt::format("format=\"appended\" offset=\"{}\"/>\n", offset_);
  blocks_.push_back({std::exchange(xml_, {}), array.components, array.elements, array.size,
                     std::move(array.fill), array.print});
  offset_ += sizeof(std::uint64_t) + blocks_.back().bytes();
  if (encoding_ == Encoding::text) xml_ += "</DataArray>\n";
}

void VtkXmlWriter::add_attributes(std::string_view element, const Attributes& attributes) {
  xml_ += fmt::format("<{}{}>\n", element, roles(attributes));
  for (const Attribute& attribute : attributes)
    std::visit([&](const auto& values) { add(attribute.name, attribute.components, values); },
               attribute.values);
  xml_ += fmt::format("</{}>\n", element);
}

void VtkXmlWriter::add_positions(const Array<Vec3d>& positions, Precision precision) {
  xml_ += "<Points>\n";
  const auto add_as = [&]<class T>(T) {
    const double* numbers = positions.empty() ? nullptr : positions[0].v;
    add<T>("Points", 3, positions.size(),
           [numbers](std::uint64_t first, std::uint64_t last, T* out) {
             for (std::uint64_t i = first; i < last; ++i) *out++ = static_cast<T>(numbers[i]);
           });
  };
  if (precision == Precision::float32)
    add_as(float{});
  else
    add_as(double{});
  xml_ += "</Points>\n";
}

void VtkXmlWriter::append_as_text(const Block& block, Progress& progress) {
  const auto components = static_cast<std::size_t>(block.components);
  append_text(file_, block.elements, progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                const std::size_t count = (last - first) * components;
                Array<char> numbers(count * block.size);
                block.fill(first * components, last * components, numbers.data());
                block.print(numbers.data(), count, block.components, text);
              });
}

void VtkXmlWriter::finish(std::string_view type, const ProgressCallback& callback) {
  xml_ += fmt::format("</Piece>\n</{}>\n", type);
  if (encoding_ == Encoding::text) {
    std::uint64_t elements = 0;
    for (const Block& block : blocks_) elements += block.elements;
    Progress progress(callback, "writing", elements);
    for (const Block& block : blocks_) {
      file_.append(block.xml);
      append_as_text(block, progress);
    }
    file_.append(xml_ + "</VTKFile>\n");
    return;
  }
  std::string header;
  for (const Block& block : blocks_) header += block.xml;
  file_.append(header + xml_ + "<AppendedData encoding=\"raw\">\n_");
  Progress progress(callback, "writing", offset_);
  for (const Block& block : blocks_) {
    const std::uint64_t bytes = block.bytes();
    file_.append({reinterpret_cast<const char*>(&bytes), sizeof bytes});
    append_binary(file_, bytes / block.size, block.size, progress, block.fill);
  }
  file_.append(std::string_view("\n</AppendedData>\n</VTKFile>\n"));
}

}  // namespace tessera::io::detail
