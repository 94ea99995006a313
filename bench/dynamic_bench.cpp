// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Meshes that change:
//   tessera_dynamic_bench FILE|FACES [--device cuda] [--threads N] [--levels N] [--smoothing-steps
//   N]
//                         [--fidelity N] [--peers yes] [--runs N]
// Delaunay flips, splits and collapses by both schemes, three iterations of isotropic remeshing
// (edges as long as the mean of the input's, no ridges), frames of tracking and simplification to
// 10 and 1 % of a mesh and of the same split into four faces each, up to N times, or of a noisy
// sphere of so many faces; an iteration of mean-curvature flow before and after the flips. With
// --peers beside CGAL and meshoptimizer, which use one thread. Medians of N runs (3) after one; one
// run of the peers. Remeshing and simplification are from and to memory of the host, flips and
// peers are of a mesh that is built.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "dynamic_peer.h"
#include "scheme_bench.h"
#include "tessera/io/triangles.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/compare.h"
#include "tessera/surface/delaunay.h"
#include "tessera/surface/generate.h"
#include "tessera/surface/isotropic_remesh.h"
#include "tessera/surface/mean_curvature_flow.h"
#include "tessera/surface/simplify.h"
#include "tessera/surface/subdivide.h"
#include "tessera/surface/track.h"

