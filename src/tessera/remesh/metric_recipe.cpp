// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/remesh/metric_recipe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tessera/core/error.h"
#include "tessera/exec/reduce.h"
#include "tessera/remesh/detail/curvature_metrics.h"
#include "tessera/remesh/detail/hessian_metrics.h"
#include "tessera/remesh/detail/metric_mesh.h"
#include "tessera/surface/dynamic_mesh.h"

namespace tessera::remesh {
namespace {

using detail::MetricMesh;
using detail::Metrics;
using exec::View;

struct Extremes {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  double ratio = 1;
};
struct UniteExtremes {
  TESSERA_KERNEL Extremes operator()(const Extremes& a, const Extremes& b) const {
    return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
            a.ratio > b.ratio ? a.ratio : b.ratio};
  }
};
struct ExtremesAt {
  surface::DynamicView mesh;
  View<const SurfaceMetric> metrics;
  TESSERA_KERNEL Extremes operator()(Index v) const {
    if (!mesh.is_vertex(v)) return {};
    const double a = metrics[v].along;
    const double b = metrics[v].across;
    const double shorter = a > b ? a : b;
    const double longer = a > b ? b : a;
    return {1 / std::sqrt(shorter), 1 / std::sqrt(longer), std::sqrt(shorter / longer)};
  }
};

bool has_gradation(const MetricRecipe& recipe) {
  return recipe.gradation > 1;
}

/// Whether lengths follow from the shape of something, and so may be without bound.
bool is_from_errors(const MetricRecipe& recipe) {
  return recipe.error > 0 || !recipe.fields.empty();
}

void check(const MetricRecipe& recipe) {
  for (const double number :
       {recipe.size, recipe.points, recipe.error, recipe.smallest, recipe.largest})
    if (!(number >= 0) || !std::isfinite(number))
      throw InputError(
          "a length, error or number of points of the metric is negative or no number");
  if (recipe.size > 0 && recipe.points > 0)
    throw InputError("a metric has either a length of edges or a number of points");
  if (recipe.size == 0 && recipe.points == 0 && !is_from_errors(recipe) && recipe.metrics.empty())
    throw InputError(
        "the metric needs a length of edges, a number of points, an error, a field or another "
        "metric");
  if (recipe.largest > 0 && recipe.smallest > recipe.largest)
    throw InputError("the smallest length of edges is above the largest");
  if (!(recipe.gradation >= 1 || recipe.gradation == 0) || !std::isfinite(recipe.gradation))
    throw InputError("the factor by which edges may grow is neither 0 nor 1 or more");
  surface::check_ridge_angle(recipe.ridge_angle);
  for (const FieldWish& wish : recipe.fields)
    detail::check_field_error(wish.error, wish.error_of_range);
}

/// Lengths by a factor so that there are about as many points as wanted, if there is such a factor.
template <class CountPoints>
std::optional<double> find_factor(double start, double points, double tolerance,
                                  const CountPoints& count) {
  // A secant in logarithms: where no limit holds, points fall with the square of lengths.
  double slope = -2;
  double x = std::log(start);
  double y = std::log(count(start) / points);
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  constexpr int most_steps = 60;
  for (int step = 0; step < most_steps; ++step) {
    if (std::abs(y) <= tolerance) return std::exp(x);
    (y > 0 ? low : high) = x;
    double next = x - y / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (!std::isfinite(next) || std::abs(next) > 100 || next == x) return std::nullopt;
    const double of_next = std::log(count(std::exp(next)) / points);
    slope = std::clamp((of_next - y) / (next - x), -4.0, -0.1);
    x = next;
    y = of_next;
  }
  return std::nullopt;
}

class Maker {
 public:
  Maker(const exec::Stream& stream, const TriangleSoup& soup, const MetricRecipe& recipe)
      : recipe_(recipe), diagonal_(detail::diagonal_of(stream, soup)), mesh_(stream, soup) {}

