// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// PatchedMesh::validate(): on the host, one patch after the other, by looking everything up in the
// triangles that the mesh was made of.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tessera/surface/patched_mesh.h"

namespace tessera::surface {
namespace {

using Wrong = std::optional<std::string>;

/// One kind of elements, copied to the host.
struct Elements {
  Array<Index> begin;
  Array<Index> ribbon_begin;
  Array<Index> ribbon;

  Elements(const exec::Stream& stream, const detail::ElementView& view)
      : begin(exec::download(stream, view.begin)),
        ribbon_begin(exec::download(stream, view.ribbon_begin)),
        ribbon(exec::download(stream, view.ribbon)) {}

  Index owned(Index p) const { return begin[p + 1] - begin[p]; }
  Index all(Index p) const { return owned(p) + ribbon_begin[p + 1] - ribbon_begin[p]; }
  Index handle(Index p, Index local) const {
    return local < owned(p) ? begin[p] + local : ribbon[ribbon_begin[p] + local - owned(p)];
  }
  Index owner(Index handle) const {
    return static_cast<Index>(std::upper_bound(begin.begin(), begin.end(), handle) -
                              begin.begin()) -
           1;
  }

  Wrong check(const char* what, Index patches, Index patched) const {
    if (begin.size() != std::size_t{patches} + 1 || ribbon_begin.size() != begin.size())
      return fmt::format("the table of {} has not one entry for each patch", what);
    if (begin[0] != 0 || begin[patches] != patched || ribbon_begin[0] != 0 ||
        ribbon_begin[patches] != ribbon.size())
      return fmt::format("the table of {} does not cover all of them", what);
    for (Index p = 0; p < patches; ++p) {
      if (begin[p] > begin[p + 1] || ribbon_begin[p] > ribbon_begin[p + 1])
        return fmt::format("patch {} has fewer than no {}", p, what);
      for (Index i = ribbon_begin[p]; i < ribbon_begin[p + 1]; ++i) {
        if (ribbon[i] >= patched)
          return fmt::format("the ribbon of patch {} has {} that are not there", p, what);
        if (owner(ribbon[i]) == p)
          return fmt::format("the ribbon of patch {} has {} of its own", p, what);
        if (i > ribbon_begin[p] && ribbon[i - 1] >= ribbon[i])
          return fmt::format("the ribbon of patch {} is not sorted", p);
      }
    }
    return std::nullopt;
  }
};

bool is_permutation(const Array<Index>& numbers, std::size_t size) {
  std::vector<char> seen(size);
  for (const Index i : numbers) {
    if (i >= size || seen[i] != 0) return false;
    seen[i] = 1;
  }
  return numbers.size() == size;
}

class Validator {
 public:
  Validator(const PatchedMesh& mesh, const TriangleSoup& soup)
      : mesh_(mesh),
        soup_(soup),
        vertices_(mesh.stream(), mesh.view().vertices),
        edges_(mesh.stream(), mesh.view().edges),
        faces_(mesh.stream(), mesh.view().faces),
        fe_(exec::download(mesh.stream(), mesh.view().fe)),
        ev_(exec::download(mesh.stream(), mesh.view().ev)),
        neighbor_begin_(exec::download(mesh.stream(), mesh.view().neighbor_begin)),
        neighbors_(exec::download(mesh.stream(), mesh.view().neighbors)) {}