namespace {

using namespace tessera;
using namespace tessera::surface;

struct Settings {
  int runs = 3;
  int levels = 2;
  int threads = 0;
  int smoothing_steps = IsotropicRemeshOptions{}.smoothing_steps;
  int fidelity = static_cast<int>(IsotropicRemeshOptions{}.fidelity);
  bool with_peers = false;
  bool on_gpu = false;
};

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class F>
double median(int runs, const F& f) {
  f();
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(f());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Faces at vertices; inside as many as edges.
struct Valences {
  int least = 0;
  int most = 0;
  double mean = 0;
  double regular_percent = 0;  ///< with six

  explicit Valences(const TriangleSoup& mesh) {
    std::vector<int> corners(mesh.positions.size());
    for (const Triangle& t : mesh.triangles)
      for (int k = 0; k < 3; ++k) ++corners[t[k]];
    if (corners.empty()) return;
    const auto [smallest, largest] = std::minmax_element(corners.begin(), corners.end());
    least = *smallest;
    most = *largest;
    const auto count = static_cast<double>(corners.size());
    mean = 3 * static_cast<double>(mesh.triangles.size()) / count;
    regular_percent =
        100 * static_cast<double>(std::count(corners.begin(), corners.end(), 6)) / count;
  }
};

class Bench {
 public:
  Bench(const exec::Stream& stream, const TriangleSoup& mesh, const Settings& settings)
      : stream_(stream), mesh_(mesh), settings_(settings) {}

  void run() {
    std::printf("| %zu faces | | |\n", mesh_.triangles.size());
    flip();
    flow();
    compare_schemes();
    remesh();
    track();
    for (const double ratio : {0.1, 0.01})
      simplify_to(static_cast<std::uint64_t>(ratio * static_cast<double>(mesh_.triangles.size())));
    std::fflush(stdout);
  }

 private:
  void flip() const {
    const double build = median(settings_.runs, [&] {
      return seconds([&] {
        const DynamicMesh dynamic(stream_, mesh_);
        stream_.synchronize();
      });
    });
    std::printf("| building | | %.4f |\n", build);
    DelaunayReport flips;
    const double time = median(settings_.runs, [&] {
      DynamicMesh dynamic(stream_, mesh_);
      stream_.synchronize();
      return seconds([&] { flips = make_delaunay(dynamic, {180}); });
    });
    std::printf("| Delaunay | %llu flips, %d rounds, %llu left | %.4f |\n",
                static_cast<unsigned long long>(flips.flips), flips.rounds,
                static_cast<unsigned long long>(flips.violating), time);
  }
  /// An iteration of the solver of mean-curvature flow before and after the flips.
  void flow() const {
    DynamicMesh dynamic(stream_, mesh_);
    make_delaunay(dynamic, {180});
    const double before = iteration_of_flow(mesh_);
    const double after = iteration_of_flow(dynamic.to_soup());
    std::printf(
        "| mean-curvature flow, an iteration | before the flips %.6f, after them | %.6f |\n",
        before, after);
  }
  double iteration_of_flow(const TriangleSoup& mesh) const {
    const PatchedMesh patched(stream_, mesh);
    MeanCurvatureFlowOptions options;
    options.tolerance = 1e-30;
    options.max_iterations = 60;
    int iterations = 1;
    const double time = median(settings_.runs, [&] {
      VertexAttribute<Vec3f> positions = positions_of(patched, mesh);
      return seconds([&] {
        iterations = std::max(1, mean_curvature_flow(patched, positions, options).iterations);
        stream_.synchronize();
      });
    });
    return time / iterations;
  }
  /// Splits and collapses in rounds and, on the CPU, in patches.
  void compare_schemes() const {
    const double length = analyze(stream_, mesh_).mean_edge_length;
    for (const bool in_patches : {false, true}) {
      if (in_patches && settings_.on_gpu) break;
      bench::SchemeResult result;
      std::vector<double> splits;
      std::vector<double> collapses;
      for (int i = 0; i <= settings_.runs; ++i) {
        DynamicMesh dynamic(stream_, mesh_);
        stream_.synchronize();
        result = bench::run_scheme(dynamic, 1.4 * length, 0.7 * length,
                                   in_patches ? Scheme::automatic : Scheme::rounds);
        if (i == 0) continue;  // warms up
        splits.push_back(result.split_seconds);
        collapses.push_back(result.collapse_seconds);
      }
      print_scheme(in_patches ? "splits, patches" : "splits, rounds", result.splits, splits);
      print_scheme(in_patches ? "collapses, patches" : "collapses, rounds", result.collapses,
                   collapses);
    }
  }
  static void print_scheme(const char* name, const UpdateReport& report,
                           std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    std::printf(
        "| %s | %llu operations, %llu of them in patches, %d rounds, %llu waited | %.4f |\n", name,
        static_cast<unsigned long long>(report.done),
        static_cast<unsigned long long>(report.in_patches), report.rounds,
        static_cast<unsigned long long>(report.lost), times[times.size() / 2]);
  }
  void remesh() const {
    IsotropicRemeshOptions options;
    options.ridge_angle = 180;
    options.smoothing_steps = settings_.smoothing_steps;
    options.fidelity = settings_.fidelity;
    IsotropicRemeshResult result;
    const double time = median(settings_.runs, [&] {
      return seconds([&] { result = isotropic_remesh(stream_, mesh_, options); });
    });
    const IsotropicRemeshReport& report = result.report;
    std::printf(
        "| remeshing: %llu splits, %llu collapses, %llu flips, %llu rounds, %llu waited | | |\n",
        static_cast<unsigned long long>(report.splits),
        static_cast<unsigned long long>(report.collapses),
        static_cast<unsigned long long>(report.flips),
        static_cast<unsigned long long>(report.rounds),
        static_cast<unsigned long long>(report.lost));
    print_quality("Tessera", result.mesh, time);
    if (!settings_.with_peers) return;
    const bench::PeerResult cgal =
        bench::remesh_with_cgal(mesh_, report.length, options.iterations);
    print_quality("CGAL", cgal.mesh, cgal.seconds);
  }
  /// A square grid of as many faces in curl noise, 30 frames.
  void track() const {
    GenerateOptions grid;
    grid.faces = mesh_.triangles.size();
    SurfaceTracker tracker(stream_, generate(stream_, Shape::plane, grid));
    std::vector<double> frames;
    ImproveReport sum;
    for (int i = 0; i < 30; ++i)
      frames.push_back(seconds([&] {
        sum += tracker.advance();
        stream_.synchronize();
      }));
    std::sort(frames.begin(), frames.end());
    std::printf(
        "| tracking, a frame | 30 frames, %llu splits, %llu collapses, %llu flips, %zu faces at "
        "the "
        "end; slowest %.4f | %.4f |\n",
        static_cast<unsigned long long>(sum.splits), static_cast<unsigned long long>(sum.collapses),
        static_cast<unsigned long long>(sum.flips), tracker.mesh().to_soup().triangles.size(),
        frames.back(), frames[frames.size() / 2]);
  }
  void print_quality(const char* name, const TriangleSoup& mesh, double time) const {
    const MeshInfo info = analyze(stream_, mesh);
    const Comparison distance = compare(stream_, mesh_, mesh);
    const double unit = 1e5 / distance.diagonal;
    const Valences valences(mesh);
    std::printf(
        "| %s, remeshing | %zu faces, quality %.3f, smallest angle %.1f, %.1f %% of valence 6, "
        "distance mean %.2fe-5 max %.0fe-5, edges %.3f to %.3f of their mean, valences %d to %d, "
        "mean %.2f | %.4f |\n",
        name, mesh.triangles.size(), info.mean_quality, info.min_angle, valences.regular_percent,
        unit * distance.b_to_a.mean, unit * distance.b_to_a.max,
        info.min_edge_length / info.mean_edge_length, info.max_edge_length / info.mean_edge_length,
        valences.least, valences.most, valences.mean, time);
    std::fflush(stdout);
  }
  void simplify_to(std::uint64_t faces) const {
    SimplifyOptions options;
    options.faces = faces;
    SimplifyResult result;
    const double time = median(settings_.runs, [&] {
      return seconds([&] { result = simplify(stream_, mesh_, options); });
    });
    std::printf("| simplification to %llu faces: %d rounds | | |\n",
                static_cast<unsigned long long>(faces), result.rounds);
    print_error("Tessera", result.mesh, time);
    if (!settings_.with_peers) return;
    const bench::PeerResult cgal = bench::simplify_with_cgal(mesh_, faces);
    print_error("CGAL", cgal.mesh, cgal.seconds);
    const bench::PeerResult meshopt = bench::simplify_with_meshoptimizer(mesh_, faces);
    print_error("meshoptimizer", meshopt.mesh, meshopt.seconds);
  }
  void print_error(const char* name, const TriangleSoup& mesh, double time) const {
    const Comparison error = compare(stream_, mesh_, mesh);
    const double unit = 1e5 / error.diagonal;
    std::printf("| %s, simplification | %zu faces, error mean %.1fe-5 max %.0fe-5 | %.4f |\n", name,
                mesh.triangles.size(), unit * error.mean, unit * error.max, time);
    std::fflush(stdout);
  }

  const exec::Stream& stream_;
  const TriangleSoup& mesh_;
  const Settings& settings_;
};

/// Whether the flag is one of ours.
bool set(Settings& settings, const std::string& flag, const std::string& value) {
  if (flag == "--device") {
    settings.on_gpu = value == "cuda";
    return value == "cuda" || value == "cpu";
  }
  if (flag == "--peers") {
    settings.with_peers = value == "yes";
    return value == "yes" || value == "no";
  }
  int* number = flag == "--threads"           ? &settings.threads
                : flag == "--levels"          ? &settings.levels
                : flag == "--smoothing-steps" ? &settings.smoothing_steps
                : flag == "--fidelity"        ? &settings.fidelity
                : flag == "--runs"            ? &settings.runs
                                              : nullptr;
  if (number == nullptr) return false;
  *number = std::atoi(value.c_str());
  return *number >= 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  bool is_right = argc % 2 == 0;
  for (int i = 2; is_right && i < argc; i += 2) is_right = set(settings, argv[i], argv[i + 1]);
  if (!is_right) {
    std::fprintf(stderr,
                 "tessera_dynamic_bench FILE|FACES [--device cpu|cuda] [--threads N] [--levels N] "
                 "[--smoothing-steps N] [--fidelity N] [--runs N] [--peers yes|no]\n");
    return 2;
  }
  settings.runs = std::max(settings.runs, 1);
  const exec::Device device = settings.on_gpu        ? exec::Device::cuda()
                              : settings.threads > 0 ? exec::Device::cpu(settings.threads)
                                                     : exec::Device::cpu();
  const exec::Stream stream(device);
  std::printf("%s\n\n| | | s |\n|---|---|---|\n", device.name().c_str());
  TriangleSoup mesh;
  GenerateOptions sphere;
  char* end = nullptr;
  sphere.faces = std::strtoull(argv[1], &end, 10);
  // As rough as a scan: a tenth of an edge.
  sphere.noise = 0.1 * std::sqrt(29 / (1.0 + static_cast<double>(sphere.faces)));
  if (*end == 0)
    mesh = generate(stream, Shape::noisy_sphere, sphere);
  else
    mesh = io::read_triangles(argv[1]).mesh;
  for (int level = 0; level <= settings.levels; ++level) {
    Bench(stream, mesh, settings).run();
    if (level < settings.levels) mesh = subdivide(stream, mesh);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
