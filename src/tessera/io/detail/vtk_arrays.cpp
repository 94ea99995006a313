// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// The numbers of VTK's arrays: text, base64 and raw bytes, compressed by zlib or not.
#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "tessera/core/find_first.h"
#include "tessera/core/parallel.h"
#include "tessera/io/detail/text.h"
#include "tessera/io/detail/vtk_xml_reader.h"

namespace tessera::io::detail {
namespace {

bool is_space(char c) {
  return is_blank(c) || c == '\n';
}

std::optional<VtkType> type_of(std::string_view name) {
  constexpr std::string_view names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (name == names[i]) return static_cast<VtkType>(i);
  return std::nullopt;
}

/// Pieces of text that end at white space: the numbers of an array may all be in one line.
std::vector<std::string_view> split_at_spaces(std::string_view text) {
  constexpr std::size_t target = std::size_t{256} << 10;
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t size = std::min(target, text.size());
    while (size < text.size() && !is_space(text[size])) ++size;
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

void skip_spaces(Scanner& text) {
  while (text.position < text.end && is_space(*text.position)) ++text.position;
}

std::uint64_t count_tokens(std::string_view text) {
  std::uint64_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = is_space(c);
    count += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return count;
}

template <class T>
bool read_number(Scanner& text, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    double number = 0;
    if (!text.read(number)) return false;
    value = static_cast<T>(number);
    return true;
  } else {
    return text.read(value);
  }
}

void parse_text(const Source& source, VtkArray& array) {
  const std::vector<std::string_view> pieces = split_at_spaces(array.tag->text);
  std::vector<std::uint64_t> firsts(pieces.size() + 1, 0);
  parallel_for(pieces.size(), [&](std::size_t i) { firsts[i + 1] = count_tokens(pieces[i]); });
  for (std::size_t i = 0; i < pieces.size(); ++i) firsts[i + 1] += firsts[i];
  array.count = firsts.back();
  FirstError error;
  with_vtk_type(array.type, [&]<class T>(T) {
    array.owned.resize(array.count * sizeof(T));
    parallel_for(pieces.size(), [&](std::size_t i) {
      Scanner text{pieces[i].data(), pieces[i].data() + pieces[i].size()};
      char* out = array.owned.data() + firsts[i] * sizeof(T);
      for (skip_spaces(text); text.position < text.end; skip_spaces(text)) {
        T value{};
        if (!read_number(text, value) || !text.at_boundary())
          return error.report(text.position,
                              fmt::format("expected a number of type {}", array.tag->type));
        std::memcpy(out, &value, sizeof(T));
        out += sizeof(T);
      }
    });
  });
  error.raise_at_line(source);
  array.data = array.owned.data();
}

int value_of_base64(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

/// Bytes of base64 text one group after the other. The length in front of an array may be coded by
/// itself or with the array: a group that ends with '=' does not end the data.
class Base64 {
 public:
  explicit Base64(std::string_view text) : text_(text) {}

  /// Appends bytes to `out` until it has `size`. False if the text ends before.
  bool fill(Array<char>& out, std::uint64_t size) {
    while (out.size() < size) {
      if (next_ == have_ && !decode_group()) return false;
      while (next_ < have_ && out.size() < size) out.push_back(group_[next_++]);
    }
    return true;
  }

 private:
  bool decode_group() {
    std::uint32_t bits = 0;
    int letters = 0;
    int padding = 0;
    while (letters + padding < 4) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      const int value = value_of_base64(c);
      if (value < 0 && (c != '=' || letters < 2)) return false;
      if (value >= 0 && padding > 0) return false;
      bits = bits << 6 | static_cast<std::uint32_t>(std::max(value, 0));
      ++(value >= 0 ? letters : padding);
      ++at_;
    }
    for (int i = 0; i < 3; ++i) group_[i] = static_cast<char>(bits >> (16 - 8 * i) & 0xFF);
    next_ = 0;
    have_ = 3 - padding;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char group_[3] = {};
  int next_ = 0;
  int have_ = 0;
};

class Loader {
 public:
  Loader(const VtkGrid& grid, const VtkTag& tag) : grid_(grid), tag_(tag) {}

  VtkArray load() {
    array_.tag = &tag_;
    const auto type = type_of(tag_.type);
    if (!type) grid_.fail(tag_, fmt::format("is of an unknown type \"{}\"", tag_.type));
    array_.type = *type;
    const char* end = tag_.components.data() + tag_.components.size();
    const auto [stop, error] = std::from_chars(tag_.components.data(), end, array_.components);
    if (error != std::errc{} || stop != end || array_.components < 1)
      grid_.fail(tag_, fmt::format("has \"{}\" components", tag_.components));
    if (tag_.format == "ascii")
      parse_text(grid_.source, array_);
    else if (tag_.format == "binary")
      decode(tag_.text);
    else if (tag_.format == "appended")
      find_appended();
    else
      grid_.fail(tag_, fmt::format("has the unknown format \"{}\"", tag_.format));
    return std::move(array_);
  }

 private:
  std::uint64_t read_length(const char* from) const {
    return grid_.header_bytes == 8 ? load_number<std::uint64_t>(from, grid_.swap)
                                   : load_number<std::uint32_t>(from, grid_.swap);
  }

  void set_bytes(const char* data, std::uint64_t bytes) {
    const std::size_t size = with_vtk_type(array_.type, [](auto number) { return sizeof number; });
    if (bytes % size != 0)
      grid_.fail(tag_,
                 fmt::format("has {} bytes, which are no whole number of {}", bytes, tag_.type));
    array_.data = data;
    array_.count = bytes / size;
    array_.swap = grid_.swap;
  }

  std::uint64_t header_number(const char* header, std::uint64_t i) const {
    return read_length(header + i * static_cast<std::uint64_t>(grid_.header_bytes));
  }

  /// What stands in front of compressed blocks: how many, how large they are, and how large the
  /// last one is, unless it is like the others; then how many bytes each takes compressed.
  struct Blocks {
    std::uint64_t count;
    std::uint64_t size;
    std::uint64_t last;

    std::uint64_t size_of(std::uint64_t i) const {
      return i + 1 == count && last > 0 ? last : size;
    }
  };

  Blocks read_blocks(const char* header) const {
    return {header_number(header, 0), header_number(header, 1), header_number(header, 2)};
  }

  /// Where compressed blocks start, and the end of the last one; how large they are together when
  /// they are not.
  struct Places {
    std::vector<std::uint64_t> starts{0};
    std::uint64_t bytes = 0;
  };

  /// `sizes` are those of compressed blocks, at most `available` bytes together.
  Places place_blocks(const Blocks& blocks, const char* sizes, std::uint64_t available) const {
    Places places;
    std::vector<std::uint64_t>& starts = places.starts;
    for (std::uint64_t i = 0; i < blocks.count; ++i) {
      const std::uint64_t compressed = header_number(sizes, i);
      // zlib makes a byte of no more than 1032.
      if (compressed > available - starts.back() || blocks.size_of(i) / 1033 > compressed)
        grid_.fail(tag_, "has compressed blocks that are larger than the data");
      starts.push_back(starts.back() + compressed);
      places.bytes += blocks.size_of(i);
    }
    return places;
  }

  void inflate(const Blocks& blocks, const Places& places, const char* data) {
    const std::vector<std::uint64_t>& starts = places.starts;
    array_.owned.resize(places.bytes);
    std::atomic<bool> damaged = false;
    parallel_for(static_cast<std::size_t>(blocks.count), [&](std::size_t i) {
      auto size = static_cast<uLongf>(blocks.size_of(i));
      const int result = uncompress(reinterpret_cast<Bytef*>(array_.owned.data() + i * blocks.size),
                                    &size, reinterpret_cast<const Bytef*>(data + starts[i]),
                                    static_cast<uLong>(starts[i + 1] - starts[i]));
      if (result != Z_OK || size != blocks.size_of(i)) damaged = true;
    });
    if (damaged) grid_.fail(tag_, "has compressed blocks that are damaged");
    set_bytes(array_.owned.data(), array_.owned.size());
  }

  void decode_compressed(std::string_view text) {
    Base64 base64(text);
    Array<char> header;
    const auto number = static_cast<std::uint64_t>(grid_.header_bytes);
    const auto fill = [&](Array<char>& to, std::uint64_t size) {
      if (size > text.size() || !base64.fill(to, size))
        grid_.fail(tag_, "has base64 data that end before its compressed blocks");
    };
    fill(header, 3 * number);
    const Blocks blocks = read_blocks(header.data());
    if (blocks.count > text.size()) grid_.fail(tag_, "has more compressed blocks than bytes");
    fill(header, (3 + blocks.count) * number);
    const Places places = place_blocks(blocks, header.data() + 3 * number, text.size());
    Array<char> data;
    fill(data, places.starts.back());
    inflate(blocks, places, data.data());
  }

  void find_compressed(std::string_view bytes) {
    const auto number = static_cast<std::uint64_t>(grid_.header_bytes);
    if (bytes.size() < 3 * number) grid_.fail(tag_, "has no compressed blocks");
    const Blocks blocks = read_blocks(bytes.data());
    if (blocks.count > bytes.size() / number - 3)
      grid_.fail(tag_, "has more compressed blocks than bytes");
    const std::uint64_t header = (3 + blocks.count) * number;
    const Places places = place_blocks(blocks, bytes.data() + 3 * number, bytes.size() - header);
    inflate(blocks, places, bytes.data() + header);
  }

  void decode(std::string_view text) {
    if (grid_.compressed) return decode_compressed(text);
    Base64 base64(text);
    Array<char> header;
    const auto header_size = static_cast<std::uint64_t>(grid_.header_bytes);
    if (!base64.fill(header, header_size)) grid_.fail(tag_, "has no base64 data");
    const std::uint64_t bytes = read_length(header.data());
    if (bytes / 3 > text.size() / 4 || !base64.fill(array_.owned, bytes))
      grid_.fail(tag_, fmt::format("announces {} bytes, but its base64 data end before", bytes));
    set_bytes(array_.owned.data(), bytes);
  }

  void find_appended() {
    std::uint64_t offset = 0;
    const char* end = tag_.offset.data() + tag_.offset.size();
    const auto [stop, error] = std::from_chars(tag_.offset.data(), end, offset);
    const auto header = static_cast<std::uint64_t>(grid_.header_bytes);
    const std::uint64_t size = grid_.appended.size();
    if (error != std::errc{} || stop != end || offset > size || size - offset < header)
      grid_.fail(tag_, "has no offset within the appended data");
    if (grid_.is_base64) return decode(grid_.appended.substr(offset));
    if (grid_.compressed) return find_compressed(grid_.appended.substr(offset));
    const char* at = grid_.appended.data() + offset;
    const std::uint64_t bytes = read_length(at);
    if (bytes > size - offset - header)
      grid_.fail(tag_,
                 fmt::format("announces {} bytes, but the file ends {} bytes behind its start",
                             bytes, size - offset - header));
    set_bytes(at + header, bytes);
  }

  const VtkGrid& grid_;
  const VtkTag& tag_;
  VtkArray array_;
};

template <class To, class From>
Array<To> convert(const VtkArray& array) {
  Array<To> values(array.count);
  parallel_for_ranges(array.count, 65536, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = static_cast<To>(array.at<From>(i));
  });
  return values;
}

}  // namespace

VtkArray VtkGrid::load(const VtkTag& tag) const {
  return Loader(*this, tag).load();
}

AttributeValues to_values(const VtkArray& array) {
  return with_vtk_type(array.type, [&]<class T>(T) -> AttributeValues {
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
      using Limits = std::numeric_limits<std::int32_t>;
      const std::size_t large = find_first(array.count, [&](std::size_t i) {
        const T value = array.at<T>(i);
        return value > T{Limits::max()} || (std::is_signed_v<T> && value < T(Limits::min()));
      });
      if (large < array.count) return convert<double, T>(array);
      return convert<std::int32_t, T>(array);
    } else {
      return convert<T, T>(array);
    }
  });
}

std::uint64_t count_rounded(const VtkArray& array) {
  return with_vtk_type(array.type, [&]<class T>(T) -> std::uint64_t {
    std::uint64_t count = 0;
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>)
      for (std::uint64_t i = 0; i < array.count; ++i) {
        const T value = array.at<T>(i);
        const auto bits = static_cast<std::uint64_t>(value);
        const std::uint64_t magnitude = value < 0 ? std::uint64_t{0} - bits : bits;
        if (magnitude >> 53 == 0) continue;
        if (static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude) > 53) ++count;
      }
    return count;
  });
}

}  // namespace tessera::io::detail
