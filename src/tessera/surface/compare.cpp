// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/compare.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/core/random.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/indices.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/scan.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/detail/edges.h"
#include "tessera/surface/detail/geometry.h"
#include "tessera/surface/detail/input.h"
#include "tessera/surface/detail/query_order.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

constexpr std::uint64_t most_samples = std::uint64_t{1} << 32;
/// How often progress is told in each direction, for the vertices and for the samples.
constexpr std::uint64_t vertex_steps = query_steps;
constexpr std::uint64_t sample_steps = 64;

TESSERA_KERNEL Vec3d doubled_normal(const BvhTriangle& t) {
  return cross(t.b - t.a, t.c - t.a);
}

/// From the corners as they were given: those of the tree are rounded, and a face without area
/// might get one.
struct FaceAreas {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  TESSERA_KERNEL double operator()(Index f) const { return face_area(triangles[f], positions); }
};

/// The area of the face at each place, of a sum of nearly 2^62: integers add up to the same in any
/// order, and a scan of them finds the face of a sample.
struct WriteWeight {
  BvhView tree;
  FaceAreas areas;
  double scale;
  View<std::uint64_t> weights;
  TESSERA_KERNEL void operator()(Index place) const {
    weights[place] =
        place < tree.size() ? static_cast<std::uint64_t>(scale * areas(tree.face(place))) : 0;
  }
};

struct Sample {
  Vec3d point;
  Index place;  ///< of its face
};

/// Points spread over a surface by area: one in each slice of the cumulated area of the faces, in
/// the order of the tree, so that consecutive samples are near each other.
struct Sampler {
  BvhView tree;
  View<const std::uint64_t> starts;  ///< of each place in the cumulated weights, and the end
  std::uint64_t slice;
  Random random;

  /// `from`: a place not behind that of the sample.
  TESSERA_KERNEL Sample operator()(std::uint64_t k, Index from) const {
    const std::uint64_t target = k * slice + random.bits(3 * k) % slice;
    Index place = from;
    for (int i = 0; i < 8 && starts[place + 1] <= target; ++i) ++place;
    if (starts[place + 1] <= target)
      place = exec::bisect(place, tree.size(), [&](Index i) { return starts[i + 1] <= target; });
    const BvhTriangle t = tree.triangle(place);
    const double root = std::sqrt(random.uniform(3 * k + 1));
    const double share = random.uniform(3 * k + 2);
    return {t.a + (t.b - t.a) * (root * (1 - share)) + (t.c - t.a) * (root * share), place};
  }
};

struct SampleSums {
  double distance = 0;
  double square = 0;
  double max = -1;
  std::uint64_t farthest = 0;  ///< the sample of the maximum
  double angle = 0;
  double angle_square = 0;
  double max_angle = 0;
  std::uint64_t angles = 0;
};

struct CombineSamples {
  TESSERA_KERNEL SampleSums operator()(const SampleSums& a, const SampleSums& b) const {
    const bool b_farther = b.max > a.max || (b.max == a.max && b.farthest < a.farthest);
    return {a.distance + b.distance,
            a.square + b.square,
            b_farther ? b.max : a.max,
            b_farther ? b.farthest : a.farthest,
            a.angle + b.angle,
            a.angle_square + b.angle_square,
            exec::Maximum{}(a.max_angle, b.max_angle),
            a.angles + b.angles};
  }
};

struct MeasureSamples {
  Sampler sampler;
  BvhView other;
  std::uint64_t samples;
  Index run;
  std::uint64_t first_run;
  View<SampleSums> sums;  ///< of the runs from the first one on

  TESSERA_KERNEL void operator()(std::uint64_t r) const {
    const std::uint64_t begin = (first_run + r) * run;
    const std::uint64_t end = samples - begin < run ? samples : begin + run;
    const CombineSamples combine;
    SampleSums sum;
    Index place = 0;
    Index other_place = no_index;
    for (std::uint64_t k = begin; k < end; ++k) {
      const Sample sample = sampler(k, place);
      place = sample.place;
      const ClosestPoint found = other.closest_from(sample.point, other_place);
      other_place = found.place;
      sum = combine(sum, measured(k, place, found));
    }
    sums[r] = sum;
  }

