// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// All queries against a twin that looks everything up in the list of triangles.
#include "tessera/surface/query.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "surface_meshes.h"
#include "tessera/surface/relation.h"
#include "test_device.h"

namespace tessera::surface {
namespace {

using Table = std::vector<std::vector<Index>>;

/// Relations among the elements of the input, brute force.
class Twin {
 public:
  explicit Twin(const TriangleSoup& mesh) {
    for (const Triangle& t : mesh.triangles)
      for (int k = 0; k < 3; ++k) edges_.push_back(ends(t, k));
    sort_unique(edges_);
    const std::size_t vertices = mesh.positions.size();
    Table& vv = table(Op::vv, vertices);
    Table& ve = table(Op::ve, vertices);
    Table& vf = table(Op::vf, vertices);
    Table& ev = table(Op::ev, edges_.size());
    Table& ef = table(Op::ef, edges_.size());
    Table& ee = table(Op::ee, edges_.size());
    Table& fv = table(Op::fv, mesh.triangles.size());
    Table& fe = table(Op::fe, mesh.triangles.size());
    Table& ff = table(Op::ff, mesh.triangles.size());
    for (Index e = 0; e < edges_.size(); ++e) {
      const auto [a, b] = edges_[e];
      ev[e] = {a, b};
      ve[a].push_back(e);
      if (a == b) continue;
      ve[b].push_back(e);
      vv[a].push_back(b);
      vv[b].push_back(a);
    }
    for (Index f = 0; f < fv.size(); ++f) {
      const Triangle& t = mesh.triangles[f];
      fv[f] = {t[0], t[1], t[2]};
      fe[f] = {edge(ends(t, 0)), edge(ends(t, 1)), edge(ends(t, 2))};
      for (const Index v : distinct(fv[f])) vf[v].push_back(f);
      for (const Index e : distinct(fe[f])) ef[e].push_back(f);
    }
    for (Index f = 0; f < ff.size(); ++f)
      for (const Index e : distinct(fe[f]))
        for (const Index g : ef[e])
          if (g != f) ff[f].push_back(g);
    for (Index e = 0; e < ee.size(); ++e) {
      for (const Index f : ef[e])
        for (const Index other : fe[f])
          if (other != e) ee[e].push_back(other);
      sort_unique(ee[e]);
    }
  }

  Index edges() const { return static_cast<Index>(edges_.size()); }
  const Table& relation(Op op) const { return tables_.at(op); }

  static std::pair<Index, Index> ends(const Triangle& t, int k) {
    const Index a = t[k];
    const Index b = t[(k + 1) % 3];
    return {std::min(a, b), std::max(a, b)};
  }

 private:
  Table& table(Op op, std::size_t rows) { return tables_[op] = Table(rows); }

  template <class T>
  static void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  static std::vector<Index> distinct(std::vector<Index> values) {
    sort_unique(values);
    return values;
  }
  Index edge(const std::pair<Index, Index>& pair) const {
    return static_cast<Index>(std::lower_bound(edges_.begin(), edges_.end(), pair) -
                              edges_.begin());
  }

  std::vector<std::pair<Index, Index>> edges_;
  std::map<Op, Table> tables_;
};

/// Numbers of the input for handles of the mesh.
struct InputNumbers {
  Array<Index> vertices;
  Array<Index> edges;
  Array<Index> faces;

  explicit InputNumbers(const PatchedMesh& mesh)
      : vertices(mesh.input_vertices()), edges(mesh.input_edges()), faces(mesh.input_faces()) {}

