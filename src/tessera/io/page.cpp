// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/page.h"

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tessera/io/detail/output_file.h"
#include "tessera/io/detail/scene_blocks.h"

namespace tessera::io {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view place = "<!--TESSERA-SCENE-->";

std::string hex(const std::vector<Rgb>& colors) {
  std::string text;
  for (const Rgb& c : colors) text += fmt::format("{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
  return text;
}

ordered_json as_json(const Vec3d& p) {
  return {p[0], p[1], p[2]};
}

template <class T>
std::span<const std::uint32_t> words_of(const Array<T>& array) {
  static_assert(sizeof(T) % 4 == 0);
  return {reinterpret_cast<const std::uint32_t*>(array.data()), array.size() * sizeof(T) / 4};
}

class Encoder {
 public:
  Encoder(const Scene& scene, const ProgressCallback& callback)
      : scene_(scene), progress_(callback, "compressing", arrays(scene)) {}

  EncodedScene run(const std::string& blocks_url) {
    ordered_json json;
    json["version"] = 1;
    json["title"] = scene_.title;
    json["blocks_url"] = blocks_url.empty() ? ordered_json(nullptr) : ordered_json(blocks_url);
    json["colormaps"] = ordered_json::object();
    for (const auto& [name, colors] : scene_.color_maps) json["colormaps"][name] = hex(colors);
    json["palette"] = ordered_json::array();
    for (const Rgb& color : scene_.palette) json["palette"].push_back(hex({color}));
    ordered_json& settings = json["settings"];
    settings["color"] = scene_.color.empty() ? ordered_json(nullptr) : ordered_json(scene_.color);
    settings["range"] = nullptr;
    if (scene_.range) settings["range"] = {scene_.range->min, scene_.range->max};
    settings["colormap"] = scene_.color_map;
    settings["shading"] = scene_.smooth ? "smooth" : "flat";
    settings["edges"] = scene_.edges;
    settings["theme"] = "auto";
    json["layers"] = ordered_json::array();
    for (const SceneLayer& layer : scene_.layers) json["layers"].push_back(encode(layer));
    // Names come from files: whatever is in them must not end the script element, nor begin a
    // comment in it. A '<' can only be in a string.
    const std::string text = json.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
    for (const char c : text)
      if (c == '<')
        result_.json += "\\u003c";
      else
        result_.json += c;
    return std::move(result_);
  }

 private:
  static std::uint64_t arrays(const Scene& scene) {
    std::uint64_t count = 0;
    for (const SceneLayer& layer : scene.layers) count += 3 + layer.fields.size();
    return count;
  }

  ordered_json add(Array<char> block, const char* encoding, std::size_t stride, std::size_t count) {
    result_.blocks.push_back(std::move(block));
    progress_.advance(1);
    return {{"block", result_.blocks.size() - 1},
            {"encoding", encoding},
            {"stride", stride},
            {"count", count}};
  }
  ordered_json add_words(std::span<const std::uint32_t> words, std::size_t stride) {
    return add(detail::encode_words(words, stride), "xor4", stride, words.size());
  }
  ordered_json add_varints(std::span<const std::uint32_t> numbers) {
    return add(detail::encode_varints(numbers), "varint", 1, numbers.size());
  }
  ordered_json add_bytes(std::span<const std::uint8_t> bytes) {
    return add(detail::encode_bytes(bytes), "bytes", 1, bytes.size());
  }

  ordered_json encode(const SceneLayer& layer) {
    ordered_json json;
    json["name"] = layer.name;
    json["vertices"] = layer.positions.size();
    json["faces"] = layer.triangles.size();
    json["simplified"] = nullptr;
    if (layer.simplified_from)
      json["simplified"] = {{"vertices", layer.simplified_from->vertices},
                            {"faces", layer.simplified_from->faces}};
    json["origin"] = as_json(layer.origin);
    json["bounds"] = {as_json(layer.bounds.min), as_json(layer.bounds.max)};
    json["positions"] = add_words(words_of(layer.positions), 3);
    json["triangles"] = add_varints(words_of(layer.triangles));
    json["sides"] = layer.sides.empty() ? ordered_json(nullptr) : add_bytes(layer.sides);
    json["fields"] = ordered_json::array();
    for (const Field& field : layer.fields) json["fields"].push_back(encode(field));
    json["info"] = ordered_json::array();
    for (const auto& [label, text] : layer.info) json["info"].push_back({label, text});
    json["histograms"] = ordered_json::object();
    for (const SceneHistogram& h : layer.histograms)
      json["histograms"][h.name] = {{"min", h.min}, {"max", h.max}, {"counts", h.counts}};
    return json;
  }

  ordered_json encode(const Field& field) {
    const FieldRange range = range_of(field);
    ordered_json json;
    json["name"] = field.name;
    json["on"] = field.on == FieldOn::vertices ? "vertex" : "face";
    json["type"] = field.is_numbers() ? "float32" : field.is_labels() ? "uint32" : "rgb8";
    json["categorical"] = field.is_labels();
    json["min"] = range.min;
    json["max"] = range.max;
    const FieldRange shown = shown_range(field);
    json["shown"] = {shown.min, shown.max};
    if (const auto* numbers = std::get_if<Array<float>>(&field.values))
      json["values"] = add_words(words_of(*numbers), 1);
    else if (const auto* labels = std::get_if<Array<std::uint32_t>>(&field.values))
      json["values"] = add_varints(*labels);
    else {
      const auto& colors = std::get<Array<Rgb>>(field.values);
      json["values"] =
          add_bytes({reinterpret_cast<const std::uint8_t*>(colors.data()), 3 * colors.size()});
    }
    return json;
  }

  const Scene& scene_;
  Progress progress_;
  EncodedScene result_;
};

std::string description(const EncodedScene& scene) {
  return "<script type=\"application/json\" id=\"tessera-scene\">" + scene.json + "</script>\n";
}

std::size_t find_place(std::string_view page) {
  const std::size_t at = page.find(place);
  if (at == std::string_view::npos)
    throw std::invalid_argument("the viewer page has no place for a scene");
  return at;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

EncodedScene encode_scene(const Scene& scene, const std::string& blocks_url,
                          const ProgressCallback& progress) {
  return Encoder(scene, progress).run(blocks_url);
}

std::string page_with_description(std::string_view page, const EncodedScene& scene) {
  const std::size_t at = find_place(page);
  std::string result(page.substr(0, at));
  result += description(scene);
  result += page.substr(at + place.size());
  return result;
}

void write_page(const std::filesystem::path& path, std::string_view page,
                const EncodedScene& scene) {
  const std::size_t at = find_place(page);
  detail::OutputFile file(path);
  file.append(page.substr(0, at));
  file.append(description(scene));
  for (std::size_t i = 0; i < scene.blocks.size(); ++i) {
    file.append(
        fmt::format("<script type=\"application/octet-stream\" id=\"tessera-block-{}\">", i));
    file.append(detail::base64(scene.blocks[i]));
    file.append(std::string_view("</script>\n"));
  }
  file.append(page.substr(at + place.size()));
  file.commit();
}

}  // namespace tessera::io
