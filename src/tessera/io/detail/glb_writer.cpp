// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// glTF 2.0 in one binary file: a JSON chunk that describes a chunk of plain arrays.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tessera/core/box.h"
#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/binary_writer.h"
#include "tessera/io/detail/lost_attributes.h"
#include "tessera/io/detail/writers.h"

namespace tessera::io::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "GLB is little-endian");

using nlohmann::json;

// Constants of the glTF specification.
constexpr std::uint32_t magic = 0x46546c67;  // "glTF"
constexpr std::uint32_t json_chunk = 0x4e4f534a;
constexpr std::uint32_t binary_chunk = 0x004e4942;
constexpr int vertex_data = 34962;
constexpr int index_data = 34963;
constexpr int points_mode = 0;

template <class T>
constexpr int component_type = std::is_same_v<T, std::uint8_t> ? 5121
                               : std::is_same_v<T, Index>      ? 5125
                                                               : 5126;

Box bounding_box(const Array<Vec3d>& positions) {
  return parallel_reduce(
      positions.size(), 16384, Box{},
      [&](std::size_t begin, std::size_t end, Box box) {
        for (std::size_t v = begin; v < end; ++v) box.add(positions[v]);
        return box;
      },
      UniteBoxes{});
}

/// Where positions are counted from. A box far from the origin, measured by its own size, is moved
/// there: single precision would lose digits, and viewers compute in nothing better.
Vec3d local_origin(const Box& box) {
  const Vec3d centre = box.middle();
  const Vec3d extent = box.max - box.min;
  const double size = std::max({extent[0], extent[1], extent[2]});
  const double distance = std::max({std::abs(centre[0]), std::abs(centre[1]), std::abs(centre[2])});
  return distance > size ? centre : Vec3d{};
}

class Writer {
 public:
  explicit Writer(const Target& target) : target_(target), mesh_(target.mesh) {}

  void write() {
    document_ = {{"asset", {{"version", "2.0"}, {"generator", "Tessera"}}},
                 {"scene", 0},
                 {"scenes", {{{"nodes", {0}}}}},
                 {"nodes", {json::object()}}};
    // glTF has no empty arrays: a mesh of nothing is a node of nothing.
    if (!mesh_.positions.empty()) add_mesh();
    note_lost(target_, "GLB", stored_);
    store();
  }

 private:
  using Append = std::function<void(Progress&)>;

  void add_mesh() {
    json primitive = json::object();
    if (mesh_.triangles.empty())
      primitive["mode"] = points_mode;
    else
      primitive["indices"] = add<
          Index>("SCALAR", index_data, 3 * mesh_.triangles.size(), [this](Progress& progress) {
        const auto* data = reinterpret_cast<const char*>(mesh_.triangles.data());
        append_binary(target_.file, {data, mesh_.triangles.size() * sizeof(Triangle)}, progress);
      });
    json& attributes = primitive["attributes"];
    attributes["POSITION"] = add_positions();
    add_normals(attributes);
    add_colors(attributes);
    add_texcoords(attributes);
    document_["meshes"] = {{{"primitives", {primitive}}}};
    document_["nodes"][0]["mesh"] = 0;
  }

