// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Rakotoarivelo and Ledoux, Accurate manycore-accelerated manifold surface remesh kernels, section
// 4; Alauzet, Size gradation control of anisotropic meshes, 2010; Arsigny et al., Log-Euclidean
// metrics, 2006.
#pragma once

#include <cmath>

#include "tessera/core/vec.h"
#include "tessera/exec/kernel.h"

namespace tessera::remesh {

/// A symmetric matrix of two rows.
struct Symmetric2 {
  double xx = 0;
  double xy = 0;
  double yy = 0;

  /// The matrix with the same axes whose eigenvalues are f of these.
  template <class F>
  TESSERA_KERNEL Symmetric2 mapped(const F& f) const {
    const Axes axes = this->axes();
    const double first = f(axes.large);
    const double second = f(axes.small);
    const double c = axes.cosine;
    const double s = axes.sine;
    return {first * c * c + second * s * s, (first - second) * c * s,
            first * s * s + second * c * c};
  }
  /// Eigenvalues, and the direction of the larger.
  struct Axes {
    double large;
    double small;
    double cosine;
    double sine;
  };
  TESSERA_KERNEL Axes axes() const {
    const double half = (xx - yy) / 2;
    const double radius = std::sqrt(half * half + xy * xy);
    const double middle = (xx + yy) / 2;
    if (!(radius > 0)) return {middle, middle, 1, 0};
    // The half angle without a function of angles, from the sum that does not cancel.
    double c = half >= 0 ? radius + half : xy;
    double s = half >= 0 ? xy : radius - half;
    const double size = std::sqrt(c * c + s * s);
    c /= size;
    s /= size;
    return {middle + radius, middle - radius, c, s};
  }
  friend TESSERA_KERNEL Symmetric2 operator+(const Symmetric2& a, const Symmetric2& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }
  friend TESSERA_KERNEL Symmetric2 operator*(const Symmetric2& a, double s) {
    return {a.xx * s, a.xy * s, a.yy * s};
  }
  /// s a s, for a symmetric s.
  TESSERA_KERNEL Symmetric2 between(const Symmetric2& s) const {
    const double p = s.xx * xx + s.xy * xy;
    const double q = s.xx * xy + s.xy * yy;
    const double r = s.xy * xx + s.yy * xy;
    const double t = s.xy * xy + s.yy * yy;
    return {p * s.xx + q * s.xy, p * s.xy + q * s.yy, r * s.xy + t * s.yy};
  }
};

/// How long edges should be at a point of a surface: those along an axis in its tangent plane and
/// those across. An edge that is as long as wanted has length 1.
struct SurfaceMetric {
  Vec3d axis;         ///< of length 1, at right angles to the normal
  double along = 1;   ///< one over the square of the length wanted along the axis
  double across = 1;  ///< and across

  TESSERA_KERNEL static SurfaceMetric isotropic(const Vec3d& normal, double size) {
    const double value = 1 / (size * size);
    return {any_tangent(normal), value, value};
  }
  /// Of an edge at the point. What of it leaves the tangent plane counts as if it were turned into
  /// the plane.
  TESSERA_KERNEL double squared_length_of(const Vec3d& normal, const Vec3d& edge) const {
    const double x = dot(edge, axis);
    const double y = dot(edge, cross(normal, axis));
    const double flat = x * x + y * y;
    if (!(flat > 0)) return squared_length(edge) * std::sqrt(along * across);
    return (along * x * x + across * y * y) * (squared_length(edge) / flat);
  }
  /// How much larger a small piece of the surface is in the metric.
  TESSERA_KERNEL double density() const { return std::sqrt(along * across); }

  /// Lengths times a factor, then no shorter than one and no longer than another one.
  TESSERA_KERNEL SurfaceMetric resized(double factor, double smallest, double largest) const {
    const auto change = [&](double value) {
      const double size = factor / std::sqrt(value);
      const double limited = size < largest ? (size > smallest ? size : smallest) : largest;
      return limited == size ? value / (factor * factor) : 1 / (limited * limited);
    };
    return {axis, change(along), change(across)};
  }

