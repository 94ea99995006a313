// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Barill, Dickson, Schmidt, Levin and Jacobson, "Fast Winding Numbers for Soups and Clouds" (2018):
// from afar, a group of triangles is a dipole, a quadrupole and an octupole in one point.
#include "tessera/surface/winding.h"

#include <numbers>

#include "tessera/core/box.h"
#include "tessera/core/error.h"
#include "tessera/exec/for_each.h"
#include "tessera/surface/detail/input.h"
#include "tessera/surface/detail/query_order.h"

namespace tessera::surface {
namespace {

using exec::Buffer;
using exec::View;
using namespace detail;

// Homogeneous polynomials of a direction (x, y, z), by their coefficients. A vector is a linear
// one.

struct Quadratic {
  double square[3]{};   ///< of xx, yy, zz
  double product[3]{};  ///< of xy, yz, zx

  /// Adds a b.
  TESSERA_KERNEL void add(const Vec3d& a, const Vec3d& b) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      square[i] += a[i] * b[i];
      product[i] += a[i] * b[j] + a[j] * b[i];
    }
  }
  TESSERA_KERNEL void add(const Quadratic& q) {
    for (int i = 0; i < 3; ++i) {
      square[i] += q.square[i];
      product[i] += q.product[i];
    }
  }
};

struct Cubic {
  double cube[3]{};  ///< of xxx, yyy, zzz
  double next[3]{};  ///< of xyy, yzz, zxx
  double last[3]{};  ///< of xzz, yxx, zyy
  double xyz = 0;

  /// Adds a q.
  TESSERA_KERNEL void add(const Vec3d& a, const Quadratic& q) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      cube[i] += a[i] * q.square[i];
      next[i] += a[i] * q.square[j] + a[j] * q.product[i];
      last[i] += a[i] * q.square[k] + a[k] * q.product[k];
      xyz += a[i] * q.product[j];
    }
  }
  TESSERA_KERNEL void add(const Cubic& c) {
    for (int i = 0; i < 3; ++i) {
      cube[i] += c.cube[i];
      next[i] += c.next[i];
      last[i] += c.last[i];
    }
    xyz += c.xyz;
  }
};

/// Of the triangles below a node, in the frame of the tree. With the point minus the centre, and
/// the normal there, as linear functions p and n of a direction, the moments are integrals of:
struct Moments {
  double area = 0;
  Vec3d centre{};  ///< of the area
  double radius = 0;
  Box box;
  Vec3d first{};     ///< n
  Quadratic second;  ///< p n
  Cubic third;       ///< p p n
};

/// Smaller balls are taken to be that large, so that numbers relative to the radius stay numbers.
constexpr double smallest_radius = 0x1p-60;

TESSERA_KERNEL double larger_of(double a, double b) {
  return a < b ? b : a;
}

/// How far the box reaches from a point.
TESSERA_KERNEL double reach(const Box& box, const Vec3d& from) {
  Vec3d far{};
  for (int i = 0; i < 3; ++i) far[i] = larger_of(box.max[i] - from[i], from[i] - box.min[i]);
  return length(far);
}

struct WriteNode {
  BvhView tree;
  View<const Moments> below;  ///< of the nodes of the next level; empty above leaves
  Index first;                ///< of this level
  Index first_below;
  View<WindingNode> nodes;
  View<Moments> moments;  ///< of this level

  TESSERA_KERNEL void operator()(Index n) const {
    const BvhShape& shape = tree.shape();
    const Index node = first + n;
    const Index child = shape.first_child(node);
    const Index children = node == 0 ? shape.root_children : BvhNode::width;
    Moments of_children[BvhNode::width];
    Moments all;
    for (Index c = 0; c < children; ++c) {
      Moments& m = of_children[c];
      m = shape.is_leaf(child + c) ? of_leaf(shape.leaf(child + c))
                                   : below[child + c - first_below];
      all.area += m.area;
      all.centre += m.centre * m.area;
      all.box.add(m.box);
    }
    all.centre = all.area > 0 ? all.centre * (1 / all.area) : all.box.middle();
    double radius = 0;
    for (Index c = 0; c < children; ++c) {
      const Moments& m = of_children[c];
      const Vec3d shift = m.centre - all.centre;
      radius = larger_of(radius, length(shift) + m.radius);
      // (p + shift) n, and (p + shift)^2 n.
      all.first += m.first;
      all.second.add(m.second);
      all.second.add(shift, m.first);
      Quadratic shifted;
      shifted.add(shift, m.first);
      shifted.add(m.second);
      shifted.add(m.second);
      all.third.add(m.third);
      all.third.add(shift, shifted);
    }
    const double to_corner = reach(all.box, all.centre);
    all.radius = radius < to_corner ? radius : to_corner;
    moments[n] = all;
    for (Index c = 0; c < BvhNode::width; ++c) store(of_children[c], c < children, nodes[node], c);
  }

  TESSERA_KERNEL Moments of_leaf(Index leaf) const {
    const Index begin = tree.shape().first_triangle(leaf);
    const Index end = tree.shape().first_triangle(leaf + 1);
    Moments all;
    for (Index i = begin; i < end; ++i) {
      const BvhTriangle& t = tree.local_triangle(i);
      const double area = length(normal(t));
      all.area += area;
      all.centre += middle(t) * area;
      all.box.add(t.a);
      all.box.add(t.b);
      all.box.add(t.c);
    }
    all.centre = all.area > 0 ? all.centre * (1 / all.area) : all.box.middle();
    for (Index i = begin; i < end; ++i) {
      const BvhTriangle& t = tree.local_triangle(i);
      const Vec3d a = t.a - all.centre;
      const Vec3d b = t.b - all.centre;
      const Vec3d c = t.c - all.centre;
      const Vec3d sum = a + b + c;
      all.first += normal(t);
      all.second.add(sum * (1.0 / 3), normal(t));
      Quadratic squares;
      squares.add(a, a);
      squares.add(b, b);
      squares.add(c, c);
      squares.add(sum, sum);
      all.third.add(normal(t) * (1.0 / 12), squares);
      const double farthest = larger_of(length(a), larger_of(length(b), length(c)));
      all.radius = larger_of(all.radius, farthest);
    }
    return all;
  }

