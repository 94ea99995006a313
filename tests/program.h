// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Runs the tessera program as a user would, for the tests of the command line.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io_support.h"

namespace tessera::cli::testing {

using io::testing::read_bytes;
using io::testing::TemporaryFolder;
using io::testing::write_bytes;

enum class Screen { none, terminal };

struct LaunchOptions {
  std::filesystem::path folder = ".";    ///< where the program runs
  rlim_t memory = RLIM_INFINITY;         ///< bytes of address space it may use
  Screen screen = Screen::none;          ///< what its standard error is
  std::string out;                       ///< a file for its standard output; empty: it is collected
  std::vector<std::string> environment;  ///< added to ours: "NAME=value"
  std::chrono::seconds time_limit{120};  ///< then it is killed
};

struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal
  int signal = 0;
  bool timed_out = false;
  std::string out;
  std::string err;
  double seconds = 0;
};

/// Beside other binaries on another machine, the environment says where the program is.
inline std::string program_path() {
  if (const char* path = std::getenv("TESSERA_PROGRAM"))
    return std::filesystem::absolute(path).string();
  const std::filesystem::path tests = std::filesystem::read_symlink("/proc/self/exe");
  return tests.parent_path().parent_path() / "cli" / "tessera";
}

/// The program, running. Its output is collected; it is killed if nobody waits for it.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments, const LaunchOptions& options = {})
      : time_limit_(options.time_limit) {
    out_ = options.out.empty() ? ::memfd_create("out", MFD_CLOEXEC)
                               : ::open(options.out.c_str(), O_RDWR | O_CLOEXEC);
    collect_ = options.out.empty();
    int err = -1;
    if (options.screen == Screen::terminal) {
      terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
      ::grantpt(terminal_);
      ::unlockpt(terminal_);
      err = ::open(::ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    } else {
      err = err_ = ::memfd_create("err", MFD_CLOEXEC);
    }
    // Between fork and exec a process with threads may not allocate: all is made ready before.
    const std::string path = program_path();
    const std::string folder = options.folder.string();
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), path);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> settings = options.environment;
    for (char** e = ::environ; *e != nullptr; ++e) settings.emplace_back(*e);
    std::vector<char*> envp;
    for (std::string& setting : settings) envp.push_back(setting.data());
    envp.push_back(nullptr);
    const rlimit memory{options.memory, options.memory};
    const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);

    start_ = std::chrono::steady_clock::now();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setrlimit(RLIMIT_AS, &memory);
      if (::dup2(in, 0) < 0 || ::dup2(out_, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(126);
      if (::chdir(folder.c_str()) != 0) ::_exit(126);
      ::execve(path.c_str(), argv.data(), envp.data());
      ::_exit(127);
    }
    ::close(in);
    if (terminal_ >= 0) ::close(err);
  }

  ~Child() {
    if (running_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (const int fd : {out_, err_, terminal_})
      if (fd >= 0) ::close(fd);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const {
    if (running_) ::kill(pid_, signal);
  }

  /// Whether the program still runs; keeps its terminal from filling up.
  bool running() {
    if (!running_) return false;
    read_terminal();
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
    running_ = false;
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    read_terminal();
    return false;
  }

  /// What a terminal has shown so far.
  const std::string& shown() const { return result_.err; }

  Outcome wait() {
    while (running()) {
      if (std::chrono::steady_clock::now() - start_ > time_limit_ && !result_.timed_out) {
        result_.timed_out = true;
        send(SIGKILL);
      }
      pause();
    }
    if (collect_) result_.out = content(out_);
    if (err_ >= 0) result_.err = content(err_);
    return result_;
  }

  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

 private:
  void read_terminal() {
    if (terminal_ < 0) return;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(terminal_, buffer, sizeof buffer)) > 0;)
      result_.err.append(buffer, static_cast<std::size_t>(n));
  }

  static std::string content(int fd) {
    std::string text(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
    const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
    EXPECT_EQ(n, std::ssize(text));
    return text;
  }

  pid_t pid_ = -1;
  bool running_ = true;
  bool collect_ = true;
  int out_ = -1;
  int err_ = -1;
  int terminal_ = -1;
  std::chrono::steady_clock::time_point start_;
  std::chrono::seconds time_limit_;
  Outcome result_;
};

inline Outcome run(const std::vector<std::string>& arguments, const LaunchOptions& options = {}) {
  return Child(arguments, options).wait();
}

/// Runs the program in that folder; it has to succeed.
inline Outcome succeed(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  LaunchOptions options;
  options.folder = folder / "";
  const Outcome outcome = run(arguments, options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(outcome.timed_out);
  return outcome;
}

/// Its report, as JSON.
inline nlohmann::json report(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = succeed(folder, arguments);
  EXPECT_EQ(outcome.err, "");
  auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out;
  return json;
}

inline std::set<std::string> names_in(const TemporaryFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace tessera::cli::testing