  TESSERA_KERNEL static Vec3d any_tangent(const Vec3d& normal) {
    // Not the axis that the normal is closest to.
    const Vec3d other = std::fabs(normal[0]) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d tangent = other - normal * dot(other, normal);
    return tangent * (1 / length(tangent));
  }
  /// The matrix in the frame of a tangent and what is across it, counter-clockwise.
  TESSERA_KERNEL Symmetric2 in_frame(const Vec3d& normal, const Vec3d& tangent) const {
    const double c = dot(axis, tangent);
    const double s = dot(axis, cross(normal, tangent));
    return {along * c * c + across * s * s, (along - across) * c * s,
            along * s * s + across * c * c};
  }
  TESSERA_KERNEL static SurfaceMetric from_frame(const Symmetric2& matrix, const Vec3d& normal,
                                                 const Vec3d& tangent) {
    const Symmetric2::Axes axes = matrix.axes();
    return {axes.cosine * tangent + axes.sine * cross(normal, tangent), axes.large, axes.small};
  }
};

/// A tangent vector carried from one point of a surface to another one nearby without turning about
/// the normal (parallel transport): turned as the normal is. Exact along geodesics of a sphere, and
/// so of the third order in the distance elsewhere.
TESSERA_KERNEL inline Vec3d transported(const Vec3d& tangent, const Vec3d& from_normal,
                                        const Vec3d& to_normal) {
  const Vec3d turn = cross(from_normal, to_normal);
  const double cosine = dot(from_normal, to_normal);
  if (!(cosine > -0.999)) return tangent - to_normal * dot(tangent, to_normal);
  return tangent + cross(turn, tangent) + cross(turn, cross(turn, tangent)) * (1 / (1 + cosine));
}

/// A metric carried likewise: what it says along its axes stays the same, exactly.
TESSERA_KERNEL inline SurfaceMetric transported(const SurfaceMetric& metric,
                                                const Vec3d& from_normal, const Vec3d& to_normal) {
  const Vec3d turned = transported(metric.axis, from_normal, to_normal);
  const Vec3d axis = turned - to_normal * dot(turned, to_normal);
  const double size = length(axis);
  return {size > 0 ? axis * (1 / size) : SurfaceMetric::any_tangent(to_normal), metric.along,
          metric.across};
}

/// The weighted mean of metrics at one point, of their logarithms: sizes that are multiples of each
/// other have the geometric mean.
class MetricMean {
 public:
  TESSERA_KERNEL explicit MetricMean(const Vec3d& normal)
      : normal_(normal), tangent_(SurfaceMetric::any_tangent(normal)) {}
  TESSERA_KERNEL void add(const SurfaceMetric& metric, double weight) {
    const Symmetric2 logarithm =
        metric.in_frame(normal_, tangent_).mapped([](double x) { return std::log(x); });
    sum_ = sum_ + logarithm * weight;
    weight_ += weight;
  }
  /// The same of one at another point nearby. What is alike in all directions needs no carrying.
  TESSERA_KERNEL void add_carried(const SurfaceMetric& metric, const Vec3d& its_normal,
                                  double weight) {
    if (metric.along != metric.across) return add(transported(metric, its_normal, normal_), weight);
    const double logarithm = std::log(metric.along);
    sum_ = sum_ + Symmetric2{logarithm, 0, logarithm} * weight;
    weight_ += weight;
  }
  TESSERA_KERNEL SurfaceMetric mean() const {
    const Symmetric2 mean = (sum_ * (1 / weight_)).mapped([](double x) { return std::exp(x); });
    return SurfaceMetric::from_frame(mean, normal_, tangent_);
  }

 private:
  Vec3d normal_;
  Vec3d tangent_;
  Symmetric2 sum_;
  double weight_ = 0;
};

/// The metric at a point between two others that are carried there.
TESSERA_KERNEL inline SurfaceMetric between(const SurfaceMetric& a, const Vec3d& normal_a,
                                            const SurfaceMetric& b, const Vec3d& normal_b,
                                            double part_of_b, const Vec3d& normal) {
  MetricMean mean(normal);
  mean.add_carried(a, normal_a, 1 - part_of_b);
  mean.add_carried(b, normal_b, part_of_b);
  return mean.mean();
}

/// The largest metric that asks for no longer edges than either of two, in any direction, of those
/// that have the axes in which both are diagonal.
TESSERA_KERNEL inline SurfaceMetric intersected(const SurfaceMetric& a, const SurfaceMetric& b,
                                                const Vec3d& normal) {
  const Vec3d tangent = a.axis;
  const Symmetric2 root{std::sqrt(a.along), 0, std::sqrt(a.across)};
  const Symmetric2 inverse{1 / root.xx, 0, 1 / root.yy};
  const Symmetric2 relative = b.in_frame(normal, tangent).between(inverse);
  const Symmetric2 larger = relative.mapped([](double x) { return x > 1 ? x : 1; });
  return SurfaceMetric::from_frame(larger.between(root), normal, tangent);
}

/// The length of an edge between two points whose metrics say that it is so long, if sizes change
/// linearly along it in the log.
TESSERA_KERNEL inline double mean_length(double at_a, double at_b) {
  if (!(at_a > 0) || !(at_b > 0)) return (at_a + at_b) / 2;
  const double ratio = at_b / at_a;
  // The mean of 1 / h for h that grows geometrically.
  if (std::fabs(ratio - 1) < 1e-4) return (at_a + at_b) / 2;
  return (at_b - at_a) / std::log(ratio);
}

}  // namespace tessera::remesh
