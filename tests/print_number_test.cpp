// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Numbers as text: short, and exactly what was put in. The twin is std::to_chars.
#include "tessera/io/detail/print_number.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tessera/core/random.h"

namespace tessera::io::detail {
namespace {

template <class T>
std::string printed(T value) {
  char text[longest_number];
  return {text, print_shortest(text, value)};
}

template <class T>
T read(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(error, std::errc{}) << text;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return value;
}

/// Digits that count: without sign, point, exponent and zeros at either end.
std::size_t digit_count(std::string text) {
  text = text.substr(0, text.find('e'));
  std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
  text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
  text.erase(text.find_last_not_of('0') + 1);
  return text.size();
}

template <class T>
void expect_shortest(T value) {
  const std::string text = printed(value);
  const T back = read<T>(text);
  ASSERT_EQ(back, value) << text;
  ASSERT_EQ(std::signbit(back), std::signbit(value)) << text;
  char expected[longest_number];
  const std::string shortest(expected,
                             std::to_chars(expected, expected + longest_number, value).ptr);
  ASSERT_EQ(digit_count(text), digit_count(shortest)) << text << " against " << shortest;
}

TEST(PrintNumber, LooksAsPeopleWriteIt) {
  EXPECT_EQ(printed(0.0F), "0");
  EXPECT_EQ(printed(-0.0), "-0");
  EXPECT_EQ(printed(1.0F), "1");
  EXPECT_EQ(printed(-0.1F), "-0.1");
  EXPECT_EQ(printed(0.1), "0.1");
  EXPECT_EQ(printed(0.00125), "0.00125");
  EXPECT_EQ(printed(1234567.0), "1234567");
  EXPECT_EQ(printed(120000.0F), "120000");
  EXPECT_EQ(printed(-98.765432109), "-98.765432109");
}

TEST(PrintNumber, FloatsOfEverySizeReadBack) {
  const Random random(1);
  for (std::uint64_t i = 0; i < 300000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits(i)));
    if (std::isfinite(value)) expect_shortest(value);
    expect_shortest(static_cast<float>(2 * random.uniform(i) - 1));
    expect_shortest(static_cast<float>(std::pow(10.0, 14 * random.uniform(i) - 5)));
  }
}

TEST(PrintNumber, DoublesOfEverySizeReadBack) {
  const Random random(2);
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<double>(random.bits(i));
    if (std::isfinite(value)) expect_shortest(value);
    expect_shortest(2 * random.uniform(i) - 1);
    expect_shortest(std::round(1e6 * random.uniform(i)) / 1e6);
    expect_shortest(std::round(1e14 * random.uniform(i)) / 1e9);
  }
}

TEST(PrintNumber, ShortFloatsStayShort) {
  const Random random(3);
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const double digits = std::pow(10.0, static_cast<double>(random.below(i, 8)));
    expect_shortest(static_cast<float>(std::round(digits * random.uniform(i)) / digits));
    expect_shortest(static_cast<float>(std::round(digits * random.uniform(i))));
  }
  for (float power = 1e-6F; power < 1e8F; power *= 2) expect_shortest(power);
}

TEST(PrintNumber, IntegersOfEverySize) {
  const Random random(4);
  const auto check = [](std::uint32_t value) {
    char text[longest_number];
    ASSERT_EQ(std::string(text, print_integer(text, value)), std::to_string(value));
  };
  for (std::uint64_t i = 0; i < 100000; ++i) {
    check(static_cast<std::uint32_t>(i));
    check(static_cast<std::uint32_t>(random.bits(i)) >> random.below(i + 1, 32));
  }
  for (std::uint64_t power = 1; power <= 1'000'000'000; power *= 10) {
    check(static_cast<std::uint32_t>(power - 1));
    check(static_cast<std::uint32_t>(power));
  }
  check(std::numeric_limits<std::uint32_t>::max());
}

TEST(PrintNumber, TheBordersOfTheShortCut) {
  for (const double border : {1e-5, 1e-4, 1e-1, 1.0, 10.0, 1e6, 1e7}) {
    for (const double value : {border, std::nextafter(border, 0.0), std::nextafter(border, 1e10)})
      expect_shortest(value);
    const auto single = static_cast<float>(border);
    for (const float value : {single, std::nextafter(single, 0.0F), std::nextafter(single, 1e10F)})
      expect_shortest(value);
  }
  expect_shortest(std::numeric_limits<float>::denorm_min());
  expect_shortest(std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace tessera::io::detail
