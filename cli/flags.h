// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tessera/io/triangles.h"

namespace tessera::cli {

/// Flags that every command takes.
struct SharedFlags {
  std::string device = "auto";
  int threads = 0;
  std::uint64_t seed = 1;
  bool json = false;
  bool quiet = false;
  bool timings = false;
};

/// Adds --device, --threads and the rest to a command.
void add_shared_flags(CLI::App& command, SharedFlags& flags);

enum class Need { required, optional };

/// What an output may be other than a mesh: a `.sol` file.
enum class Also { nothing, sol };

/// Adds the output file, and how to write it, to a command. Where no mesh can be written under that
/// name, or not in that way, parsing the command line throws: better before the work.
void add_output(CLI::App& command, std::string& path, io::WriteOptions& options,
                Need need = Need::required, Also also = Also::nothing);

/// Whether the name of a file ends so, in small letters or capitals.
bool has_ending(const std::string& path, std::string_view ending);

/// Throws InputError where no file of any kind can be written under that name.
void check_folder(const std::string& path);

/// Throws InputError where no mesh can be written under that name.
void check_output(const std::string& path);

enum class Used { no, yes };

/// A flag that was given and has no say is a misunderstanding: throws CLI::ValidationError, with
/// `why` as the rest of the sentence.
void refuse_unused(const CLI::App& command, const std::string& flag, Used used,
                   const std::string& why);

// For ->check(), in words that people use; CLI11's own name the limits of the number's type.

/// A whole number within these bounds.
CLI::Validator whole_number(std::uint64_t least,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// A number within these bounds.
CLI::Validator number_between(double least, double most);
CLI::Validator positive_number();
CLI::Validator number_not_negative();

/// For ->transform(): the name of a choice becomes its value. CLI11's own speaks of the values too.
template <class Enum>
CLI::Validator one_of(const std::map<std::string, Enum>& choices) {
  return {[choices](std::string& input) -> std::string {
            const auto found = choices.find(input);
            if (found != choices.end()) {
              input = std::to_string(static_cast<int>(found->second));
              return {};
            }
            std::string names;
            for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
            return "'" + input + "' is none of " + names;
          },
          ""};
}

}  // namespace tessera::cli
