// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/output_file.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io_support.h"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  {
    detail::OutputFile file(folder / "a");
    file.append(std::string_view("hello "));
    const std::uint64_t rest = file.extend(5);
    file.write_at(rest + 2, std::string_view("rld"));
    file.write_at(rest, std::string_view("wo"));
    EXPECT_FALSE(fs::exists(folder / "a"));
    file.commit();
  }
  EXPECT_EQ(read_bytes(folder / "a"), "hello world");
  EXPECT_EQ(files_in(folder / ""), 1U);
}

TEST(OutputFile, LeavesTheOldFileAloneWhenNotCommitted) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  {
    detail::OutputFile file(folder / "a");
    file.append(std::string_view("new"));
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(files_in(folder / ""), 1U);
}

TEST(OutputFile, ReplacesTheOldFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old and longer");
  detail::OutputFile file(folder / "a");
  file.append(std::string_view("new"));
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "new");
  EXPECT_EQ(files_in(folder / ""), 1U);
}

TEST(OutputFile, SaysWhatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THROW(detail::OutputFile(folder / "no" / "such" / "folder" / "a"), InputError);
  fs::create_directory(folder / "folder");
  EXPECT_THROW(detail::OutputFile(folder / "folder"), InputError);
  EXPECT_THROW(detail::OutputFile(folder / std::string(256, 'a')), InputError);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(detail::OutputFile(folder / "pipe"), InputError);
  fs::create_symlink("pipe", folder / "link to a pipe");
  EXPECT_THROW(detail::OutputFile(folder / "link to a pipe"), InputError);
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THROW(detail::OutputFile(folder / "loop"), InputError);
  for (const char* name : {"/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
    EXPECT_THROW(detail::OutputFile{name}, InputError) << name;
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
}

/// Standard output may be an ordinary file; it is still the shell's, not ours to replace.
TEST(OutputFile, RefusesWhatAProgramHasOpened) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  const int fd = ::open((folder / "a").c_str(), O_RDWR | O_CLOEXEC);
  for (const std::string place : {"/proc/self/fd/", "/dev/fd/"})
    EXPECT_THROW(detail::OutputFile(place + std::to_string(fd)), InputError);
  ::close(fd);
  EXPECT_EQ(read_bytes(folder / "a"), "old");
}

TEST(OutputFile, KeepsTheModeOfTheOldFile) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name) {
    detail::OutputFile file(folder / name);
    file.append(std::string_view("new"));
    file.commit();
    return fs::status(folder / name).permissions();
  };
  for (const auto mode : {fs::perms{0600}, fs::perms{0664}, fs::perms{0755}, fs::perms{0444}}) {
    write_bytes(folder / "a", "old");
    fs::permissions(folder / "a", mode);
    EXPECT_EQ(write("a"), mode);
    EXPECT_EQ(read_bytes(folder / "a"), "new");
    fs::remove(folder / "a");
  }
  const mode_t before = ::umask(027);
  EXPECT_EQ(write("b"), fs::perms{0640});
  ::umask(before);
}

TEST(OutputFile, FollowsLinks) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "there");
  write_bytes(folder / "there" / "a", "old");
  fs::create_symlink("there/a", folder / "link");
  fs::create_symlink("link", folder / "link to a link");
  fs::create_symlink("there/b", folder / "link to nothing");
  for (const char* name : {"link to a link", "link to nothing"}) {
    detail::OutputFile file(folder / name);
    file.append(std::string_view("new"));
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder / name));
    EXPECT_EQ(read_bytes(folder / name), "new");
  }
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / "there" / "a")));
  EXPECT_EQ(files_in(folder / "there"), 2U);
}

TEST(OutputFile, TakesTheLongestName) {
  const TemporaryFolder folder;
  const std::string longest(255, 'a');
  detail::OutputFile file(folder / longest);
  file.append(std::string_view("new"));
  file.commit();
  EXPECT_EQ(read_bytes(folder / longest), "new");
}

