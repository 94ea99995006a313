// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "tessera/core/array.h"
#include "tessera/core/error.h"
#include "tessera/core/vec.h"
#include "tessera/exec/atomic.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/for_each.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/kernel.h"
#include "tessera/exec/reduce.h"
#include "tessera/exec/view.h"
#include "tessera/surface/handles.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {

/// What a kernel sees of a MeshAttribute: values by handle.
template <class Element, class T>
class AttributeView {
 public:
  AttributeView() = default;
  explicit AttributeView(exec::View<T> values) : values_(values) {}
  /// A view of const values from a view of mutable ones.
  template <class U>
  requires(std::is_const_v<T>&& std::is_same_v<std::remove_const_t<T>, U>) TESSERA_KERNEL
      AttributeView(const AttributeView<Element, U>& other)  // NOLINT: only adds const
      : values_(other.values()) {}

  TESSERA_KERNEL T& operator[](Element element) const { return values_[element.index]; }
  TESSERA_KERNEL const exec::View<T>& values() const { return values_; }

 private:
  exec::View<T> values_;
};

/// One value of any plain type for each vertex, edge or face of a PatchedMesh, in the order of the
/// mesh: what belongs to one patch lies together. On the host the order is that of the input.
///
/// An attribute is for the mesh that it was made with and no other, not even one of the same
/// triangles, whose order may differ. A function that takes both throws std::invalid_argument if
/// they do not belong together. Moving a mesh keeps its attributes, moving an attribute leaves
/// one behind that belongs to no mesh.
template <class Element, class T>
class MeshAttribute {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Not initialised. Throws DeviceError if the mesh's device has too little memory.
  MeshAttribute(const PatchedMesh& mesh, std::string name)
      : name_(std::move(name)),
        mesh_(mesh.identity()),
        values_(mesh.stream(), mesh.count<Element>()) {}

  const std::string& name() const { return name_; }
  Index size() const { return static_cast<Index>(values_.size()); }
  std::size_t bytes() const { return values_.bytes(); }
  bool is_of(const PatchedMesh& mesh) const { return mesh_ == mesh.identity(); }

  AttributeView<Element, T> view() { return AttributeView<Element, T>(values_.view()); }
  AttributeView<Element, const T> view() const {
    return AttributeView<Element, const T>(values_.const_view());
  }
  AttributeView<Element, const T> const_view() const { return view(); }

  void swap(MeshAttribute& other) noexcept {
    name_.swap(other.name_);
    mesh_.swap(other.mesh_);
    values_.swap(other.values_);
  }

 private:
  std::string name_;
  std::shared_ptr<const void> mesh_;  ///< the identity of its mesh
  exec::Buffer<T> values_;
};

template <class T>
using VertexAttribute = MeshAttribute<Vertex, T>;
template <class T>
using EdgeAttribute = MeshAttribute<Edge, T>;
template <class T>
using FaceAttribute = MeshAttribute<Face, T>;

namespace detail {

/// Throws std::invalid_argument unless the attribute was made for the mesh.
template <class Element, class T>
void require_values(const PatchedMesh& mesh, const MeshAttribute<Element, T>& attribute) {
  if (!attribute.is_of(mesh))
    throw std::invalid_argument("attribute " + attribute.name() + " is not one of this mesh");
}

/// For each element its number in the input.
template <class Element>
decltype(auto) input_numbers(const PatchedMesh& mesh) {
  if constexpr (Element::kind == ElementKind::vertex)
    return mesh.input_vertices();
  else if constexpr (Element::kind == ElementKind::edge)
    return mesh.input_edges();
  else
    return mesh.input_faces();
}

}  // namespace detail

/// Values from the host, in the order of the input (edges: PatchedMesh::input_edges()). Throws
/// std::invalid_argument if there is not one for each element.
template <class Element, class T>
MeshAttribute<Element, T> attribute_from_host(const PatchedMesh& mesh, std::string name,
                                              std::span<const T> values) {
  if (values.size() != mesh.count<Element>())
    throw std::invalid_argument("attribute " + name + " needs a value for each element");
  const auto& input = detail::input_numbers<Element>(mesh);
  Array<T> ordered(values.size());
  exec::host_for_ranges(mesh.stream(), values.size(), 16384,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t i = begin; i < end; ++i) ordered[i] = values[input[i]];
                        });
  MeshAttribute<Element, T> attribute(mesh, std::move(name));
  exec::copy_to_device(mesh.stream(), attribute.view().values(), std::span<const T>(ordered));
  mesh.stream().synchronize();
  return attribute;
}

/// Values for the host, in the order of the input; waits for the mesh's stream. Throws
/// std::invalid_argument if the attribute belongs to another mesh.
template <class Element, class T>
Array<T> attribute_to_host(const PatchedMesh& mesh, const MeshAttribute<Element, T>& attribute) {
  detail::require_values(mesh, attribute);
  const auto& input = detail::input_numbers<Element>(mesh);
  const Array<T> ordered = exec::download(mesh.stream(), attribute.view().values());
  Array<T> values(ordered.size());
  exec::host_for_ranges(mesh.stream(), values.size(), 16384,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t i = begin; i < end; ++i) values[input[i]] = ordered[i];
                        });
  return values;
}

