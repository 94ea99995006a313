// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Reads and writes the same meshes with Tessera, with OpenMesh, and as raw bytes: read() into fresh
// memory, write() of a buffer. Files are in the page cache, in a temporary folder. Prints Markdown:
// medians of milliseconds in one table, the peak memory of reading in another.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <OpenMesh/Core/IO/MeshIO.hh>
#include <OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ratio_table.h"
#include "run.h"
#include "tessera/io/triangles.h"

namespace tessera::bench {
namespace {

namespace fs = std::filesystem;

struct Size {
  const char* name;
  Index side;  ///< 2 * side * side faces
  int repetitions;
};
constexpr Size sizes[] = {{"1.1M faces", 742, 7}, {"5M faces", 1582, 3}};

/// A torus with waves: closed, with coordinates of all their digits.
TriangleSoup make_torus(Index side) {
  TriangleSoup mesh;
  mesh.precision = Precision::float32;
  for (Index i = 0; i < side; ++i) {
    for (Index j = 0; j < side; ++j) {
      const double u = 2 * std::numbers::pi * i / side;
      const double v = 2 * std::numbers::pi * j / side;
      const double r = 1 + 0.1 * std::sin(9 * u) * std::cos(5 * v);
      const Vec3d p{(3 + r * std::cos(v)) * std::cos(u), (3 + r * std::cos(v)) * std::sin(u),
                    r * std::sin(v)};
      mesh.positions.push_back(cast<double>(cast<float>(p)));
      const Index k = (i + 1) % side;
      const Index l = (j + 1) % side;
      mesh.triangles.push_back({i * side + j, k * side + j, k * side + l});
      mesh.triangles.push_back({i * side + j, k * side + l, i * side + l});
    }
  }
  return mesh;
}

struct Kind {
  const char* name;
  const char* extension;
  io::Encoding encoding;
  bool openmesh_reads;
};
constexpr Kind kinds[] = {{"OBJ", ".obj", io::Encoding::binary, true},
                          {"STL (binary)", ".stl", io::Encoding::binary, true},
                          {"PLY (binary)", ".ply", io::Encoding::binary, true},
                          {"STL (text)", ".text.stl", io::Encoding::text, false},
                          {"PLY (text)", ".text.ply", io::Encoding::text, false}};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tessera-io-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Memory that the process has not touched before: malloc would hand out again what it has.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t size)
      : size_(size),
        data_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::runtime_error("out of memory");
  }
  ~FreshMemory() { ::munmap(data_, size_); }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;
  char* get() const { return static_cast<char*>(data_); }

 private:
  std::size_t size_;
  void* data_;
};

std::shared_ptr<FreshMemory> raw_read(const fs::path& path, std::size_t size) {
  auto bytes = std::make_shared<FreshMemory>(size);
  const int fd = ::open(path.c_str(), O_RDONLY);
  std::size_t done = 0;
  while (fd >= 0 && done < size) {
    const ssize_t got = ::read(fd, bytes->get() + done, size - done);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  ::close(fd);
  if (done != size) throw std::runtime_error(path.string() + ": raw read failed");
  return bytes;
}

/// As Tessera does: to a new file, which then replaces the old one.
void raw_write(const fs::path& path, const char* bytes, std::size_t size) {
  const fs::path part = path.string() + ".part";
  const int fd = ::open(part.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
  std::size_t done = 0;
  while (fd >= 0 && done < size) {
    const ssize_t written = ::write(fd, bytes + done, size - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  ::close(fd);
  fs::rename(part, path);
  if (done != size) throw std::runtime_error(path.string() + ": raw write failed");
}

void add(const std::string& name, int repetitions, std::function<void()> f) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [f = std::move(f)](benchmark::State& state) {
                                 ::sync();  // what earlier cases wrote must not slow this one
                                 for (auto _ : state) f();
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(repetitions);
}

void openmesh_read(const fs::path& path, std::size_t faces) {
  OpenMesh::TriMesh_ArrayKernelT<> mesh;
  if (!OpenMesh::IO::read_mesh(mesh, path.string()) || mesh.n_faces() != faces)
    throw std::runtime_error(path.string() + ": OpenMesh read something else");
}

void tessera_read(const fs::path& path, std::size_t faces) {
  const io::ReadResult result = io::read_triangles(path);
  if (result.mesh.triangles.size() != faces)
    throw std::runtime_error(path.string() + ": Tessera read something else");
}

void add_cases(const fs::path& folder, const Size& size, std::vector<fs::path>& files) {
  const auto mesh = std::make_shared<TriangleSoup>(make_torus(size.side));
  const std::size_t faces = mesh->triangles.size();
  for (const Kind& kind : kinds) {
    const fs::path path = folder / (std::to_string(faces) + kind.extension);
    io::WriteOptions options;
    options.encoding = kind.encoding;
    io::write_triangles(path, *mesh, options);
    files.push_back(path);
    const std::size_t bytes = fs::file_size(path);
    const std::string what = std::string(kind.name) + ", " + size.name + ", " +
                             std::to_string((bytes + 500'000) / 1'000'000) + " MB";
    add("read " + what + "/tessera", size.repetitions, [=] { tessera_read(path, faces); });
    if (kind.openmesh_reads)
      add("read " + what + "/OpenMesh", size.repetitions, [=] { openmesh_read(path, faces); });
    add("read " + what + "/raw", size.repetitions,
        [=] { benchmark::DoNotOptimize(raw_read(path, bytes)->get()); });
    const fs::path copy = folder / ("copy" + path.extension().string());
    add("write " + what + "/tessera", size.repetitions,
        [=] { io::write_triangles(copy, *mesh, options); });
    const std::shared_ptr<FreshMemory> content = raw_read(path, bytes);
    add("write " + what + "/raw", size.repetitions,
        [=] { raw_write(copy, content->get(), bytes); });
  }
}

// --- memory -----------------------------------------------------------------------------------

std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

/// In a process of its own: reads the file and prints how far memory rose, without the file's own
/// pages, beside the size of the arrays that came back.
int print_memory(const fs::path& path) {
  const std::uint64_t before = peak_memory();
  const io::ReadResult result = io::read_triangles(path);
  const std::uint64_t peak =
      peak_memory() - before - std::min(result.bytes, peak_memory() - before);
  const std::uint64_t arrays = result.mesh.positions.size() * sizeof(Vec3d) +
                               result.mesh.triangles.size() * sizeof(Triangle);
  std::printf("| read %s | %.1f | %.1f | %.1f | %.2f |\n", path.filename().c_str(),
              static_cast<double>(result.bytes) * 1e-6, static_cast<double>(arrays) * 1e-6,
              static_cast<double>(peak) * 1e-6,
              static_cast<double>(peak) / static_cast<double>(arrays));
  return 0;
}

void print_memory_table(const char* program, const std::vector<fs::path>& files) {
  std::cout << "\n| case | file MB | arrays MB | peak MB beside the file | peak / arrays |\n"
            << "|---|---|---|---|---|\n"
            << std::flush;
  for (const fs::path& file : files) {
    const std::string command = '"' + std::string(program) + "\" --memory \"" + file.string() + '"';
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  }
}

}  // namespace

int run(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--memory") return print_memory(argv[2]);
  const TemporaryFolder folder;
  std::vector<fs::path> files;
  for (const Size& size : sizes) add_cases(folder.path(), size, files);
  benchmark::Initialize(&argc, argv);
  RatioTable table({"tessera", "OpenMesh", "raw"});
  benchmark::RunSpecifiedBenchmarks(&table);
  print_memory_table(argv[0], files);
  return 0;
}

}  // namespace tessera::bench
