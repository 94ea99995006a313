// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace tessera {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// The number behind a word, such as "MemAvailable:", in a file of words and numbers.
std::optional<std::uint64_t> number_behind(const std::string& path, const std::string& wanted) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(wanted + " ")) return std::stoull(line.substr(wanted.size()));
  return std::nullopt;
}

/// The number that a file starts with; nothing if it starts with a word ("max").
std::optional<std::uint64_t> first_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t spared_by_the_system() {
  constexpr std::uint64_t kilobyte = 1024;
  if (const auto available = number_behind("/proc/meminfo", "MemAvailable:"))
    return *available * kilobyte;
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t left_to_the_process() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const auto pages = first_number("/proc/self/statm");
  const auto page_size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return difference(limit.rlim_cur, pages.value_or(0) * page_size);
}

std::uint64_t left_to_the_group() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    constexpr const char* unified = "0::";
    if (!line.starts_with(unified)) continue;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3) + "/";
    const auto limit = first_number(folder + "memory.max");
    const auto used = first_number(folder + "memory.current");
    if (!limit || !used) return unlimited;
    const auto cached = number_behind(folder + "memory.stat", "inactive_file");
    return difference(*limit, difference(*used, cached.value_or(0)));
  }
  return unlimited;
}

}  // namespace

std::uint64_t available_memory() {
  return std::min({spared_by_the_system(), left_to_the_process(), left_to_the_group()});
}

}  // namespace tessera