  TESSERA_KERNEL SampleSums measured(std::uint64_t k, Index place,
                                     const ClosestPoint& found) const {
    SampleSums one{found.distance, found.distance * found.distance, found.distance, k};
    const Vec3d here = doubled_normal(sampler.tree.triangle(place));
    const Vec3d there = doubled_normal(other.triangle(found.place));
    if (squared_length(here) > 0 && squared_length(there) > 0) {
      one.angle =
          std::atan2(length(cross(here, there)), dot(here, there)) * (180 / std::numbers::pi);
      one.angle_square = one.angle * one.angle;
      one.max_angle = one.angle;
      one.angles = 1;
    }
    return one;
  }
};

struct ReadSums {
  View<const SampleSums> sums;
  TESSERA_KERNEL SampleSums operator()(std::uint64_t r) const { return sums[r]; }
};

struct StoreDistance {
  View<double> distances;
  TESSERA_KERNEL void operator()(Index v, const ClosestPoint& found) const {
    distances[v] = found.distance;
  }
};

struct FarCorner {
  double distance = -1;
  Index corner = no_index;
};

struct CornerDistance {
  View<const Triangle> triangles;
  View<const double> distances;
  TESSERA_KERNEL FarCorner operator()(Index corner) const {
    return {distances[vertex_at(triangles, corner)], corner};
  }
};

struct Farther {
  TESSERA_KERNEL FarCorner operator()(const FarCorner& a, const FarCorner& b) const {
    return b.distance > a.distance || (b.distance == a.distance && b.corner < a.corner) ? b : a;
  }
};

/// Of distances linear over the faces.
struct FaceSums {
  double weight = 0;
  double distance = 0;
  double square = 0;
};

struct FaceDistance {
  View<const Triangle> triangles;
  FaceAreas areas;
  View<const double> distances;
  bool by_area;
  TESSERA_KERNEL FaceSums operator()(Index f) const {
    const Triangle t = triangles[f];
    const double weight = by_area ? areas(f) : 1;
    const double a = distances[t[0]];
    const double b = distances[t[1]];
    const double c = distances[t[2]];
    return {weight, weight * (a + b + c) / 3,
            weight * (a * a + b * b + c * c + a * b + b * c + c * a) / 6};
  }
};

struct CombineFaces {
  TESSERA_KERNEL FaceSums operator()(const FaceSums& a, const FaceSums& b) const {
    return {a.weight + b.weight, a.distance + b.distance, a.square + b.square};
  }
};

struct DescribeSample {
  Sampler sampler;
  BvhView other;
  std::uint64_t sample;
  View<FarthestPoint> result;
  TESSERA_KERNEL void operator()(Index i) const {
    const Sample here = sampler(sample, 0);
    const ClosestPoint found = other.closest(here.point);
    result[i] = {found.distance, here.point, sampler.tree.face(here.place), found.point,
                 found.face};
  }
};

struct DescribeCorner {
  View<const Vec3d> positions;
  View<const Triangle> triangles;
  BvhView other;
  Index corner;
  View<FarthestPoint> result;
  TESSERA_KERNEL void operator()(Index i) const {
    const Vec3d point = positions[vertex_at(triangles, corner)];
    const ClosestPoint found = other.closest(point);
    result[i] = {found.distance, point, corner / 3, found.point, found.face};
  }
};

/// One of the two meshes, on the device.
struct Side {
  Side(const exec::Stream& stream, const TriangleSoup& mesh)
      : positions(stream, mesh.positions),
        triangles(stream, mesh.triangles),
        tree(stream, positions.view(), triangles.view()) {}