TEST(WriteTriangles, WritesNothingWhenCancelled) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.obj", "old");
  WriteOptions options;
  options.progress = [](std::string_view, double) { return Continue::no; };
  for (const char* name : {"a.obj", "b.ply", "c.stl"})
    EXPECT_THROW(write_triangles(folder / name, testing::random_soup(1, 10, 20), options),
                 Cancelled);
  EXPECT_EQ(read_bytes(folder / "a.obj"), "old");
  EXPECT_EQ(files_in(folder / ""), 1U);
}

TEST(WriteTriangles, RefusesWhatIsNoMesh) {
  const TemporaryFolder folder;
  TriangleSoup soup = testing::random_soup(1, 10, 20);
  soup.triangles[3][1] = 10;
  EXPECT_THROW(write_triangles(folder / "a.obj", soup), std::invalid_argument);
  soup = testing::random_soup(1, 10, 20);
  soup.positions[0][0] = 1e39;
  EXPECT_THROW(write_triangles(folder / "a.stl", soup), InputError);
  WriteOptions options;
  options.precision = Precision::float32;
  EXPECT_THROW(write_triangles(folder / "a.ply", soup, options), InputError);
  EXPECT_EQ(files_in(folder / ""), 0U);
}

TEST(ReadTriangles, NamesTheFormatsItKnows) {
  const TemporaryFolder folder;
  auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message([&] { read_triangles(folder / "a.xyz"); }).find("OBJ (.obj), PLY (.ply)"),
            std::string::npos);
  EXPECT_NE(message([&] { read_triangles(folder / "a.glb"); }).find("GLB files cannot be read"),
            std::string::npos);
  EXPECT_NE(message([&] { testing::parse("", Format::vtu); }).find("VTU files cannot be read"),
            std::string::npos);
  EXPECT_NE(message([&] { read_triangles(folder / "missing.obj"); }).find("missing.obj"),
            std::string::npos);
  EXPECT_NE(message([&] { write_triangles(folder / "a.xyz", {}); }).find("VTP (.vtp)"),
            std::string::npos);
}

TEST(ReadTriangles, StopsWhenCancelled) {
  ReadOptions options;
  options.progress = [](std::string_view, double) { return Continue::no; };
  const std::string_view text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  EXPECT_THROW(parse_triangles(text, Format::obj, "test", options), Cancelled);
}

TEST(ReadTriangles, SkipsAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  const TemporaryFolder folder;
  const TriangleSoup soup = testing::random_soup(1, 10, 20);
  for (const Format format : {Format::obj, Format::ply, Format::stl, Format::off, Format::medit}) {
    SCOPED_TRACE(info(format).name);
    for (const Encoding encoding : {Encoding::text, Encoding::binary}) {
      if (encoding == Encoding::binary && format != Format::ply) continue;
      WriteOptions options;
      options.format = format;
      options.encoding = encoding;
      write_triangles(folder / "a", soup, options);
      const std::string bytes = read_bytes(folder / "a");
      const ReadResult plain = testing::parse(bytes, format);
      const ReadResult marked = testing::parse(mark + bytes, format);
      EXPECT_EQ(marked.mesh.positions, plain.mesh.positions);
      EXPECT_EQ(marked.mesh.triangles, plain.mesh.triangles);
      EXPECT_EQ(marked.notes, plain.notes);
    }
  }
  // The 80 bytes in front of a binary STL file may be anything.
  write_triangles(folder / "a.stl", soup);
  std::string binary = read_bytes(folder / "a.stl");
  for (const std::string& start : {mark, mark + "solid"}) {
    binary.replace(0, start.size(), start);
    EXPECT_EQ(testing::parse(binary, Format::stl).mesh.triangles.size(), 20U);
  }
  // Places in messages are those of the file.
  EXPECT_THROW(testing::parse(mark, Format::obj), InputError);
  try {
    testing::parse(mark + "v 0 0 0\nv 1 x 0\n", Format::obj);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("test:2: ")) << error.what();
  }
}

TEST(ReadTriangles, TellsFormatAndSize) {
  const TemporaryFolder folder;
  write_bytes(folder / "A.OBJ", "v 0 0 0\n");
  const ReadResult result = read_triangles(folder / "A.OBJ");
  EXPECT_EQ(result.format, Format::obj);
  EXPECT_EQ(result.bytes, 8U);
  EXPECT_EQ(result.mesh.positions.size(), 1U);
}

}  // namespace
}  // namespace tessera::io
