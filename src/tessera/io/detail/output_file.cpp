// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tessera/core/error.h"

namespace tessera::io::detail {
namespace {

/// Beside the target, so that the final rename stays within one file system.
std::string temporary_name(const std::filesystem::path& path, int attempt) {
  constexpr std::size_t longest = 200;  // file systems allow 255 bytes, and the rest needs some
  const std::string start = path.filename().string().substr(0, longest);
  const auto name = fmt::format(".{}.{}-{}.part", start, ::getpid(), attempt);
  return (path.parent_path() / name).string();
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

[[noreturn]] void refuse(const std::filesystem::path& name, std::string_view why) {
  throw InputError(fmt::format("{}: cannot be written: {}", name.string(), why));
}

/// The end of a chain of symbolic links, be there a file or not.
std::filesystem::path follow_links(const std::filesystem::path& name) {
  constexpr int most_links = 40;  // as the kernel has it
  std::filesystem::path path = name;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(path, error); ++links) {
    if (links == most_links) refuse(name, std::strerror(ELOOP));
    const auto folder = std::filesystem::canonical(folder_of(path), error);
    if (folder.native().starts_with("/proc/"))
      refuse(name, "it stands for a file that a program has opened, such as its standard output");
    const auto target = std::filesystem::read_symlink(path, error);
    if (error) refuse(name, error.message());
    path = folder / target;
  }
  return path;
}

}  // namespace

OutputPlace find_output_place(const std::filesystem::path& name) {
  OutputPlace place;
  struct stat status {};
  if (::stat(name.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(name, "it is a folder");
    if (!S_ISREG(status.st_mode)) refuse(name, "it is a pipe or a device, not an ordinary file");
    constexpr mode_t permissions = 0777;
    place.mode = status.st_mode & permissions;
  } else if (errno != ENOENT && errno != ENOTDIR) {
    refuse(name, std::strerror(errno));
  }
  place.path = follow_links(name);
  const std::filesystem::path folder = folder_of(place.path);
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    refuse(name, fmt::format("there is no folder {}", folder.string()));
  if (::access(folder.c_str(), W_OK) != 0) refuse(name, std::strerror(errno));
  return place;
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : name_(path), place_(find_output_place(path)) {
  const std::filesystem::path folder = folder_of(place_.path);
  constexpr mode_t everybody = 0666;  // the umask takes away what the user does not want
  fd_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, everybody);
  for (int attempt = 0; fd_ < 0 && attempt < 100; ++attempt) {
    temporary_ = temporary_name(place_.path, attempt);
    fd_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, everybody);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  // A file system without modes does without.
  if (place_.mode && ::fchmod(fd_, *place_.mode) != 0 && errno != EPERM && errno != ENOTSUP)
    fail(errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  throw OutputError(fmt::format("{}: cannot be written: {}", name_.string(), std::strerror(error)));
}

void OutputFile::write_at(std::uint64_t offset, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(errno);
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void OutputFile::start_storing(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;  // which would mean all that follows
  ::sync_file_range(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
}

std::uint64_t OutputFile::extend(std::uint64_t bytes) {
  const std::uint64_t start = size_;
  size_ += bytes;
  if (size_ > allocated_) allocate_ahead();
  return start;
}

void OutputFile::append(std::span<const char> bytes) {
  write_at(extend(bytes.size()), bytes);
}

// File systems that choose a file's place on the disk late (ext4, XFS) choose it, at the latest, in
// the rename that replaces an older file: one thread then waits longer than all writing took.
// Room asked for early costs next to nothing. A file system that cannot give it does without.
void OutputFile::allocate_ahead() {
  constexpr std::uint64_t smallest = std::uint64_t{16} << 20;
  if (size_ < smallest / 16) return;
  const std::uint64_t wanted = size_ + std::max(smallest, size_ / 4);
  ::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(allocated_),
              static_cast<off_t>(wanted - allocated_));
  allocated_ = wanted;
}

void OutputFile::commit() {
  if (allocated_ > size_ && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) fail(errno);
  if (temporary_.empty()) {
    // A nameless file cannot replace another one directly: link() refuses an existing name.
    const std::string self = fmt::format("/proc/self/fd/{}", fd_);
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::string name = temporary_name(place_.path, attempt);
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        temporary_ = name;
        break;
      }
      if (errno != EEXIST) fail(errno);
    }
    if (temporary_.empty()) fail(EEXIST);
  }
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (::rename(temporary_.c_str(), place_.path.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace tessera::io::detail
