// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "tessera/io/sol.h"

namespace tessera::cli {
namespace {

/// "PLY, STL and VTP": the formats that are so.
std::string names_of_formats(const std::function<bool(const io::FormatInfo&)>& are) {
  std::string list;
  std::string last;
  for (const io::FormatInfo& format : io::formats()) {
    if (!are(format)) continue;
    if (!last.empty()) list += (list.empty() ? "" : ", ") + last;
    last = format.name;
  }
  return list.empty() ? last : list + " and " + last;
}

std::string endings_of_written_formats() {
  std::string list;
  for (const io::FormatInfo& format : io::formats())
    if (format.writable) list += (list.empty() ? "" : ", ") + std::string(format.extension);
  return list;
}

const std::map<std::string, io::Encoding>& encodings() {
  static const std::map<std::string, io::Encoding> all{
      {"binary", io::Encoding::binary},
      {"text", io::Encoding::text},
      {"big-endian", io::Encoding::binary_big_endian}};
  return all;
}

const std::map<std::string, Precision>& precisions() {
  static const std::map<std::string, Precision> all{{"float", Precision::float32},
                                                    {"double", Precision::float64}};
  return all;
}

/// Refuses what the format of the output cannot be.
template <class Choice>
void check_choice(const CLI::App& command, const std::string& flag,
                  const std::map<std::string, Choice>& choices, Choice chosen,
                  const io::FormatInfo& format) {
  const auto name = std::find_if(choices.begin(), choices.end(), [&](const auto& c) {
                      return c.second == chosen;
                    })->first;
  const std::string others = names_of_formats(
      [&](const io::FormatInfo& f) { return f.writable && io::can_be(f.format, chosen); });
  refuse_unused(
      command, flag, io::can_be(format.format, chosen) ? Used::yes : Used::no,
      fmt::format("{} files cannot be {}; {} is for {}", format.name, name, name, others));
}

void check_output_flags(const CLI::App& command, const std::string& path,
                        const io::WriteOptions& options) {
  if (path.empty()) {
    for (const char* flag : {"--encoding", "--precision"})
      refuse_unused(command, flag, Used::no, "is for an output file, and there is none");
    return;
  }
  check_output(path);
  const io::FormatInfo& format = io::info(*io::format_of(path));
  check_choice(command, "--encoding", encodings(), options.encoding, format);
  if (options.precision)
    check_choice(command, "--precision", precisions(), *options.precision, format);
}

void check_sol_flags(const CLI::App& command, const std::string& path) {
  for (const char* flag : {"--encoding", "--precision"})
    refuse_unused(command, flag, Used::no,
                  "is for meshes; a .sol file is text in double precision");
  check_folder(path);
}

/// All of the input as a number, or nothing.
template <class T>
std::optional<T> parse(const std::string& input, std::errc& problem) {
  T number{};
  const char* end = input.data() + input.size();
  const auto [stop, error] = std::from_chars(input.data(), end, number);
  problem = stop == end ? error : std::errc::invalid_argument;
  return problem == std::errc{} ? std::optional<T>(number) : std::nullopt;
}

bool is_negative_whole_number(std::string_view input) {
  return input.size() > 1 && input[0] == '-' &&
         std::all_of(input.begin() + 1, input.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A validator of numbers for which `fits` holds; `wish` says which these are.
CLI::Validator number_that(const std::function<bool(double)>& fits, const std::string& wish) {
  return {[=](std::string& input) -> std::string {
            std::errc problem{};
            const auto number = parse<double>(input, problem);
            if (problem == std::errc::result_out_of_range)
              return fmt::format("'{}' is too large or too small", input);
            if (!number || !std::isfinite(*number)) return fmt::format("'{}' is no number", input);
            if (fits(*number)) return {};
            return fmt::format("must be {}, not {}", wish, input);
          },
          ""};
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& input) -> std::string {
            std::errc problem{};
            const auto number = parse<std::uint64_t>(input, problem);
            if (number && *number >= least && *number <= most) return {};
            const bool is_one = number || problem == std::errc::result_out_of_range ||
                                is_negative_whole_number(input);
            if (!is_one) return fmt::format("'{}' is no whole number", input);
            if (most == std::numeric_limits<std::uint64_t>::max() &&
                problem != std::errc::result_out_of_range)
              return fmt::format("must be at least {}, not {}", least, input);
            return fmt::format("must be {} to {}, not {}", least, most, input);
          },
          ""};
}

CLI::Validator number_between(double least, double most) {
  return number_that([=](double x) { return x >= least && x <= most; },
                     fmt::format("{} to {}", least, most));
}

CLI::Validator positive_number() {
  return number_that([](double x) { return x > 0; }, "positive");
}

CLI::Validator number_not_negative() {
  return number_that([](double x) { return x >= 0; }, "0 or more");
}

void add_shared_flags(CLI::App& command, SharedFlags& flags) {
  command
      .add_option("--device", flags.device,
                  "where to compute: auto (a GPU if there is one), cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command
      .add_option("--threads", flags.threads, "CPU threads; 0: all. Implies --device cpu for auto")
      ->check(whole_number(0, 4096))
      ->capture_default_str();
  command.add_option("--seed", flags.seed, "seed of everything random; same seed, same result")
      ->check(whole_number(0))
      ->capture_default_str();
  command.add_flag("--json", flags.json, "report as JSON on standard output");
  command.add_flag("--quiet", flags.quiet, "no report but errors and notes, no progress bar");
  command.add_flag("--timings", flags.timings, "report how long each stage took");
}

void add_output(CLI::App& command, std::string& path, io::WriteOptions& options, Need need,
                Also also) {
  command
      .add_option("output,-o,--output", path,
                  "file to write, here or behind -o: " + endings_of_written_formats() +
                      (also == Also::sol ? ", .sol" : ""))
      ->required(need == Need::required);
  command
      .add_option("--encoding", options.encoding,
                  "how PLY and STL store numbers: binary (default), text or big-endian (PLY)")
      ->transform(one_of(encodings()))
      ->type_name("ENCODING");
  command
      .add_option("--precision", options.precision,
                  "of coordinates: float or double (default: as in the input); STL, 3MF and GLB\n"
                  "are float")
      ->transform(one_of(precisions()))
      ->type_name("TYPE");
  command.parse_complete_callback([&command, &path, &options, need, also] {
    if (need == Need::required && path.empty())
      throw CLI::ValidationError("--output", "'' is no name of a file");
    if (also == Also::sol && io::is_sol(path))
      check_sol_flags(command, path);
    else
      check_output_flags(command, path, options);
  });
}

bool has_ending(const std::string& path, std::string_view ending) {
  const auto is = [](char wanted, char found) {
    return wanted == (found >= 'A' && found <= 'Z' ? static_cast<char>(found - 'A' + 'a') : found);
  };
  return path.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), path.end() - std::ssize(ending), is);
}

void check_folder(const std::string& path) {
  io::check_place(path);
}

void check_output(const std::string& path) {
  io::check_output(path);
}

void refuse_unused(const CLI::App& command, const std::string& flag, Used used,
                   const std::string& why) {
  if (used == Used::no && command.count(flag) > 0) throw CLI::ValidationError(flag, why);
}

}  // namespace tessera::cli