  template <class Element>
  Index operator()(Element element) const {
    const Array<Index>& numbers = Element::kind == ElementKind::vertex ? vertices
                                  : Element::kind == ElementKind::edge ? edges
                                                                       : faces;
    return numbers[element.index];
  }
};

template <Op Query>
void expect_as_twin(const PatchedMesh& mesh, const InputNumbers& input, const Twin& twin) {
  using Source = typename OpKinds<Query>::Source;
  const auto relation = collect<Query>(mesh);
  const auto offsets = exec::download(mesh.stream(), relation.offsets);
  const auto elements = exec::download(mesh.stream(), relation.elements);
  Table found(mesh.count<Source>());
  for (Index i = 0; i < found.size(); ++i) {
    auto& ring = found[input(Source{i})];
    for (Index j = offsets[i]; j < offsets[i + 1]; ++j) ring.push_back(input(elements[j]));
    std::sort(ring.begin(), ring.end());
  }
  Table expected = twin.relation(Query);
  for (auto& ring : expected) std::sort(ring.begin(), ring.end());
  ASSERT_EQ(found, expected) << "operation " << static_cast<int>(Query);
}

/// Calls check(mesh, soup) for every test mesh, in patches of different sizes.
template <class Check>
void for_each_patched(const Check& check) {
  for (const NamedMesh& named : surface_meshes()) {
    if (named.mesh.triangles.empty()) continue;
    SCOPED_TRACE(named.name);
    for (const int size : {16, 512}) {
      PatchOptions options;
      options.patch_faces = size;
      check(PatchedMesh(test_device(), named.mesh, options), named.mesh);
    }
  }
}

void expect_all_as_twin(const PatchedMesh& mesh, const TriangleSoup& soup) {
  const Twin twin(soup);
  ASSERT_EQ(mesh.edges(), twin.edges());
  const InputNumbers input(mesh);
  expect_as_twin<Op::vv>(mesh, input, twin);
  expect_as_twin<Op::ve>(mesh, input, twin);
  expect_as_twin<Op::vf>(mesh, input, twin);
  expect_as_twin<Op::ev>(mesh, input, twin);
  expect_as_twin<Op::ef>(mesh, input, twin);
  expect_as_twin<Op::ee>(mesh, input, twin);
  expect_as_twin<Op::fv>(mesh, input, twin);
  expect_as_twin<Op::fe>(mesh, input, twin);
  expect_as_twin<Op::ff>(mesh, input, twin);
}

TEST(Query, AgreesWithTwin) {
  for_each_patched(expect_all_as_twin);
}

TEST(Query, AgreesWithTwinWhereOneFaceIsTurnedOver) {
  TriangleSoup soup = generated(Shape::torus, 5000);
  const PatchedMesh oriented(test_device(), soup);
  EXPECT_TRUE(oriented.limits().oriented);
  expect_all_as_twin(oriented, soup);
  std::swap(soup.triangles[1234].v[0], soup.triangles[1234].v[1]);
  const PatchedMesh turned(test_device(), soup);
  EXPECT_FALSE(turned.limits().oriented);
  expect_all_as_twin(turned, soup);
}

TEST(Query, AgreesWithTwinOnALargeSoup) {
#ifdef NDEBUG
  constexpr std::uint64_t faces = 1'000'000;
#else
  constexpr std::uint64_t faces = 20'000;  // sanitizers are slow
#endif
  const TriangleSoup soup = generated(Shape::soup, faces);  // 30 % of its edges are non-manifold
  expect_all_as_twin(PatchedMesh(test_device(), soup), soup);
}

/// A disc of n triangles around its centre, vertex 0.
TriangleSoup fan(Index n) {
  TriangleSoup soup;
  soup.positions.push_back({0, 0, 0});
  for (Index i = 0; i < n; ++i)
    soup.positions.push_back({std::cos(6.28 / n * i), std::sin(6.28 / n * i), 0});
  for (Index i = 0; i < n; ++i) soup.triangles.push_back({0, 1 + i, 1 + (i + 1) % n});
  return soup;
}

// Patches that need more scratch memory than a team has in a GPU's shared memory.

TEST(Query, AgreesWithTwinAroundAVertexOfManyFaces) {
  TriangleSoup soup = fan(14000);
  expect_all_as_twin(PatchedMesh(test_device(), soup), soup);
  std::swap(soup.triangles[1234].v[0], soup.triangles[1234].v[1]);
  const PatchedMesh turned(test_device(), soup);
  EXPECT_FALSE(turned.limits().oriented);
  expect_all_as_twin(turned, soup);
}

TEST(Query, AgreesWithTwinAtAnEdgeOfManyFaces) {
  const TriangleSoup soup = book(400);
  expect_all_as_twin(PatchedMesh(test_device(), soup), soup);
}

TEST(Query, AgreesWithTwinInLargePatches) {
  TriangleSoup soup = generated(Shape::torus, 20000);
  std::swap(soup.triangles[1234].v[0], soup.triangles[1234].v[1]);
  PatchOptions options;
  options.patch_faces = 8192;
  const PatchedMesh mesh(test_device(), soup, options);
  EXPECT_FALSE(mesh.limits().oriented);
  expect_all_as_twin(mesh, soup);
}

constexpr Index stride = 64;

/// The first elements of each ring, in the order of the ring.
template <class Source, class Target>
struct StoreInOrder {
  exec::View<Target> elements;
  TESSERA_KERNEL void operator()(Source source, const Ring<Target>& ring) const {
    for (Index i = 0; i < stride; ++i)
      elements[source.index * stride + i] = i < ring.size() ? ring[i] : Target{};
  }
};

template <Op Query>
std::vector<std::vector<Index>> in_order(const PatchedMesh& mesh, const InputNumbers& input) {
  using Source = typename OpKinds<Query>::Source;
  using Target = typename OpKinds<Query>::Target;
  exec::Buffer<Target> elements(mesh.stream(), std::size_t{stride} * mesh.count<Source>());
  for_each<Query>(mesh, StoreInOrder<Source, Target>{elements.view()});
  const auto stored = exec::download(mesh.stream(), elements);
  Table found(mesh.count<Source>());
  for (Index i = 0; i < stored.size(); ++i)
    if (stored[i].is_valid()) found[input(Source{i / stride})].push_back(input(stored[i]));
  return found;
}

TEST(Query, FacesKeepTheOrderOfTheirCorners) {
  for_each_patched([](const PatchedMesh& mesh, const TriangleSoup& soup) {
    const InputNumbers input(mesh);
    const Twin twin(soup);
    EXPECT_EQ(in_order<Op::fv>(mesh, input), twin.relation(Op::fv));
    EXPECT_EQ(in_order<Op::fe>(mesh, input), twin.relation(Op::fe));
  });
}

/// For each element of the input its handle.
std::vector<Index> handles_of(const Array<Index>& numbers) {
  std::vector<Index> handles(numbers.size());
  for (Index i = 0; i < numbers.size(); ++i) handles[numbers[i]] = i;
  return handles;
}

/// The ring of a vertex by its definition; empty where there is none.
std::vector<Index> oriented_ring(const TriangleSoup& soup, Index vertex,
                                 const std::vector<Index>& handles) {
  std::map<Index, Index> next;
  std::set<Index> ends;
  for (const Triangle& t : soup.triangles)
    for (int k = 0; k < 3; ++k) {
      if (t[k] != vertex) continue;
      const Index a = t[(k + 1) % 3];
      const Index b = t[(k + 2) % 3];
      if (a == b || a == vertex || b == vertex) return {};
      if (!next.emplace(a, b).second || !ends.insert(b).second) return {};
    }
  if (next.empty()) return {};
  Index start = next.begin()->first;
  for (const auto& [a, b] : next)
    if (ends.count(a) == 0) start = a;
  std::vector<Index> ring{start};
  while (next.count(ring.back()) != 0 && next.at(ring.back()) != start)
    ring.push_back(next.at(ring.back()));
  const bool open = next.count(ring.back()) == 0;
  if (ring.size() != next.size() + (open ? 1 : 0)) return {};
  const auto by_handle = [&](Index a, Index b) { return handles[a] < handles[b]; };
  if (!open)
    std::rotate(ring.begin(), std::min_element(ring.begin(), ring.end(), by_handle), ring.end());
  return ring;
}

TEST(Query, OrientedRings) {
  for_each_patched([](const PatchedMesh& mesh, const TriangleSoup& soup) {
    const InputNumbers input(mesh);
    const Table found = in_order<Op::oriented_vv>(mesh, input);
    const std::vector<Index> handles = handles_of(mesh.input_vertices());
    for (Index v = 0; v < soup.positions.size(); ++v)
      EXPECT_EQ(found[v], oriented_ring(soup, v, handles)) << "vertex " << v;
  });
}

struct IsVertex {
  Vertex vertex;
  TESSERA_KERNEL bool operator()(Vertex v) const { return v == vertex; }
};
struct StoreOneRing {
  exec::View<Vertex> ring_of;
  TESSERA_KERNEL void operator()(Vertex, const Ring<Vertex>& ring) const {
    for (Index i = 0; i < ring.size() && i < ring_of.size(); ++i) ring_of[i] = ring[i];
  }
};

TEST(Query, OrientedRingOfManyVertices) {
  const TriangleSoup soup = fan(14000);  // more than a GPU's shared memory holds
  const PatchedMesh mesh(test_device(), soup);
  const std::vector<Index> handles = handles_of(mesh.input_vertices());
  exec::Buffer<Vertex> ring(mesh.stream(), 14000);
  exec::fill(mesh.stream(), ring.view(), Vertex{});
  for_each<Op::oriented_vv>(mesh, StoreOneRing{ring.view()}, IsVertex{{handles[0]}});
  std::vector<Index> found;
  for (const Vertex v : exec::download(mesh.stream(), ring))
    found.push_back(v.is_valid() ? mesh.input_vertices()[v.index] : no_index);
  EXPECT_EQ(found, oriented_ring(soup, 0, handles));
}

struct StoreDiamond {
  exec::View<Diamond> diamonds;
  TESSERA_KERNEL void operator()(Edge edge, const Diamond& diamond) const {
    diamonds[edge.index] = diamond;
  }
};

/// The corners to the left and right of the edge from a to b, which has these faces.
std::pair<Index, Index> beside(const TriangleSoup& soup, Index a, Index b, std::vector<Index> faces,
                               const std::vector<Index>& face_handles) {
  std::pair<Index, Index> found{no_index, no_index};
  if (faces.size() > 2) return found;
  std::sort(faces.begin(), faces.end(),
            [&](Index f, Index g) { return face_handles[f] < face_handles[g]; });
  for (const Index f : faces) {
    const Triangle& t = soup.triangles[f];
    int k = 0;
    while (Twin::ends(t, k) != std::pair{std::min(a, b), std::max(a, b)}) ++k;
    Index& own = t[k] == a ? found.first : found.second;
    Index& other = t[k] == a ? found.second : found.first;
    (own == no_index ? own : other) = t[(k + 2) % 3];
  }
  return found;
}

TEST(Query, Diamonds) {
  for_each_patched([](const PatchedMesh& mesh, const TriangleSoup& soup) {
    const InputNumbers input(mesh);
    exec::Buffer<Diamond> buffer(mesh.stream(), mesh.edges());
    for_each<Op::diamond>(mesh, StoreDiamond{buffer.view()});
    const auto diamonds = exec::download(mesh.stream(), buffer);
    const auto optional_number = [&](Vertex v) { return v.is_valid() ? input(v) : no_index; };
    const Twin twin(soup);
    const Table& ev = twin.relation(Op::ev);
    const Table& ef = twin.relation(Op::ef);
    const Table ends = in_order<Op::ev>(mesh, input);
    const std::vector<Index> face_handles = handles_of(mesh.input_faces());
    for (Index i = 0; i < mesh.edges(); ++i) {
      const Diamond& d = diamonds[i];
      const Index e = input(Edge{i});
      EXPECT_EQ((std::vector<Index>{input(d.a), input(d.b)}), ends[e]);
      EXPECT_EQ((std::set<Index>{input(d.a), input(d.b)}),
                std::set<Index>(ev[e].begin(), ev[e].end()));
      EXPECT_EQ((std::pair{optional_number(d.left), optional_number(d.right)}),
                beside(soup, input(d.a), input(d.b), ef[e], face_handles))
          << "edge " << e;
    }
  });
}

struct IsThird {
  TESSERA_KERNEL bool operator()(Vertex v) const { return v.index % 3 == 0; }
};
struct IsInFirst {
  TESSERA_KERNEL bool operator()(Vertex v) const { return v.index == 0; }
};
struct CountVisits {
  exec::View<Index> visits;
  TESSERA_KERNEL void operator()(Vertex v, const Ring<Vertex>& ring) const {
    visits[v.index] += 1000 + ring.size();
  }
};

TEST(Query, ActiveSet) {
  for_each_patched([](const PatchedMesh& mesh, const TriangleSoup& soup) {
    const Table vv = Twin(soup).relation(Op::vv);
    const auto visits = [&](const auto& active) {
      exec::Buffer<Index> buffer(mesh.stream(), mesh.vertices());
      exec::fill(mesh.stream(), buffer.view(), 0);
      for_each<Op::vv>(mesh, CountVisits{buffer.view()}, active);
      return exec::download(mesh.stream(), buffer);
    };
    const auto third = visits(IsThird{});
    const auto first = visits(IsInFirst{});
    for (Index v = 0; v < mesh.vertices(); ++v) {
      const auto visited = static_cast<Index>(1000 + vv[mesh.input_vertices()[v]].size());
      EXPECT_EQ(third[v], v % 3 == 0 ? visited : 0);
      EXPECT_EQ(first[v], v == 0 ? visited : 0);
    }
  });
}

}  // namespace
}  // namespace tessera::surface