  FaceAreas areas() const { return {positions.view(), triangles.view()}; }

  Input<Vec3d> positions;
  Input<Triangle> triangles;
  Bvh tree;
};

/// Measures from one mesh to the other.
class Direction {
 public:
  Direction(const exec::Stream& stream, const Side& from, const Side& to,
            const CompareOptions& options)
      : stream_(stream), from_(from), to_(to), options_(options), farthest_(stream, 1) {}

  SurfaceDistance run(Progress& progress) {
    measure_vertices(progress);
    area_ = exec::reduce(stream_, from_.tree.size(), 0.0, from_.areas(), exec::Plus{});
    if (options_.samples > 0 && area_ > 0) {
      measure_samples(progress);
    } else {
      interpolate();
      progress.advance(sample_steps);
    }
    return std::move(result_);
  }

 private:
  void measure_vertices(Progress& progress) {
    const View<const Vec3d> positions = from_.positions.view();
    distances_ = Buffer<double>(stream_, positions.size());
    for_each_closest(stream_, to_.tree.view(), positions, StoreDistance{distances_.view()},
                     progress);
    const FarCorner far =
        exec::reduce(stream_, 3 * from_.tree.size(), FarCorner{},
                     CornerDistance{from_.triangles.view(), distances_.const_view()}, Farther{});
    exec::for_each(stream_, Index{1},
                   DescribeCorner{positions, from_.triangles.view(), to_.tree.view(), far.corner,
                                  farthest_.view()});
    result_.farthest = exec::download_one(stream_, farthest_, 0);
    result_.vertex_max = far.distance;
    result_.max = far.distance;
    if (options_.vertex_distances) result_.vertex_distances = exec::download(stream_, distances_);
  }

  void measure_samples(Progress& progress) {
    const Index faces = from_.tree.size();
    Buffer<std::uint64_t> starts(stream_, std::size_t{faces} + 1);
    const double scale = 0x1p62 / area_;
    exec::for_each(stream_, faces + 1,
                   WriteWeight{from_.tree.view(), from_.areas(), scale, starts.view()});
    exec::exclusive_scan(stream_, starts.view(), starts.view());
    const std::uint64_t total = exec::download_one(stream_, starts, faces);
    const std::uint64_t n = options_.samples;
    const Sampler sampler{from_.tree.view(), starts.const_view(), total / n, Random(options_.seed)};
    const Index run = queries_per_run(stream_);
    const std::uint64_t runs = (n + run - 1) / run;
    // Sums of so many runs are kept at once: 64 MiB.
    constexpr std::uint64_t most_sums = std::uint64_t{1} << 20;
    const std::uint64_t runs_at_once = exec::Minimum{}(runs / sample_steps + 1, most_sums);
    Buffer<SampleSums> sums(stream_, runs_at_once);
    SampleSums all;
    std::uint64_t told = 0;
    for (std::uint64_t first = 0; first < runs;) {
      const std::uint64_t step = exec::Minimum{}(runs_at_once, runs - first);
      exec::for_each(stream_, step,
                     MeasureSamples{sampler, to_.tree.view(), n, run, first, sums.view()});
      all = CombineSamples{}(all, exec::reduce(stream_, step, SampleSums{},
                                               ReadSums{sums.const_view()}, CombineSamples{}));
      first += step;
      const std::uint64_t done = sample_steps * first / runs;
      progress.advance(done - told);
      told = done;
    }
    const auto count = static_cast<double>(n);
    result_.samples = n;
    result_.mean = all.distance / count;
    result_.rms = std::sqrt(all.square / count);
    if (all.max > result_.max) {
      result_.max = all.max;
      exec::for_each(stream_, Index{1},
                     DescribeSample{sampler, to_.tree.view(), all.farthest, farthest_.view()});
      result_.farthest = exec::download_one(stream_, farthest_, 0);
    }
    if (all.angles > 0) {
      const auto angles = static_cast<double>(all.angles);
      result_.normals = {all.angle / angles, std::sqrt(all.angle_square / angles), all.max_angle,
                         all.angles};
    }
  }