  Wrong run() {
    const Index patches = mesh_.patches();
    if (mesh_.faces() != soup_.triangles.size() || mesh_.vertices() != soup_.positions.size())
      return "the mesh has not the faces and vertices of its input";
    if (!is_permutation(mesh_.input_faces(), mesh_.faces()))
      return "faces are not numbered as in the input";
    if (!is_permutation(mesh_.input_vertices(), mesh_.vertices()))
      return "vertices are not numbered as in the input";
    const Index in_patches = vertices_.begin.empty() ? 0 : vertices_.begin.back();
    for (const Wrong& wrong : {vertices_.check("vertices", patches, in_patches),
                               edges_.check("edges", patches, mesh_.edges()),
                               faces_.check("faces", patches, mesh_.faces())})
      if (wrong) return wrong;
    if (fe_.size() != mesh_.faces() + faces_.ribbon.size() ||
        ev_.size() != mesh_.edges() + edges_.ribbon.size())
      return "there are not as many rows of FE and EV as local faces and edges";
    count_input();
    if (edge_faces_.size() != mesh_.edges()) return "the mesh has not the edges of its input";
    for (Index v = in_patches; v < mesh_.vertices(); ++v)
      if (vertex_faces_[mesh_.input_vertices()[v]] != 0)
        return fmt::format("vertex {} of the input has faces and no patch",
                           mesh_.input_vertices()[v]);
    for (Index p = 0; p < patches; ++p)
      if (Wrong wrong = check_patch(p)) return wrong;
    if (mesh_.vertices_in_patches() != in_patches)
      return "the mesh does not know how many vertices are in patches";
    return check_limits();
  }

 private:
  using Pair = std::pair<Index, Index>;

  static Pair sorted(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }

  void count_input() {
    vertex_faces_.assign(soup_.positions.size(), 0);
    for (const Triangle& t : soup_.triangles) {
      for (int k = 0; k < 3; ++k) {
        bool first = true;
        for (int j = 0; j < k; ++j) first = first && t[j] != t[k];
        if (first) ++vertex_faces_[t[k]];
        edge_faces_[sorted(t[k], t[(k + 1) % 3])].second += 1;
      }
    }
    for (auto& [ends, known] : edge_faces_) known.first = no_index;
  }

  Index input_vertex(Index p, Index local) const {
    return mesh_.input_vertices()[vertices_.handle(p, local)];
  }

  Wrong check_patch(Index p) {
    const Index fe_start = faces_.begin[p] + faces_.ribbon_begin[p];
    const Index ev_start = edges_.begin[p] + edges_.ribbon_begin[p];
    std::vector<Index> at_vertex(vertices_.all(p), 0);
    std::vector<Index> sides_at_edge(edges_.all(p), 0);
    for (Index e = 0; e < edges_.all(p); ++e) {
      const detail::Ends ends = ev_[ev_start + e];
      if (ends.vertex[0] >= vertices_.all(p) || ends.vertex[1] >= vertices_.all(p))
        return fmt::format("edge {} of patch {} ends outside of it", e, p);
      const auto known = edge_faces_.find(
          sorted(input_vertex(p, ends.vertex[0]), input_vertex(p, ends.vertex[1])));
      if (known == edge_faces_.end())
        return fmt::format("edge {} of patch {} is not in the input", e, p);
      Index& handle = known->second.first;
      if (handle == no_index) handle = edges_.handle(p, e);
      if (handle != edges_.handle(p, e))
        return fmt::format("edge {} of patch {} has another handle elsewhere", e, p);
    }
    for (Index f = 0; f < faces_.all(p); ++f) {
      const Triangle t = soup_.triangles[mesh_.input_faces()[faces_.handle(p, f)]];
      Local corners[3];
      for (Index k = 0; k < 3; ++k) {
        const detail::Side side = fe_[fe_start + f].side[k];
        if (side.edge() >= edges_.all(p))
          return fmt::format("face {} of patch {} has an edge outside of it", f, p);
        const detail::Ends ends = ev_[ev_start + side.edge()];
        corners[k] = ends.vertex[side.flipped()];
        if (input_vertex(p, corners[k]) != t[static_cast<int>(k)] ||
            input_vertex(p, ends.vertex[1 - side.flipped()]) != t[static_cast<int>((k + 1) % 3)])
          return fmt::format("face {} of patch {} is not the face of the input", f, p);
        ++sides_at_edge[side.edge()];
        if (std::find(corners, corners + k, corners[k]) == corners + k) ++at_vertex[corners[k]];
      }
    }
    for (Index v = 0; v < vertices_.owned(p); ++v)
      if (at_vertex[v] != vertex_faces_[input_vertex(p, v)])
        return fmt::format("patch {} owns vertex {} and lacks faces around it", p, v);
    const auto complete = [&](Index e) {
      const detail::Ends ends = ev_[ev_start + e];
      return sides_at_edge[e] ==
             edge_faces_
                 .at(sorted(input_vertex(p, ends.vertex[0]), input_vertex(p, ends.vertex[1])))
                 .second;
    };
    for (Index e = 0; e < edges_.owned(p); ++e)
      if (!complete(e)) return fmt::format("patch {} owns edge {} and lacks faces at it", p, e);
    for (Index f = 0; f < faces_.owned(p); ++f)
      for (const detail::Side side : fe_[fe_start + f].side)
        if (!complete(side.edge()))
          return fmt::format("patch {} owns face {} and lacks its neighbours", p, f);
    return check_neighbors(p);
  }