  MetricResult make() {
    const Metrics wanted = all_wishes();
    set_limits();
    if (recipe_.points > 0) {
      const std::optional<double> factor = factor_for_points(wanted);
      if (!factor)
        throw InputError(
            "the limits of the lengths of edges and the gradation leave no metric of about so many "
            "points");
      change_.factor = *factor;
    }
    const Metrics metrics = last_ ? std::move(*last_) : finished(wanted, change_.factor);
    report_.points = detail::points_of(mesh_, metrics);
    const Extremes sizes =
        exec::reduce(mesh_.stream(), mesh_.places(), Extremes{},
                     ExtremesAt{mesh_.view(), metrics.const_view()}, UniteExtremes{});
    report_.smallest = std::isfinite(sizes.least) ? sizes.least : 0;
    report_.largest = sizes.most;
    report_.aspect = sizes.ratio;
    return {mesh_.field_of(metrics), report_};
  }

 private:
  Metrics all_wishes() {
    std::optional<Metrics> all;
    const auto add = [&](Metrics metrics) {
      if (all)
        detail::intersect(mesh_, *all, metrics);
      else
        all = std::move(metrics);
      told_.advance(0);
    };
    // Nearly without limits, which come when lengths have been multiplied.
    const double smallest = diagonal_ * 1e-6;
    const double largest = diagonal_ * 100;
    if (recipe_.error > 0)
      add(detail::curvature_metrics(
          mesh_, {recipe_.error, smallest, largest, recipe_.stretch, recipe_.ridge_angle}));
    for (const FieldWish& wish : recipe_.fields)
      add(detail::hessian_metrics(mesh_, wish.field,
                                  {wish.error, wish.error_of_range, smallest, largest,
                                   recipe_.stretch, recipe_.ridge_angle}));
    for (const Attribute& metric : recipe_.metrics) add(detail::metrics_of(mesh_, metric));
    if (recipe_.size > 0 || !all)
      add(detail::uniform_metrics(mesh_, recipe_.size > 0 ? recipe_.size : diagonal_));
    return std::move(*all);
  }

  void set_limits() {
    change_.smallest = recipe_.smallest;
    change_.largest = recipe_.largest;
    const bool is_open = is_from_errors(recipe_) && recipe_.size == 0 && recipe_.metrics.empty();
    if (recipe_.largest == 0)
      change_.largest = is_open ? std::max({diagonal_ / 10, 2 * even_length(), recipe_.smallest})
                                : std::numeric_limits<double>::infinity();
    if (recipe_.smallest == 0 && is_open) change_.smallest = change_.largest / 1000;
  }
  /// That makes so many points if it is the same everywhere; 0 if their number is free.
  double even_length() {
    if (recipe_.points == 0) return 0;
    return std::sqrt(detail::points_of(mesh_, detail::uniform_metrics(mesh_, 1)) / recipe_.points);
  }

  std::optional<double> factor_for_points(const Metrics& wanted) {
    const double now = detail::points_of(mesh_, wanted);
    if (!(now > 0)) throw InputError("the mesh has no area");
    // Gradation takes much longer than limits: first without it.
    const auto count_limited = [&](double factor) {
      return detail::points_of(mesh_, limited(wanted, factor));
    };
    const std::optional<double> first =
        find_factor(std::sqrt(now / recipe_.points), recipe_.points, 0.005, count_limited);
    if (!first || !has_gradation(recipe_)) return first;
    return find_factor(*first, recipe_.points, 0.015, [&](double factor) {
      last_ = finished(wanted, factor);
      return detail::points_of(mesh_, *last_);
    });
  }
  Metrics limited(const Metrics& wanted, double factor) {
    told_.advance(0);
    return detail::changed(mesh_, wanted, {factor, change_.smallest, change_.largest});
  }
  Metrics finished(const Metrics& wanted, double factor) {
    Metrics metrics = limited(wanted, factor);
    if (has_gradation(recipe_))
      report_.gradation = detail::grade(mesh_, metrics, recipe_.gradation, recipe_.progress);
    return metrics;
  }

  const MetricRecipe& recipe_;
  double diagonal_;
  MetricMesh mesh_;
  detail::SizeChange change_;
  std::optional<Metrics> last_;  ///< that a factor was tried with, for a number of points
  Progress told_{recipe_.progress, "metric", 0};
  MetricReport report_;
};

}  // namespace

MetricResult make_metric(const exec::Stream& stream, const TriangleSoup& mesh,
                         const MetricRecipe& recipe) {
  check(recipe);
  return Maker(stream, mesh, recipe).make();
}

}  // namespace tessera::remesh