  /// As long as the area.
  TESSERA_KERNEL static Vec3d normal(const BvhTriangle& t) {
    return 0.5 * cross(t.b - t.a, t.c - t.a);
  }
  TESSERA_KERNEL static Vec3d middle(const BvhTriangle& t) { return (t.a + t.b + t.c) * (1.0 / 3); }

  /// A child that does not exist is far from everything, and nothing.
  TESSERA_KERNEL static void store(const Moments& m, bool exists, WindingNode& node, Index c) {
    const FinePoint centre(exists ? m.centre : Vec3d{0x1p40, 0, 0});
    const double radius = larger_of(m.radius, smallest_radius);
    node.inverse_radius[c] = exists ? static_cast<float>(1 / radius) : 1;
    const double unit = 0.25 / std::numbers::pi / (radius * radius);
    const auto write = [c](float(&numbers)[WindingNode::width], double number) {
      numbers[c] = static_cast<float>(number);
    };
    const Quadratic& q = m.second;
    const double trace = q.square[0] + q.square[1] + q.square[2];
    for (int i = 0; i < 3; ++i) {
      node.centre[i][c] = centre.point[i];
      node.rest[i][c] = centre.rest[i];
      write(node.dipole[i], m.first[i] * unit);
      if (i < 2) write(node.quadrupole[i], (trace - 3 * q.square[i]) * unit / radius);
      write(node.quadrupole[2 + i], -3 * q.product[i] * unit / radius);
      const Cubic& t = m.third;
      const double traces = t.cube[i] + (t.next[i] + t.last[i]) / 3;
      const double per_volume = unit / (radius * radius);
      write(node.octupole[i], (7.5 * t.cube[i] - 4.5 * traces) * per_volume);
      write(node.octupole[3 + i], (7.5 * t.next[i] - 4.5 * traces) * per_volume);
    }
    write(node.octupole[6], 7.5 * m.third.xyz * unit / (radius * radius));
  }
};

Buffer<WindingNode> make_nodes(const exec::Stream& stream, const BvhView& tree) {
  const BvhShape& shape = tree.shape();
  Buffer<WindingNode> nodes(stream, shape.first_leaf);
  Buffer<Moments> below;
  Index level_size = shape.leaves;
  Index first = shape.first_leaf;
  for (int level = shape.levels - 1; level >= 0; --level) {
    const Index first_below = first;
    level_size = level > 0 ? level_size / BvhNode::width : 1;
    first -= level_size;
    Buffer<Moments> moments(stream, level_size);
    exec::for_each(
        stream, level_size,
        WriteNode{tree, below.const_view(), first, first_below, nodes.view(), moments.view()});
    below.swap(moments);
  }
  return nodes;
}

struct StoreWindingNumber {
  View<float> numbers;
  TESSERA_KERNEL void operator()(Index i, float number) const { numbers[i] = number; }
};

struct StoreInside {
  View<std::uint8_t> inside;
  TESSERA_KERNEL void operator()(Index i, float number) const {
    inside[i] = number >= 0.5F ? 1 : 0;
  }
};

template <class Store>
struct FindWindingNumber {
  struct Memory {};

  WindingView tree;
  View<const Vec3d> points;
  float beta;
  Store store;
  TESSERA_KERNEL void operator()(Index i, Memory&) const {
    store(i, tree.winding_number(points[i], beta));
  }
};

template <class Store>
void find_winding_numbers(const exec::Stream& stream, const WindingTree& tree,
                          View<const Vec3d> points, const Store& store,
                          const WindingOptions& options) {
  if (!(options.beta >= 1)) throw InputError("the beta of winding numbers is below 1");
  require_queries(stream, points);
  Progress progress(options.progress, "finding winding numbers", query_steps);
  for_each_query(stream, points, FindWindingNumber<Store>{tree.view(), points, options.beta, store},
                 progress);
}

}  // namespace

WindingTree::WindingTree(const exec::Stream& stream, const TriangleSoup& mesh)
    : tree_(stream, mesh), nodes_(make_nodes(stream, tree_.view())) {}

Buffer<float> winding_numbers(const exec::Stream& stream, const WindingTree& tree,
                              View<const Vec3d> points, const WindingOptions& options) {
  Buffer<float> numbers(stream, points.size());
  find_winding_numbers(stream, tree, points, StoreWindingNumber{numbers.view()}, options);
  return numbers;
}

Array<float> winding_numbers(const exec::Stream& stream, const WindingTree& tree,
                             const Array<Vec3d>& points, const WindingOptions& options) {
  const Input<Vec3d> input(stream, points);
  return exec::download(stream, winding_numbers(stream, tree, input.view(), options));
}

Buffer<std::uint8_t> are_inside(const exec::Stream& stream, const WindingTree& tree,
                                View<const Vec3d> points, const WindingOptions& options) {
  Buffer<std::uint8_t> inside(stream, points.size());
  find_winding_numbers(stream, tree, points, StoreInside{inside.view()}, options);
  return inside;
}

Array<std::uint8_t> are_inside(const exec::Stream& stream, const WindingTree& tree,
                               const Array<Vec3d>& points, const WindingOptions& options) {
  const Input<Vec3d> input(stream, points);
  return exec::download(stream, are_inside(stream, tree, input.view(), options));
}

}  // namespace tessera::surface