  /// Announces an array, whose bytes `append` will store, and returns its number.
  template <class T>
  std::size_t add(const char* type, int use, std::uint64_t elements, Append append) {
    const std::string_view name = type;
    const std::uint64_t components =
        name == "SCALAR" ? 1 : static_cast<std::uint64_t>(name[3] - '0');
    const std::uint64_t bytes = elements * components * sizeof(T);
    const std::size_t number = appends_.size();
    document_["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", binary_bytes_}, {"byteLength", bytes}, {"target", use}});
    document_["accessors"].push_back({{"bufferView", number},
                                      {"componentType", component_type<T>},
                                      {"count", elements},
                                      {"type", type}});
    binary_bytes_ += bytes;
    appends_.push_back(std::move(append));
    return number;
  }

  /// As before, for N numbers a vertex; `element(v)` is a Vec<T, N>.
  template <class T, int N, class Element>
  std::size_t add_vertices(Element element) {
    constexpr const char* types[] = {"", "", "VEC2", "VEC3", "VEC4"};
    return add<T>(types[N], vertex_data, mesh_.positions.size(), [=, this](Progress& progress) {
      append_binary(target_.file, mesh_.positions.size(), sizeof(Vec<T, N>), progress,
                    [&](std::uint64_t first, std::uint64_t last, char* out) {
                      auto* elements = reinterpret_cast<Vec<T, N>*>(out);
                      for (std::uint64_t v = first; v < last; ++v) elements[v - first] = element(v);
                    });
    });
  }

  std::size_t add_positions() {
    const Box box = bounding_box(mesh_.positions);
    const Vec3d origin = local_origin(box);
    if (origin != Vec3d{}) document_["nodes"][0]["translation"] = {origin[0], origin[1], origin[2]};
    const std::size_t number = add_vertices<float, 3>(
        [this, origin](std::uint64_t v) { return cast<float>(mesh_.positions[v] - origin); });
    // The subtraction and the rounding keep the order, so these are the extremes of what is stored.
    for (const auto& [key, corner] : {std::pair{"min", box.min}, std::pair{"max", box.max}}) {
      const Vec3f stored = cast<float>(corner - origin);
      for (int i = 0; i < 3; ++i) {
        if (!std::isfinite(stored[i]))
          throw InputError("coordinates are too large for the single precision of GLB files");
        document_["accessors"][number][key].push_back(stored[i]);
      }
    }
    return number;
  }

  /// The attribute of that name, if it has that many components.
  const Attribute* take(std::string_view name, int least, int most) {
    const Attribute* found = find(mesh_.vertex_attributes, name);
    if (found == nullptr || found->components < least || found->components > most) return nullptr;
    return found;
  }

  /// Calls f(values) if the attribute holds float or double, the types that become glTF's float.
  template <class F>
  bool with_floats(const Attribute& attribute, F f) {
    return std::visit(
        [&]<class T>(const Array<T>& values) {
          if constexpr (std::is_floating_point_v<T>) f(values);
          return std::is_floating_point_v<T>;
        },
        attribute.values);
  }

  void add_normals(json& attributes) {
    const Attribute* normals = take("normal", 3, 3);
    if (normals == nullptr) return;
    const bool stored = with_floats(*normals, [&](const auto& values) {
      attributes["NORMAL"] = add_vertices<float, 3>([&values](std::uint64_t v) {
        const Vec3d n = {values[3 * v], values[3 * v + 1], values[3 * v + 2]};
        const double size = length(n);  // glTF asks for unit length
        return cast<float>(size > 0 ? n * (1 / size) : n);
      });
    });
    if (stored) stored_.push_back(normals);
  }

  void add_colors(json& attributes) {
    const Attribute* colors = take("color", 3, 4);
    if (colors == nullptr) return;
    const auto n = static_cast<std::uint64_t>(colors->components);
    bool stored = with_floats(*colors, [&](const auto& values) {
      if (n == 3)
        attributes["COLOR_0"] = add_vertices<float, 3>([&values](std::uint64_t v) {
          return cast<float>(Vec3d{values[3 * v], values[3 * v + 1], values[3 * v + 2]});
        });
      else
        attributes["COLOR_0"] = add_vertices<float, 4>([&values](std::uint64_t v) {
          return cast<float>(Vec<double, 4>{values[4 * v], values[4 * v + 1], values[4 * v + 2],
                                            values[4 * v + 3]});
        });
    });
    if (const auto* bytes = std::get_if<Array<std::uint8_t>>(&colors->values)) {
      // Vertex data is aligned to four bytes, so colours of three get an opaque alpha.
      const std::size_t number = add_vertices<std::uint8_t, 4>([bytes, n](std::uint64_t v) {
        const std::uint8_t* c = bytes->data() + n * v;
        return Vec<std::uint8_t, 4>{c[0], c[1], c[2], n == 4 ? c[3] : std::uint8_t{255}};
      });
      document_["accessors"][number]["normalized"] = true;
      attributes["COLOR_0"] = number;
      stored = true;
    }
    if (stored) stored_.push_back(colors);
  }

  void add_texcoords(json& attributes) {
    const Attribute* texcoords = take("texcoord", 2, 2);
    if (texcoords == nullptr) return;
    const bool stored = with_floats(*texcoords, [&](const auto& values) {
      // glTF counts v downwards from the top of the image, everyone else upwards.
      attributes["TEXCOORD_0"] = add_vertices<float, 2>([&values](std::uint64_t v) {
        return Vec2f{static_cast<float>(values[2 * v]), static_cast<float>(1 - values[2 * v + 1])};
      });
    });
    if (stored) stored_.push_back(texcoords);
  }

  void store() {
    if (binary_bytes_ > 0) document_["buffers"] = {{{"byteLength", binary_bytes_}}};
    std::string text = document_.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const std::uint64_t headers = 12 + 8 + (binary_bytes_ > 0 ? 8 : 0);
    const std::uint64_t total = headers + text.size() + binary_bytes_;
    if (total > std::numeric_limits<std::uint32_t>::max())
      throw InputError(
          fmt::format("the mesh needs {} bytes as GLB, whose files end at 4 GiB; VTU "
                      "and PLY files do not",
                      total));
    put(magic);
    put(2);
    put(static_cast<std::uint32_t>(total));
    put(static_cast<std::uint32_t>(text.size()));
    put(json_chunk);
    target_.file.append(text);
    if (binary_bytes_ == 0) return;
    put(static_cast<std::uint32_t>(binary_bytes_));
    put(binary_chunk);
    Progress progress(target_.progress, "writing", binary_bytes_);
    for (const Append& append : appends_) append(progress);
  }

  void put(std::uint32_t number) {
    target_.file.append({reinterpret_cast<const char*>(&number), sizeof number});
  }

  const Target& target_;
  const TriangleSoup& mesh_;
  json document_;
  std::vector<Append> appends_;
  std::uint64_t binary_bytes_ = 0;
  std::vector<const Attribute*> stored_;
};

}  // namespace

void write_glb(const Target& target) {
  Writer(target).write();
}

}  // namespace tessera::io::detail
