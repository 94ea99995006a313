// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/surface/detail/carried_attributes.h"

#include <variant>

#include "tessera/exec/for_each.h"
#include "tessera/exec/host_loop.h"
#include "tessera/exec/indices.h"

namespace tessera::surface::detail {
namespace {

using exec::Buffer;
using exec::View;

bool is_blended(const Attribute& attribute) {
  return std::holds_alternative<Array<float>>(attribute.values) ||
         std::holds_alternative<Array<double>>(attribute.values);
}

struct GatherRows {
  View<const double> from;
  View<const Index> order;
  Index width;
  View<double> to;
  TESSERA_KERNEL void operator()(Index i) const {
    for (Index k = 0; k < width; ++k)
      to[std::size_t{i} * width + k] = from[std::size_t{order[i]} * width + k];
  }
};

Buffer<double> gathered_rows(const exec::Stream& stream, const Buffer<double>& rows, Index width,
                             View<const Index> order) {
  Buffer<double> to(stream, order.size() * width);
  if (width > 0)
    exec::for_each(stream, static_cast<Index>(order.size()),
                   GatherRows{rows.const_view(), order, width, to.view()});
  return to;
}

Buffer<Index> copied(const exec::Stream& stream, View<const Index> values) {
  Buffer<Index> copy(stream, values.size());
  exec::copy_on_device(stream, copy.view(), values);
  return copy;
}

struct CopyVertex {
  CarriedView carried;
  Index first;
  View<const Index> copy_of;
  TESSERA_KERNEL void operator()(Index i) const {
    carried.copy_vertex(first + i, copy_of[first + i]);
  }
};

}  // namespace

CarriedAttributes::CarriedAttributes(const exec::Stream& stream, const TriangleSoup& mesh,
                                     View<const Index> input_of_vertex,
                                     View<const Index> input_of_face)
    : face_attributes_(mesh.face_attributes) {
  if (!face_attributes_.empty()) buffers_.face_origins = copied(stream, input_of_face);
  if (mesh.vertex_attributes.empty()) return;
  buffers_.vertex_origins = copied(stream, input_of_vertex);
  for (const Attribute& attribute : mesh.vertex_attributes)
    if (is_blended(attribute)) width_ += static_cast<Index>(attribute.components);
  Array<double> rows(mesh.positions.size() * width_);
  std::size_t column = 0;
  for (const Attribute& attribute : mesh.vertex_attributes) {
    if (!is_blended(attribute)) {
      vertex_attributes_.push_back(attribute);
      continue;
    }
    const auto components = static_cast<std::size_t>(attribute.components);
    vertex_attributes_.push_back({attribute.name, attribute.components, {}});
    std::visit(
        [&]<class T>(const Array<T>& values) {
          vertex_attributes_.back().values = Array<T>();
          exec::host_for_each(stream, mesh.positions.size(), [&](std::size_t v) {
            for (std::size_t k = 0; k < components; ++k)
              rows[v * width_ + column + k] = static_cast<double>(values[v * components + k]);
          });
        },
        attribute.values);
    column += components;
  }
  buffers_.values = gathered_rows(stream, exec::upload(stream, rows), width_, input_of_vertex);
}

CarriedView CarriedAttributes::view() {
  return {buffers_.values.view(), width_, buffers_.vertex_origins.view(),
          buffers_.face_origins.view()};
}

CarriedAttributes::Buffers CarriedAttributes::larger(const exec::Stream& stream, std::size_t faces,
                                                     std::size_t vertices) const {
  Buffers result;
  if (!face_attributes_.empty())
    result.face_origins = exec::grown(stream, buffers_.face_origins, faces);
  if (!vertex_attributes_.empty()) {
    result.vertex_origins = exec::grown(stream, buffers_.vertex_origins, vertices);
    result.values = exec::grown(stream, buffers_.values, vertices * width_);
  }
  return result;
}

void CarriedAttributes::swap(Buffers& other) {
  buffers_.values.swap(other.values);
  buffers_.vertex_origins.swap(other.vertex_origins);
  buffers_.face_origins.swap(other.face_origins);
}

void CarriedAttributes::copy_vertices(const exec::Stream& stream, Index first,
                                      View<const Index> copy_of) {
  if (vertex_attributes_.empty()) return;
  Buffers more = larger(stream, buffers_.face_origins.size(), copy_of.size());
  swap(more);
  exec::for_each(stream, static_cast<Index>(copy_of.size()) - first,
                 CopyVertex{view(), first, copy_of});
}

void CarriedAttributes::clear_vertices(const exec::Stream& stream, Index first, Index last) {
  if (vertex_attributes_.empty()) return;
  const std::size_t count = last - first;
  exec::fill(stream, buffers_.vertex_origins.view().subview(first, count), 0);
  exec::fill(stream, buffers_.values.view().subview(std::size_t{first} * width_, count * width_),
             0.0);
}

CarriedAttributes::Buffers CarriedAttributes::packed(const exec::Stream& stream,
                                                     View<const Index> faces,
                                                     View<const Index> vertices) const {
  Buffers result;
  if (!face_attributes_.empty())
    result.face_origins = exec::gathered(stream, buffers_.face_origins, faces);
  if (!vertex_attributes_.empty()) {
    result.vertex_origins = exec::gathered(stream, buffers_.vertex_origins, vertices);
    result.values = gathered_rows(stream, buffers_.values, width_, vertices);
  }
  return result;
}

void CarriedAttributes::write(const exec::Stream& stream, View<const Index> face_places,
                              View<const Index> vertex_places, TriangleSoup& to) const {
  const auto origins_at = [&](const Buffer<Index>& origins, View<const Index> places) {
    return exec::download(stream, exec::gathered(stream, origins, places));
  };
  if (!face_attributes_.empty())
    to.face_attributes = gather(face_attributes_, origins_at(buffers_.face_origins, face_places));
  if (vertex_attributes_.empty()) return;
  const Array<Index> origins = origins_at(buffers_.vertex_origins, vertex_places);
  const Array<double> rows =
      exec::download(stream, gathered_rows(stream, buffers_.values, width_, vertex_places));
  std::size_t column = 0;
  for (const Attribute& attribute : vertex_attributes_) {
    if (!is_blended(attribute)) {
      to.vertex_attributes.push_back(gather(attribute, origins));
      continue;
    }
    const auto components = static_cast<std::size_t>(attribute.components);
    to.vertex_attributes.push_back(attribute);
    std::visit(
        [&]<class T>(Array<T>& values) {
          values.resize(vertex_places.size() * components);
          exec::host_for_each(stream, vertex_places.size(), [&](std::size_t v) {
            for (std::size_t k = 0; k < components; ++k)
              values[v * components + k] = static_cast<T>(rows[v * width_ + column + k]);
          });
        },
        to.vertex_attributes.back().values);
    column += components;
  }
}

}  // namespace tessera::surface::detail
