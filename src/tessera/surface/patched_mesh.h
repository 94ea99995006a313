// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tessera/core/array.h"
#include "tessera/core/progress.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/exec/buffer.h"
#include "tessera/exec/device.h"
#include "tessera/surface/detail/patch_view.h"
#include "tessera/surface/handles.h"

namespace tessera::surface {

namespace detail {
struct BuiltPatches;
}

struct PatchOptions {
  /// The most faces that a patch owns. 512 is fastest on an H200 and close to it on CPUs; larger
  /// patches store less, smaller ones need less scratch memory.
  int patch_faces = 512;
  /// Decides ties between patches. The same seed gives the same patches, on any device.
  std::uint64_t seed = 0;
  ProgressCallback progress{};
};

struct PatchStatistics {
  std::uint64_t patches = 0;
  std::uint64_t max_patch_faces = 0;  ///< owned ones
  /// Faces that patches hold beside their own, over all faces.
  double ribbon_ratio = 0;
  /// All memory on the device but attributes, over the number of faces.
  double bytes_per_face = 0;
  double seconds_patching = 0;  ///< dividing the faces among patches
  double seconds_total = 0;     ///< from the triangles to the finished mesh
};

/// A triangle mesh cut into patches that fit a core's cache or a GPU's scratch memory (dissertation
/// of Mahmoud, chapter 4 and section 5.3.1): the structure behind all queries. A patch *owns* each
/// of its faces and some of the edges and vertices on its border; every element has one owner. So
/// that a patch can answer all queries about what it owns, it also holds a *ribbon*: the faces
/// around its vertices and across its edges that other patches own. Within a patch elements have
/// 16-bit numbers, owned ones first; it stores the edges of each face (FE), the vertices of each
/// edge (EV), and for each ribbon element its handle.
///
/// Any triangles will do: open, non-manifold, non-orientable, in many components. A face with a
/// repeated vertex has an edge from that vertex to itself. Vertices that no face has belong to no
/// patch and come last.
///
/// Elements are in the order of their patches. The order of the input is kept on the host, for
/// copies in and out (mesh_attribute.h); edges have no order in the input and are counted there by
/// their vertices, ascending, smaller vertex first.
///
/// Everything done with a mesh, queries and algorithms too, goes to the stream that it was made
/// with, and a stream is for one host thread at a time: so is a mesh. Two threads work at once on
/// two meshes, each made with a stream of its own. What is on the host (counts, statistics(),
/// limits(), input_vertices(), input_faces()) any thread may read at any time.
class PatchedMesh {
 public:
  /// Throws InputError if the mesh is not valid or has no faces; if a patch would have more than
  /// 32,768 edges or 65,535 faces or vertices, ribbon included, which happens from about 16,384
  /// faces at one vertex on; if an edge has more than 1024 faces; if it needs 2^28 patches or more,
  /// as with that many components; or if patch_faces is not from 16 to 8192. Throws DeviceError if
  /// the device has too little memory; Cancelled if the callback says so.
  PatchedMesh(const exec::Stream& stream, const TriangleSoup& mesh,
              const PatchOptions& options = {});

  /// With patches of one's own: patch_of_face[f] is the patch of face f of the input, numbered from
  /// 0 without gaps. They need not be connected. Throws as above, and InputError if there is not
  /// one number for each face or a number is left out.
  PatchedMesh(const exec::Stream& stream, const TriangleSoup& mesh,
              std::span<const Index> patch_of_face, const ProgressCallback& progress = {});

  Index vertices() const { return vertices_; }
  Index edges() const { return edges_; }
  Index faces() const { return faces_; }
  /// The number of elements of a kind: count<Vertex>().
  template <class Element>
  Index count() const {
    return Element::kind == ElementKind::vertex ? vertices_
           : Element::kind == ElementKind::edge ? edges_
                                                : faces_;
  }
  /// Vertices that some face has; the others come after them.
  Index vertices_in_patches() const { return vertices_in_patches_; }
  Index patches() const { return static_cast<Index>(buffers_.faces.begin.size() - 1); }
  /// Where the mesh is, and where work with it belongs.
  const exec::Stream& stream() const { return stream_; }

  /// The same for one mesh as long as it or an attribute of it lives, wherever it is moved to, and
  /// another one for every other mesh: by it attributes know their mesh.
  const std::shared_ptr<const void>& identity() const { return identity_; }

  const PatchStatistics& statistics() const { return statistics_; }

  /// For each vertex or face, its number in the input.
  const Array<Index>& input_vertices() const { return input_vertices_; }
  const Array<Index>& input_faces() const { return input_faces_; }
  /// For each edge, its number when all are sorted by their vertices in the input.
  Array<Index> input_edges() const;

  /// For each face of the input, in its order, the patch that owns it.
  Array<Index> patch_of_input_faces() const;

  /// Nothing if all is well, else one sentence that says what is wrong. Compares all of it with the
  /// triangles that it was made of; slow, on the host.
  std::optional<std::string> validate(const TriangleSoup& mesh) const;

  /// For kernels.
  detail::MeshView view() const;
  /// The largest numbers that a patch has of anything, which scratch memory is made for.
  const detail::PatchLimits& limits() const { return limits_; }

 private:
  void take(detail::BuiltPatches&& built);

  exec::Stream stream_;
  std::shared_ptr<const void> identity_ = std::make_shared<const char>();
  Index vertices_ = 0;
  Index vertices_in_patches_ = 0;
  Index edges_ = 0;
  Index faces_ = 0;
  detail::PatchBuffers buffers_;
  detail::PatchLimits limits_;
  PatchStatistics statistics_;
  Array<Index> input_vertices_;
  Array<Index> input_faces_;
};

}  // namespace tessera::surface