/// The positions of the input, as the float that static kernels compute in, relative to `origin`.
/// Throws InputError where one is too far from the origin for a float, std::invalid_argument if
/// `soup` has not as many vertices as the mesh.
inline VertexAttribute<Vec3f> positions_of(const PatchedMesh& mesh, const TriangleSoup& soup,
                                           const Vec3d& origin = {}) {
  Array<Vec3f> positions(soup.positions.size());
  Index too_far = no_index;  // the first of them
  exec::host_for_ranges(
      mesh.stream(), positions.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const Vec3f p = cast<float>(soup.positions[i] - origin);
          if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
            exec::atomic_min(too_far, static_cast<Index>(i));
          positions[i] = p;
        }
      });
  if (too_far != no_index)
    throw InputError("vertex " + std::to_string(too_far) +
                     " is too far from the origin for 32-bit floating-point numbers");
  return attribute_from_host<Vertex, Vec3f>(mesh, "position", std::span<const Vec3f>(positions));
}

// Reductions. Floating-point sums are made in double and do not depend on the number of threads.
// All throw std::invalid_argument if an attribute belongs to another mesh.

namespace detail {

TESSERA_KERNEL constexpr double product(double a, double b) {
  return a * b;
}
template <class T, int N>
TESSERA_KERNEL constexpr double product(const Vec<T, N>& a, const Vec<T, N>& b) {
  return dot(cast<double>(a), cast<double>(b));
}

template <class T>
struct Product {
  exec::View<const T> a;
  exec::View<const T> b;
  TESSERA_KERNEL double operator()(Index i) const { return product(a[i], b[i]); }
};

template <class T>
struct ToDouble {
  exec::View<const T> values;
  TESSERA_KERNEL double operator()(Index i) const { return static_cast<double>(values[i]); }
};

/// A value and where it is; nowhere to start with.
template <class Element, class T>
struct Place {
  T value{};
  Element element{};
};

template <class Element, class T>
struct PlaceOf {
  exec::View<const T> values;
  TESSERA_KERNEL Place<Element, T> operator()(Index i) const { return {values[i], {i}}; }
};

/// The smaller value, of equal ones the first; or the larger one.
template <bool Largest>
struct BetterPlace {
  template <class P>
  TESSERA_KERNEL P operator()(const P& a, const P& b) const {
    if (!a.element.is_valid()) return b;
    if (!b.element.is_valid()) return a;
    const bool b_wins = Largest ? a.value < b.value : b.value < a.value;
    const bool a_wins = Largest ? b.value < a.value : a.value < b.value;
    if (b_wins) return b;
    if (a_wins) return a;
    return b.element < a.element ? b : a;
  }
};

}  // namespace detail

/// A value of an attribute and the element that has it.
template <class Element, class T>
using Place = detail::Place<Element, T>;

inline namespace TESSERA_EXEC_NAMESPACE {

/// Sets every value. Throws as above.
template <class Element, class T>
void fill(const PatchedMesh& mesh, MeshAttribute<Element, T>& attribute,
          const std::type_identity_t<T>& value) {
  detail::require_values(mesh, attribute);
  exec::fill(mesh.stream(), attribute.view().values(), value);
}

template <class Element, class T>
double sum(const PatchedMesh& mesh, const MeshAttribute<Element, T>& attribute) {
  detail::require_values(mesh, attribute);
  return exec::reduce(mesh.stream(), attribute.size(), 0.0,
                      detail::ToDouble<T>{attribute.view().values()}, exec::Plus{});
}

/// Of vectors the sum of their dot products.
template <class Element, class T>
double dot(const PatchedMesh& mesh, const MeshAttribute<Element, T>& a,
           const MeshAttribute<Element, T>& b) {
  detail::require_values(mesh, a);
  detail::require_values(mesh, b);
  return exec::reduce(mesh.stream(), a.size(), 0.0,
                      detail::Product<T>{a.view().values(), b.view().values()}, exec::Plus{});
}

/// The root of the sum of squares.
template <class Element, class T>
double norm(const PatchedMesh& mesh, const MeshAttribute<Element, T>& attribute) {
  return std::sqrt(dot(mesh, attribute, attribute));
}

/// The smallest value and the first element that has it.
template <class Element, class T>
Place<Element, T> minimum(const PatchedMesh& mesh, const MeshAttribute<Element, T>& attribute) {
  detail::require_values(mesh, attribute);
  return exec::reduce(mesh.stream(), attribute.size(), Place<Element, T>{},
                      detail::PlaceOf<Element, T>{attribute.view().values()},
                      detail::BetterPlace<false>{});
}

/// The largest value and the first element that has it.
template <class Element, class T>
Place<Element, T> maximum(const PatchedMesh& mesh, const MeshAttribute<Element, T>& attribute) {
  detail::require_values(mesh, attribute);
  return exec::reduce(mesh.stream(), attribute.size(), Place<Element, T>{},
                      detail::PlaceOf<Element, T>{attribute.view().values()},
                      detail::BetterPlace<true>{});
}

}  // namespace TESSERA_EXEC_NAMESPACE
}  // namespace tessera::surface