  void interpolate() {
    const FaceSums sums = exec::reduce(
        stream_, from_.tree.size(), FaceSums{},
        FaceDistance{from_.triangles.view(), from_.areas(), distances_.const_view(), area_ > 0},
        CombineFaces{});
    result_.mean = sums.distance / sums.weight;
    result_.rms = std::sqrt(sums.square / sums.weight);
  }

  const exec::Stream& stream_;
  const Side& from_;
  const Side& to_;
  const CompareOptions& options_;
  Buffer<FarthestPoint> farthest_;
  Buffer<double> distances_;  ///< of each vertex
  double area_ = 0;
  SurfaceDistance result_;
};

/// Mean of two values, weighted.
double weighted(double a, double weight_a, double b, double weight_b) {
  const double sum = weight_a + weight_b;
  return sum > 0 ? (a * weight_a + b * weight_b) / sum : 0.5 * (a + b);
}

double weighted_rms(double a, double weight_a, double b, double weight_b) {
  return std::sqrt(weighted(a * a, weight_a, b * b, weight_b));
}

void combine_directions(Comparison& result) {
  const SurfaceDistance& ab = result.a_to_b;
  const SurfaceDistance& ba = result.b_to_a;
  const double area_a = result.a.area;
  const double area_b = result.b.area;
  result.mean = weighted(ab.mean, area_a, ba.mean, area_b);
  result.rms = weighted_rms(ab.rms, area_a, ba.rms, area_b);
  result.max = ab.max < ba.max ? ba.max : ab.max;
  const NormalDeviation& na = ab.normals;
  const NormalDeviation& nb = ba.normals;
  const double weight_a = na.samples > 0 ? area_a : 0;
  const double weight_b = nb.samples > 0 ? area_b : 0;
  result.normals = {weighted(na.mean, weight_a, nb.mean, weight_b),
                    weighted_rms(na.rms, weight_a, nb.rms, weight_b),
                    na.max < nb.max ? nb.max : na.max, na.samples + nb.samples};
}

}  // namespace

Comparison compare(const exec::Stream& stream, const TriangleSoup& a, const TriangleSoup& b,
                   const CompareOptions& options) {
  if (options.samples > most_samples)
    throw InputError(std::to_string(options.samples) + " samples are more than the " +
                     std::to_string(most_samples) + " that can be taken");
  Comparison result;
  const AnalyzeOptions analysis{options.progress};
  result.a = analyze(stream, a, analysis);
  result.b = analyze(stream, b, analysis);
  for (const MeshInfo* info : {&result.a, &result.b}) {
    const char* name = info == &result.a ? "first" : "second";
    if (info->faces == 0)
      throw InputError(std::string("the ") + name + " mesh has no faces to compare");
    if (!std::isfinite(info->area))
      throw InputError(std::string("the area of the ") + name + " mesh is too large a number");
  }
  result.area_change = result.b.area - result.a.area;
  if (result.a.volume && result.b.volume)
    result.volume_change = *result.b.volume - *result.a.volume;
  Box box = *result.a.bounding_box;
  box.add(*result.b.bounding_box);
  result.diagonal = length(box.max - box.min);
  if (options.histogram_bins != 0) {
    result.a_shape = shape_histograms(stream, a, options.histogram_bins);
    result.b_shape = shape_histograms(stream, b, options.histogram_bins);
  }

  Progress progress(options.progress, "comparing", 2 * (1 + vertex_steps + sample_steps));
  const Side side_a(stream, a);
  progress.advance(1);
  const Side side_b(stream, b);
  progress.advance(1);
  result.a_to_b = Direction(stream, side_a, side_b, options).run(progress);
  result.b_to_a = Direction(stream, side_b, side_a, options).run(progress);
  combine_directions(result);
  return result;
}

}  // namespace tessera::surface
