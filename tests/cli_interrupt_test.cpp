// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Long runs of the program: what a terminal shows, and what is left when they are stopped.
#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "program.h"

namespace tessera::cli::testing {
namespace {

constexpr const char* old_content = "# what was here before\n";

std::vector<std::string> long_command(std::uint64_t faces, const std::string& output) {
  return {"generate", "torus", output, "--faces", std::to_string(faces), "--threads", "1"};
}

/// Whether a process has a file of that folder open, named or not, that is partly written.
bool is_writing(pid_t pid, const std::filesystem::path& folder) {
  std::error_code gone;
  std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", gone);
  for (; !gone && files != std::filesystem::directory_iterator(); files.increment(gone)) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(files->path(), error);
    if (error || !target.string().starts_with(folder.string())) continue;
    if (std::filesystem::file_size(files->path(), error) > 0 && !error) return true;
  }
  return false;
}

/// Starts larger and larger runs until the signal comes before the end of one. The output file
/// is there before, with other content.
std::optional<Outcome> stop_while_writing(const TemporaryFolder& folder, int signal) {
  LaunchOptions here;
  here.folder = folder / "";
  for (std::uint64_t faces = 500'000; faces <= 64'000'000; faces *= 2) {
    write_bytes(folder / "big.obj", old_content);
    Child child(long_command(faces, "big.obj"), here);
    while (child.running() && !is_writing(child.pid(), folder / "")) Child::pause();
    child.send(signal);
    const Outcome outcome = child.wait();
    if (outcome.exit_code != 0) return outcome;
  }
  return std::nullopt;
}

void expect_untouched(const TemporaryFolder& folder) {
  EXPECT_EQ(read_bytes(folder / "big.obj"), old_content);
  EXPECT_EQ(names_in(folder), std::set<std::string>{"big.obj"});
}

TEST(CliInterrupt, CleansUp) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const auto outcome = stop_while_writing(folder, signal);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->exit_code, 130);
    EXPECT_EQ(outcome->err, "tessera: interrupted; nothing was written\n");
    EXPECT_EQ(outcome->out, "");
    expect_untouched(folder);
  }
}

TEST(CliInterrupt, KilledLeavesNothing) {
  const TemporaryFolder folder;
  const int nameless = ::open((folder / "").c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no nameless files";
  ::close(nameless);
  const auto outcome = stop_while_writing(folder, SIGKILL);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->signal, SIGKILL);
  expect_untouched(folder);
}

/// Faces enough for a run of more than a second and a half.
std::uint64_t faces_for_a_bar(const TemporaryFolder& folder) {
  LaunchOptions here;
  here.folder = folder / "";
  for (std::uint64_t faces = 250'000;; faces *= 2) {
    const Outcome piped = run(long_command(faces, "big.3mf"), here);
    EXPECT_EQ(piped.exit_code, 0) << piped.err;
    EXPECT_EQ(piped.err, "") << "nothing is drawn where nobody looks";
    if (piped.seconds > 2 || piped.exit_code != 0) return faces;
  }
}

TEST(CliInterrupt, TerminalShowsABar) {
  const TemporaryFolder folder;
  const std::uint64_t faces = faces_for_a_bar(folder);
  LaunchOptions terminal;
  terminal.folder = folder / "";
  terminal.screen = Screen::terminal;
  const std::string erased = "\r\033[K";

  const Outcome shown = run(long_command(faces, "big.3mf"), terminal);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.err.find("[="), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find(" %"), std::string::npos) << shown.err;
  EXPECT_TRUE(shown.err.ends_with(erased)) << shown.err;
  EXPECT_TRUE(std::none_of(shown.out.begin(), shown.out.end(),
                           [](char c) { return c == '\r' || c == '\033'; }));

  auto quiet = long_command(faces, "big.3mf");
  quiet.emplace_back("--quiet");
  EXPECT_EQ(run(quiet, terminal).err, "");
  EXPECT_EQ(run(long_command(1000, "small.3mf"), terminal).err, "") << "too short for a bar";
}

TEST(CliInterrupt, BarIsErasedBeforeTheMessage) {
  const TemporaryFolder folder;
  LaunchOptions terminal;
  terminal.folder = folder / "";
  terminal.screen = Screen::terminal;
  for (std::uint64_t faces = 4 * faces_for_a_bar(folder);; faces *= 2) {
    std::filesystem::remove(folder / "big.3mf");
    Child child(long_command(faces, "big.3mf"), terminal);
    while (child.running() && child.shown().find('%') == std::string::npos) Child::pause();
    child.send(SIGINT);
    const Outcome outcome = child.wait();
    if (outcome.exit_code == 0) continue;
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_TRUE(outcome.err.ends_with("\r\033[Ktessera: interrupted; nothing was written\r\n"))
        << outcome.err;
    EXPECT_TRUE(names_in(folder).empty());
    return;
  }
}

}  // namespace
}  // namespace tessera::cli::testing
