// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/io/detail/binary_writer.h"
#include "tessera/io/detail/ply_columns.h"
#include "tessera/io/detail/text_writer.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

constexpr std::size_t corner_list_size = 1 + sizeof(Triangle);  // its length is one byte

PlyType type_of(const Attribute& attribute) {
  return static_cast<PlyType>(attribute.values.index());
}

std::size_t size_of(const Attribute& attribute) {
  return static_cast<std::size_t>(attribute.components) * size_of(type_of(attribute));
}

std::size_t size_of(const Attributes& attributes) {
  std::size_t size = 0;
  for (const Attribute& a : attributes) size += size_of(a);
  return size;
}

/// The lines of the header that declare attributes. `names` are those in use already.
std::string declare(const Attributes& attributes, std::unordered_set<std::string> names) {
  std::string lines;
  for (const Attribute& a : attributes) {
    for (const std::string& name : property_names(a)) {
      const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isgraph(static_cast<unsigned char>(c)) != 0;
      });
      if (!plain)
        throw InputError(
            fmt::format("attribute \"{}\" has a name that a PLY header cannot hold: "
                        "it is empty or has blanks or special characters",
                        a.name));
      if (!names.insert(name).second)
        throw InputError(
            fmt::format("attribute \"{}\" cannot be written: a PLY header can hold "
                        "the name \"{}\" only once",
                        a.name, name));
      lines += fmt::format("property {} {}\n", name_of(type_of(a)), name);
    }
  }
  return lines;
}

std::string header(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  const char* format = target.encoding == Encoding::text                ? "ascii"
                       : target.encoding == Encoding::binary_big_endian ? "binary_big_endian"
                                                                        : "binary_little_endian";
  const PlyType coordinate =
      target.precision == Precision::float32 ? PlyType::float32 : PlyType::float64;
  std::string text =
      fmt::format("ply\nformat {} 1.0\nelement vertex {}\n", format, mesh.positions.size());
  for (const char* axis : {"x", "y", "z"})
    text += fmt::format("property {} {}\n", name_of(coordinate), axis);
  text += declare(mesh.vertex_attributes, {"x", "y", "z"});
  // "int" is what most programs expect; larger meshes need the other.
  const bool many = mesh.positions.size() > std::numeric_limits<std::int32_t>::max();
  text += fmt::format("element face {}\nproperty list uchar {} vertex_indices\n",
                      mesh.triangles.size(), many ? "uint" : "int");
  text += declare(mesh.face_attributes, {"vertex_indices", "vertex_index"});
  return text + "end_header\n";
}

/// Copies numbers, with the bytes of each in the order of the file.
template <std::size_t size>
void copy_numbers(const char* from, char* to, std::size_t count, bool swap) {
  if (!swap) {
    std::memcpy(to, from, count * size);
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    std::reverse_copy(from + i * size, from + (i + 1) * size, to + i * size);
}

/// Stores elements first .. last - 1 of all attributes, `to` being the place in the first record.
void put_attributes(const Attributes& attributes, std::uint64_t first, std::uint64_t last, char* to,
                    std::size_t stride, bool swap) {
  for (const Attribute& a : attributes) {
    const auto components = static_cast<std::size_t>(a.components);
    std::visit(
        [&]<class T>(const Array<T>& values) {
          char* at = to;
          for (std::uint64_t i = first; i < last; ++i, at += stride)
            copy_numbers<sizeof(T)>(reinterpret_cast<const char*>(values.data() + i * components),
                                    at, components, swap);
        },
        a.values);
    to += size_of(a);
  }
}

template <class Coordinate>
void write_binary(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  const bool swap = (target.encoding == Encoding::binary_big_endian) ==
                    (std::endian::native == std::endian::little);
  constexpr std::size_t position_size = 3 * sizeof(Coordinate);
  const std::size_t vertex_size = position_size + size_of(mesh.vertex_attributes);
  const std::size_t face_size = corner_list_size + size_of(mesh.face_attributes);
  Progress progress(target.progress, "writing",
                    vertex_size * mesh.positions.size() + face_size * mesh.triangles.size());
  append_binary(
      target.file, mesh.positions.size(), vertex_size, progress,
      [&](std::uint64_t first, std::uint64_t last, char* out) {
        put_attributes(mesh.vertex_attributes, first, last, out + position_size, vertex_size, swap);
        for (std::uint64_t i = first; i < last; ++i, out += vertex_size) {
          const Vec<Coordinate, 3> p = cast<Coordinate>(mesh.positions[i]);
          copy_numbers<sizeof(Coordinate)>(reinterpret_cast<const char*>(&p), out, 3, swap);
        }
      });
  append_binary(target.file, mesh.triangles.size(), face_size, progress,
                [&](std::uint64_t first, std::uint64_t last, char* out) {
                  put_attributes(mesh.face_attributes, first, last, out + corner_list_size,
                                 face_size, swap);
                  for (std::uint64_t f = first; f < last; ++f, out += face_size) {
                    *out = 3;
                    copy_numbers<sizeof(Index)>(reinterpret_cast<const char*>(&mesh.triangles[f]),
                                                out + 1, 3, swap);
                  }
                });
}

void put_attributes(const Attributes& attributes, std::uint64_t element, TextBuffer& text) {
  for (const Attribute& a : attributes) {
    const auto components = static_cast<std::size_t>(a.components);
    std::visit(
        [&](const auto& values) {
          for (std::size_t k = 0; k < components; ++k) {
            text.put(' ');
            text.put(values[element * components + k]);
          }
        },
        a.values);
  }
}

void write_text(const Target& target) {
  const TriangleSoup& mesh = target.mesh;
  Progress progress(target.progress, "writing", mesh.positions.size() + mesh.triangles.size());
  append_text(target.file, mesh.positions.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t i = first; i < last; ++i) {
                  text.put(mesh.positions[i], target.precision);
                  put_attributes(mesh.vertex_attributes, i, text);
                  text.put('\n');
                }
              });
  append_text(target.file, mesh.triangles.size(), progress,
              [&](std::size_t first, std::size_t last, TextBuffer& text) {
                for (std::size_t f = first; f < last; ++f) {
                  text.put('3');
                  for (const Index corner : mesh.triangles[f].v) {
                    text.put(' ');
                    text.put(corner);
                  }
                  put_attributes(mesh.face_attributes, f, text);
                  text.put('\n');
                }
              });
}

}  // namespace

void write_ply(const Target& target) {
  target.file.append(header(target));
  if (target.encoding == Encoding::text)
    write_text(target);
  else if (target.precision == Precision::float32)
    write_binary<float>(target);
  else
    write_binary<double>(target);
}

}  // namespace tessera::io::detail
