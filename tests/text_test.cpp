// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/text.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include "io_support.h"
#include "tessera/io/detail/text_writer.h"

namespace tessera::io::detail {
namespace {

/// Reads `text` as one number that must end where the text ends.
std::optional<double> read_double(const std::string& text) {
  Scanner scanner{text.data(), text.data() + text.size()};
  double value = 0;
  if (!scanner.read(value) || scanner.position != scanner.end) return std::nullopt;
  return value;
}

TEST(Text, ReadsNumbersAsStrtodDoes) {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "+1",
                           "1.",
                           ".5",
                           "-.5e1",
                           "1e5",
                           "1E+5",
                           "1e-5",
                           "1e00005",
                           "1e0000000022",
                           "123456789012345678901234567890",
                           "0.1",
                           "3.14159265358979323846",
                           "1e22",
                           "1e23",
                           "1e-22",
                           "1e-23",
                           "9007199254740993",
                           "2.2250738585072014e-308",
                           "4.9e-324",
                           "1.7976931348623157e308",
                           "0.000000000000000000000000000000000000000000001",
                           "1e308",
                           "17.25e-3"}) {
    const auto value = read_double(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(*value, std::strtod(text, nullptr)) << text;
    EXPECT_EQ(std::signbit(*value), text[0] == '-') << text;
  }
}

TEST(Text, ReadsRandomNumbersAsStrtodDoes) {
  const Random random(7);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double magnitude = std::pow(10.0, static_cast<double>(random.below(3 * i, 60)) - 30);
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", 1 + static_cast<int>(random.below(3 * i + 1, 19)),
                  magnitude * (random.uniform(3 * i + 2) - 0.5));
    const auto value = read_double(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(*value, std::strtod(text, nullptr)) << text;
  }
}

TEST(Text, OverflowsToInfinityAndUnderflowsToZero) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read_double("1e999"), infinity);
  EXPECT_EQ(read_double("-1e999"), -infinity);
  EXPECT_EQ(read_double("1e99999999999999999999"), infinity);
  EXPECT_EQ(read_double("1e-999"), 0.0);
  EXPECT_EQ(read_double("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(read_double(std::string(400, '7') + ".5"), infinity);
  EXPECT_EQ(read_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(read_double("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(read_double("inf"), infinity);
  EXPECT_TRUE(std::isnan(*read_double("nan")));
}

TEST(Text, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", "+", ".", "e5", "--1", "+-1", "-+1", "x", "1x", "1e", "1 2"})
    EXPECT_EQ(read_double(text), std::nullopt) << text;
  const std::string text = "+-5";
  Scanner scanner{text.data(), text.data() + text.size()};
  int value = 0;
  EXPECT_FALSE(scanner.read(value));
}

TEST(Text, SplitsAtLineEnds) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(static_cast<std::size_t>(i % 37), 'a') + '\n';
  text += "no line end";
  for (const std::size_t target : {1UL, 10UL, 100UL, 100000UL}) {
    std::string joined;
    const auto pieces = split_lines(text, target);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_FALSE(pieces[i].empty());
      if (i + 1 < pieces.size()) {
        EXPECT_EQ(pieces[i].back(), '\n');
      }
      joined.append(pieces[i].data(), pieces[i].size());
    }
    EXPECT_EQ(joined, text);
  }
  EXPECT_TRUE(split_lines({}).empty());
}

TEST(Text, WritesBlocksInOrderOnAnyNumberOfThreads) {
  const testing::TemporaryFolder folder;
  std::string expected = "head\n";
  for (int i = 0; i < 100000; ++i) expected += std::to_string(i) + '\n';
  for (const int threads : {1, 2, 7}) {
    tbb::task_arena arena(threads);
    arena.execute([&] {
      OutputFile file(folder / "lines");
      const ProgressCallback none;
      Progress progress(none, "writing", 0);
      file.append(std::string_view("head\n"));
      append_text(file, 100000, progress,
                  [](std::size_t first, std::size_t last, TextBuffer& text) {
                    for (std::size_t i = first; i < last; ++i) {
                      text.put(i);
                      text.put('\n');
                    }
                  });
      EXPECT_EQ(file.size(), expected.size());
      file.commit();
    });
    EXPECT_EQ(testing::read_bytes(folder / "lines"), expected);
  }
}

TEST(Text, WritesNumbersThatReadBack) {
  TextBuffer text;
  text.put(0.1, Precision::float64);
  text.put(' ');
  text.put(0.1, Precision::float32);
  text.put(' ');
  text.put(static_cast<double>(0.1F), Precision::float64);
  text.put(' ');
  text.put(std::int8_t{-7});
  text.put(' ');
  text.put(std::uint64_t{18446744073709551615U});
  EXPECT_EQ(std::string(text.bytes().begin(), text.bytes().end()),
            "0.1 0.1 0.10000000149011612 -7 18446744073709551615");
}

}  // namespace
}  // namespace tessera::io::detail