  Wrong check_neighbors(Index p) const {
    std::vector<Index> owners;
    for (const Elements* kind : {&vertices_, &edges_, &faces_})
      for (Index i = kind->owned(p); i < kind->all(p); ++i)
        owners.push_back(kind->owner(kind->handle(p, i)));
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    const auto first = neighbors_.begin() + neighbor_begin_[p];
    const auto last = neighbors_.begin() + neighbor_begin_[p + 1];
    if (!std::equal(owners.begin(), owners.end(), first, last))
      return fmt::format("the neighbours of patch {} are not the owners of its ribbon", p);
    return std::nullopt;
  }

  /// No two faces pass an edge in the same direction, and no face has an edge twice.
  bool is_oriented() const {
    std::set<Pair> passed;
    for (const Triangle& t : soup_.triangles) {
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return false;
      for (int k = 0; k < 3; ++k)
        if (!passed.insert({t[k], t[(k + 1) % 3]}).second) return false;
    }
    return true;
  }

  /// Sides that the faces of a patch share with others, counted at each of its faces.
  Index count_neighbors(Index p) const {
    Index count = 0;
    for (Index f = faces_.begin[p]; f < faces_.begin[p + 1]; ++f) {
      const Triangle& t = soup_.triangles[mesh_.input_faces()[f]];
      for (int k = 0; k < 3; ++k) count += edge_faces_.at(sorted(t[k], t[(k + 1) % 3])).second - 1;
    }
    return count;
  }

  Wrong check_limits() const {
    detail::PatchLimits found;
    const auto raise = [](Index& most, Index count) { most = std::max(most, count); };
    for (Index p = 0; p < mesh_.patches(); ++p) {
      raise(found.owned_vertices, vertices_.owned(p));
      raise(found.owned_edges, edges_.owned(p));
      raise(found.owned_faces, faces_.owned(p));
      raise(found.local_vertices, vertices_.all(p));
      raise(found.local_edges, edges_.all(p));
      raise(found.local_faces, faces_.all(p));
      raise(found.neighbors, count_neighbors(p));
    }
    found.oriented = is_oriented();
    if (found != mesh_.limits()) return "the limits of patches are not their largest counts";
    return std::nullopt;
  }

  using Local = detail::Local;

  const PatchedMesh& mesh_;
  const TriangleSoup& soup_;
  Elements vertices_;
  Elements edges_;
  Elements faces_;
  Array<detail::Sides> fe_;
  Array<detail::Ends> ev_;
  Array<Index> neighbor_begin_;
  Array<Index> neighbors_;
  std::vector<Index> vertex_faces_;
  /// Of each edge of the input: its handle once it was seen, and how many sides of faces it is.
  std::map<Pair, std::pair<Index, Index>> edge_faces_;
};

}  // namespace

std::optional<std::string> PatchedMesh::validate(const TriangleSoup& mesh) const {
  return Validator(*this, mesh).run();
}

}  // namespace tessera::surface
