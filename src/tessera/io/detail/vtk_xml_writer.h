// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tessera/core/attribute.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/format.h"

namespace tessera::io::detail {

/// VTK's name of a number type: "Float32".
template <class T>
constexpr const char* vtk_type() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "Float32" : "Float64";
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1 ? "Int8" : sizeof(T) == 2 ? "Int16" : sizeof(T) == 4 ? "Int32" : "Int64";
  else
    return sizeof(T) == 1 ? "UInt8" : sizeof(T) == 2 ? "UInt16" : "UInt32";
}

/// One of VTK's XML files, from top to bottom: XML and arrays, which are written by finish(). Their
/// numbers go to raw appended data, or as text into the XML.
class VtkXmlWriter {
 public:
  VtkXmlWriter(OutputFile& file, Encoding encoding) : file_(file), encoding_(encoding) {}

  /// The start of a file of that type ("PolyData") with one piece; `piece` are its attributes.
  void begin(std::string_view type, const std::string& piece);
  void put(std::string_view xml) { xml_ += xml; }

  /// An array of `elements` times `components` numbers. `fill(first, last, out)` stores numbers
  /// first .. last - 1; it is called from many threads, and what it refers to must outlive
  /// finish().
  template <class T, class Fill>
  void add(std::string_view name, int components, std::uint64_t elements, Fill fill) {
    add_array({.type = vtk_type<T>(),
               .name = name,
               .components = components,
               .elements = elements,
               .size = sizeof(T),
               .fill = [fill](std::uint64_t first, std::uint64_t last,
                              char* out) { fill(first, last, reinterpret_cast<T*>(out)); },
               .print = &print_numbers<T>});
  }

  template <class T>
  void add(std::string_view name, int components, const Array<T>& values) {
    const T* numbers = values.data();
    add<T>(name, components, values.size() / static_cast<std::size_t>(components),
           [numbers](std::uint64_t first, std::uint64_t last, T* out) {
             std::copy(numbers + first, numbers + last, out);
           });
  }

  /// All attributes, in an element of that name ("PointData"), with VTK's roles for known ones.
  void add_attributes(std::string_view element, const Attributes& attributes);
  void add_positions(const Array<Vec3d>& positions, Precision precision);

  /// Writes the file to its end.
  void finish(std::string_view type, const ProgressCallback& callback);

 private:
  using Fill = std::function<void(std::uint64_t, std::uint64_t, char*)>;
  using Print = void (*)(const char* numbers, std::size_t count, int components, TextBuffer& text);

  struct NewArray {
    const char* type;
    std::string_view name;
    int components;
    std::uint64_t elements;
    std::size_t size;
    Fill fill;
    Print print;
  };

  struct Block {
    std::string xml;  ///< in front of it
    int components;
    std::uint64_t elements;
    std::size_t size;  ///< of a number
    Fill fill;
    Print print;

    std::uint64_t bytes() const { return elements * static_cast<std::uint64_t>(components) * size; }
  };

  /// One element a line.
  template <class T>
  static void print_numbers(const char* numbers, std::size_t count, int components,
                            TextBuffer& text) {
    const T* values = reinterpret_cast<const T*>(numbers);
    for (std::size_t i = 0; i < count; ++i) {
      text.put(values[i]);
      text.put((i + 1) % static_cast<std::size_t>(components) == 0 ? '\n' : ' ');
    }
  }

  void add_array(NewArray array);
  void append_as_text(const Block& block, Progress& progress);

  OutputFile& file_;
  Encoding encoding_;
  std::string xml_;  ///< behind the last block
  std::vector<Block> blocks_;
  std::uint64_t offset_ = 0;  ///< of the next block, counted from behind the underscore
};

/// Text as XML has it between quotes.
std::string escaped(std::string_view text);

}  // namespace tessera::io::detail
