// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tessera/core/error.h"

namespace tessera::io::detail {
namespace {

/// Beside the target, so that the final rename stays within one file system.
std::string temporary_name(const std::filesystem::path& path, int attempt) {
  const auto name = fmt::format(".{}.{}-{}.part", path.filename().string(), ::getpid(), attempt);
  return (path.parent_path() / name).string();
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path) {
  if (std::filesystem::is_directory(path_)) fail(EISDIR);
  const std::filesystem::path folder =
      path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  constexpr mode_t everybody = 0666;  // the umask takes away what the user does not want
  fd_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, everybody);
  for (int attempt = 0; fd_ < 0 && attempt < 100; ++attempt) {
    temporary_ = temporary_name(path_, attempt);
    fd_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, everybody);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error) const {
  throw OutputError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(error)));
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
      const std::string name = temporary_name(path_, attempt);
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
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace tessera::io::detail
