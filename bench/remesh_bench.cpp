// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Adaptation to metrics, beside what MMGS 5.8 made of the same input with as many faces:
//   tessera_remesh_bench FOLDER [--device cuda] [--threads N] [--runs N] [--rounds N] [--only TEXT]
//                        [--peers yes] [--scaling yes]
// FOLDER has stanford-bunny.obj, rocker-arm.obj and fandisk.obj. With --peers beside CGAL's
// isotropic remeshing on one thread, and with a second table: simplification to a third of the
// points beside CGAL and meshoptimizer. With --scaling only two large meshes, on 1, 2, 4, ... N
// threads, and with --device cuda on two threads and on the GPU. Medians of N runs (3) after one,
// from and to memory of the host.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "dynamic_peer.h"
#include "remesh_scaling.h"
#include "tessera/io/triangles.h"
#include "tessera/remesh/adapt.h"
#include "tessera/remesh/curvature_metric.h"
#include "tessera/remesh/metric_field.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/compare.h"
#include "tessera/surface/face_box.h"
#include "tessera/surface/simplify.h"
#include "tessera/surface/subdivide.h"

namespace {

using namespace tessera;

struct Settings {
  std::string folder;
  std::string only;
  int runs = 3;
  int threads = 0;
  int rounds = 0;  ///< 0: as many as adapt() has
  bool with_peers = false;
  bool is_scaling = false;
  bool on_gpu = false;
};

/// What MMGS 5.8 had on one thread; deviations in 1e-5 of the diagonal.
struct Rival {
  double seconds;
  double faces;
  double quality;  ///< 0: not known
  double angle;    ///< likewise
  double mean;
  double largest;
};

enum class Recipe { uniform, curvature, stretched };

struct Case {
  const char* name;
  const char* file;
  int levels;  ///< how often faces are split into four before
  Recipe recipe;
  double error;      ///< of the diagonal
  double tolerance;  ///< in 1e-5 of the diagonal: about 0.6 of the rival's largest deviation
  double ridge_angle;
  Rival rival;
};

constexpr Case cases[] = {
    {"bunny, one size",
     "stanford-bunny.obj",
     0,
     Recipe::uniform,
     0,
     82,
     45,
     {1.9, 58477, 0.961, 1.4, 8.6, 137}},
    {"bunny, curvature",
     "stanford-bunny.obj",
     0,
     Recipe::curvature,
     1e-3,
     73,
     45,
     {2.4, 42451, 0.954, 0.7, 11, 122}},
    {"bunny, stretched",
     "stanford-bunny.obj",
     0,
     Recipe::stretched,
     1e-3,
     115,
     45,
     {9.9, 22005, 0, 0, 20, 192}},
    {"fandisk, one size",
     "fandisk.obj",
     0,
     Recipe::uniform,
     0,
     48,
     30,
     {0.38, 12370, 0.953, 19.4, 2.4, 96}},
    {"fandisk, stretched",
     "fandisk.obj",
     0,
     Recipe::stretched,
     1e-3,
     85,
     30,
     {1.3, 2608, 0, 0, 7.6, 141}},
    {"bunny split twice, one size",
     "stanford-bunny.obj",
     2,
     Recipe::uniform,
     0,
     20,
     45,
     {33, 946636, 0.962, 0.1, 1.3, 33}},
    {"bunny split twice, curvature",
     "stanford-bunny.obj",
     2,
     Recipe::curvature,
     1e-3,
     55,
     45,
     {20, 127574, 0, 0, 5.9, 92}},
    {"bunny split twice, stretched",
     "stanford-bunny.obj",
     2,
     Recipe::stretched,
     1e-3,
     131,
     45,
     {74, 93787, 0, 0, 9.9, 219}},
};

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Bench {
 public:
  Bench(const exec::Stream& stream, const Settings& settings)
      : stream_(stream), settings_(settings) {}

  void run(const Case& test) {
    TriangleSoup mesh = io::read_triangles(settings_.folder + "/" + test.file).mesh;
    if (test.levels > 0) {
      surface::SubdivideOptions levels;
      levels.levels = test.levels;
      mesh = surface::subdivide(stream_, mesh, levels);
    }
    remesh::AdaptOptions options;
    options.ridge_angle = test.ridge_angle;
    options.tolerance = 1e-5 * test.tolerance * surface::diagonal_of_faces(stream_, mesh);
    if (settings_.rounds > 0) options.rounds = settings_.rounds;
    remesh::AdaptResult result;
    std::vector<double> times;
    std::vector<double> metric_times;
    const auto run_once = [&](double points) {
      remesh::MetricField metric;
      const double for_metric = seconds([&] { metric = metric_of(test, mesh, points); });
      const double time = seconds([&] { result = remesh::adapt(stream_, mesh, metric, options); });
      times.push_back(time + for_metric);
      metric_times.push_back(for_metric);
    };
    // A few faces less than the rival has.
    double points = 0.5 * test.rival.faces;
    double best = 0;
    double best_share = 0;
    constexpr int most_trials = 12;
    for (int i = 0; i < most_trials && best_share < 0.99; ++i) {
      run_once(points);
      const double share = static_cast<double>(result.mesh.triangles.size()) / test.rival.faces;
      if (share <= 1 && share > best_share) {
        best = points;
        best_share = share;
      }
      points *= 0.997 / share;
    }
    times.clear();
    metric_times.clear();
    for (int i = 0; i < settings_.runs; ++i) run_once(best > 0 ? best : points);
    std::sort(times.begin(), times.end());
    std::sort(metric_times.begin(), metric_times.end());
    print_rival(test);
    print("Tessera", mesh, result.mesh, result.report.mean_quality, times[times.size() / 2]);
    const remesh::AdaptReport& r = result.report;
    std::printf(
        "| | %.1f %% unit edges, least quality %.3f, %llu splits, %llu collapses, %llu flips | "
        "metric %.3f, set-up %.3f, splits %.3f, collapses %.3f, flips %.3f, smoothing %.3f, rest "
        "%.3f s |\n",
        100 * r.unit_edges, r.least_quality, static_cast<unsigned long long>(r.splits),
        static_cast<unsigned long long>(r.collapses), static_cast<unsigned long long>(r.flips),
        metric_times[metric_times.size() / 2], r.seconds.set_up, r.seconds.splitting,
        r.seconds.collapsing, r.seconds.flipping, r.seconds.smoothing, r.seconds.rest);
    if (settings_.with_peers && test.recipe == Recipe::uniform) {
      const double length = surface::analyze(stream_, result.mesh).mean_edge_length;
      const bench::PeerResult cgal = bench::remesh_with_cgal(mesh, length, options.rounds);
      print("CGAL", mesh, cgal.mesh, surface::analyze(stream_, cgal.mesh).mean_quality,
            cgal.seconds);
    }
    std::fflush(stdout);
  }

  /// To a third of the points.
  void simplify(const char* file) {
    const TriangleSoup mesh = io::read_triangles(settings_.folder + "/" + file).mesh;
    surface::SimplifyOptions options;
    options.faces = mesh.triangles.size() / 3;
    for (const int steps : {0, 3, 6}) {
      options.fitting_steps = steps;
      surface::SimplifyResult result;
      std::vector<double> times;
      for (int i = 0; i <= settings_.runs; ++i) {
        const double time = seconds([&] { result = surface::simplify(stream_, mesh, options); });
        if (i > 0) times.push_back(time);
      }
      std::sort(times.begin(), times.end());
      const std::string name =
          steps == 0 ? "Tessera" : "Tessera, fitted in " + std::to_string(steps) + " steps";
      print_simplified(file, name, mesh, {result.mesh, times[times.size() / 2]});
    }
    print_simplified(file, "CGAL", mesh, bench::simplify_with_cgal(mesh, options.faces));
    print_simplified(file, "meshoptimizer", mesh,
                     bench::simplify_with_meshoptimizer(mesh, options.faces));
    std::fflush(stdout);
  }

 private:
  void print_simplified(const char* file, const std::string& name, const TriangleSoup& input,
                        const bench::PeerResult& result) const {
    const surface::Comparison distance = surface::compare(stream_, input, result.mesh);
    const double unit = 1e5 / distance.diagonal;
    const surface::SurfaceDistance& there = distance.b_to_a;
    const surface::SurfaceDistance& back = distance.a_to_b;
    std::printf("| %s | %s | %zu | %.4f / %.4f | %.4f / %.4f | %.0f / %.0f | %.3f |\n", file,
                name.c_str(), result.mesh.triangles.size(), unit * there.mean, unit * back.mean,
                unit * there.rms, unit * back.rms, unit * there.max, unit * back.max,
                result.seconds);
  }
  remesh::MetricField metric_of(const Case& test, const TriangleSoup& mesh, double points) const {
    remesh::MetricField field;
    if (test.recipe == Recipe::uniform) {
      field = remesh::uniform_metric(stream_, mesh, 1);
    } else {
      remesh::CurvatureMetricOptions options;
      options.error = test.error * surface::diagonal_of_faces(stream_, mesh);
      options.ridge_angle = test.ridge_angle;
      options.stretch =
          test.recipe == Recipe::stretched ? remesh::Stretch::along : remesh::Stretch::none;
      field = remesh::curvature_metric(stream_, mesh, options);
      remesh::limit_gradation(stream_, mesh, field, 1.5);
    }
    remesh::scale_to_points(mesh, field, points);
    return field;
  }
  static std::string text(double number, int digits) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.*f", digits, number);
    return buffer;
  }
  static void print_rival(const Case& test) {
    const Rival& r = test.rival;
    const std::string shapes = (r.quality > 0 ? "quality " + text(r.quality, 3) + ", " : "") +
                               (r.angle > 0 ? "smallest angle " + text(r.angle, 1) + ", " : "");
    std::printf("| **%s**: MMGS | %.0f faces, %sdeviation %.1f / %.0f | %.2f |\n", test.name,
                r.faces, shapes.c_str(), r.mean, r.largest, r.seconds);
  }
  void print(const char* name, const TriangleSoup& input, const TriangleSoup& mesh, double quality,
             double time) const {
    const surface::MeshInfo info = surface::analyze(stream_, mesh);
    const surface::Comparison distance = surface::compare(stream_, input, mesh);
    const double unit = 1e5 / distance.diagonal;
    std::printf(
        "| %s | %zu faces, quality %.3f, smallest angle %.1f, deviation %.1f / %.0f (from "
        "the input %.1f / %.0f) | %.3f |\n",
        name, mesh.triangles.size(), quality, info.min_angle, unit * distance.b_to_a.mean,
        unit * distance.b_to_a.max, unit * distance.a_to_b.mean, unit * distance.a_to_b.max, time);
  }

