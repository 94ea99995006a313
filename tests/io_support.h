// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// What the tests of file formats share.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/io/triangles.h"

namespace tessera::io::testing {

/// A folder of its own, gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("tessera-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

inline ReadResult parse(std::string_view text, Format format, int threads = 0) {
  ReadOptions options;
  options.threads = threads;
  return parse_triangles({text.data(), text.size()}, format, "test", options);
}

/// Whether this build has lib3mf.
inline bool reads_three_mf() {
  try {
    parse("", Format::three_mf);
  } catch (const InputError& error) {
    return std::string_view(error.what()).find("TESSERA_3MF") == std::string_view::npos;
  }
  return true;
}

/// The text is refused with a message that holds `part`.
inline void expect_refused(std::string_view text, Format format, std::string_view part) {
  try {
    parse(text, format);
    ADD_FAILURE() << "accepted:\n" << text.substr(0, 300);
  } catch (const InputError& error) {
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
        << error.what() << " does not say: " << part;
  }
}

/// Every beginning of a file is read as a valid mesh or refused; nothing else happens. Returns how
/// many were refused.
inline std::size_t expect_survives_truncation(std::string_view bytes, Format format) {
  std::size_t refused = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    // A copy of its own, so that a sanitizer sees a read past the end.
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    try {
      const ReadResult result = parse({part.data(), part.size()}, format);
      EXPECT_EQ(result.mesh.validate(), std::nullopt) << "of the first " << n << " bytes";
    } catch (const InputError&) {
      ++refused;
    }
  }
  return refused;
}

/// Triangles between random vertices; coordinates of all magnitudes.
inline TriangleSoup random_soup(std::uint64_t seed, std::uint32_t vertices, std::uint32_t faces) {
  const Random random(seed);
  std::uint64_t draw = 0;
  TriangleSoup soup;
  soup.positions.resize(vertices);
  for (Vec3d& p : soup.positions)
    for (double& x : p.v) {
      const double scale = std::pow(10.0, static_cast<int>(random.below(draw++, 13)) - 6);
      x = scale * (2 * random.uniform(draw++) - 1);
    }
  soup.triangles.resize(faces);
  for (Triangle& t : soup.triangles)
    for (Index& corner : t.v) corner = random.below(draw++, vertices);
  return soup;
}

/// Every coordinate rounded to single precision.
inline TriangleSoup rounded(TriangleSoup soup) {
  for (Vec3d& p : soup.positions) p = cast<double>(cast<float>(p));
  soup.precision = Precision::float32;
  return soup;
}

/// An attribute of random numbers: in 0 .. 255 for integers, in 0 .. 1 for the others.
template <class T>
Attribute random_attribute(const std::string& name, int components, std::size_t elements,
                           std::uint64_t seed) {
  const Random random(seed);
  Array<T> values(elements * static_cast<std::size_t>(components));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::is_integral_v<T> ? static_cast<T>(random.below(i, 256))
                                      : static_cast<T>(random.uniform(i));
  return {name, components, std::move(values)};
}

inline void expect_same_attributes(const Attributes& a, const Attributes& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].components, b[i].components);
    EXPECT_TRUE(a[i].values == b[i].values) << a[i].name;
  }
}

inline void expect_same(const TriangleSoup& a, const TriangleSoup& b) {
  EXPECT_TRUE(a.positions == b.positions);
  EXPECT_TRUE(a.triangles == b.triangles);
  EXPECT_EQ(a.precision, b.precision);
  expect_same_attributes(a.vertex_attributes, b.vertex_attributes);
  expect_same_attributes(a.face_attributes, b.face_attributes);
}

}  // namespace tessera::io::testing