  const exec::Stream& stream_;
  const Settings& settings_;
};

bool set(Settings& settings, const std::string& flag, const std::string& value) {
  if (flag == "--device") {
    settings.on_gpu = value == "cuda";
    return value == "cuda" || value == "cpu";
  }
  if (flag == "--peers" || flag == "--scaling") {
    (flag == "--peers" ? settings.with_peers : settings.is_scaling) = value == "yes";
    return value == "yes" || value == "no";
  }
  if (flag == "--only") {
    settings.only = value;
    return true;
  }
  int* number = flag == "--threads"  ? &settings.threads
                : flag == "--runs"   ? &settings.runs
                : flag == "--rounds" ? &settings.rounds
                                     : nullptr;
  if (number == nullptr) return false;
  *number = std::atoi(value.c_str());
  return *number > 0;
}

/// Threads up to those of a device, or two of them and a GPU.
std::vector<exec::Device> scaling_devices(const exec::Device& device) {
  std::vector<exec::Device> devices;
  if (device.backend() == exec::Backend::cuda) return {exec::Device::cpu(2), device};
  for (int n = 1; n < device.threads(); n *= 2) devices.push_back(exec::Device::cpu(n));
  devices.push_back(device);
  return devices;
}

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  bool is_right = argc >= 2 && argc % 2 == 0;
  if (is_right) settings.folder = argv[1];
  for (int i = 2; is_right && i < argc; i += 2) is_right = set(settings, argv[i], argv[i + 1]);
  if (!is_right) {
    std::fprintf(stderr,
                 "tessera_remesh_bench FOLDER [--device cpu|cuda] [--threads N] [--runs N] "
                 "[--rounds N] [--only TEXT] [--peers yes|no] [--scaling yes|no]\n");
    return 2;
  }
  const exec::Device device = settings.on_gpu        ? exec::Device::cuda()
                              : settings.threads > 0 ? exec::Device::cpu(settings.threads)
                                                     : exec::Device::cpu();
  if (settings.is_scaling) {
    bench::print_remesh_scaling(scaling_devices(device), settings.folder + "/fandisk.obj",
                                settings.runs, settings.only);
    return 0;
  }
  const exec::Stream stream(device);
  std::printf("%s; MMGS 5.8 on one thread of another machine\n\n| | | s |\n|---|---|---|\n",
              device.name().c_str());
  Bench bench(stream, settings);
  for (const Case& test : cases)
    if (std::string(test.name).find(settings.only) != std::string::npos) bench.run(test);
  if (settings.with_peers) {
    std::printf(
        "\n| | | faces | mean distance from the input / of it | root mean square | largest | s |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const char* file : {"stanford-bunny.obj", "rocker-arm.obj", "fandisk.obj"})
      bench.simplify(file);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
