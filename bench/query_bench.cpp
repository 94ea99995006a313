// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The queries of a patched mesh, each over the whole mesh and storing every result, beside OpenMesh
// and CGAL (one thread each, CPU) and directed edges on the same device:
//   tessera_query_bench [--device cuda] [--threads N] [--mesh FILE] [--levels N]
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "directed_edges.h"
#include "mesh_bench.h"
#include "query_peer.h"
#include "ratio_table.h"
#include "run.h"
#include "tessera/core/random.h"
#include "tessera/exec/exec.h"
#include "tessera/surface/query.h"

namespace tessera::bench {

using exec::Buffer;
using exec::Device;
using exec::View;
using surface::Op;
using surface::PatchedMesh;
using surface::Ring;

/// Results in columns, the i-th of every element side by side: threads of a GPU write together.
template <class Source, class Target>
struct StoreColumns {
  View<Index> out;
  Index sources;
  TESSERA_KERNEL void operator()(Source source, const Ring<Target>& ring) const {
    for (Index i = 0; i < ring.size(); ++i)
      out[std::size_t{i} * sources + source.index] = ring[i].index;
  }
};

template <Op op>
struct StoreDirected {
  DirectedEdgesView edges;
  View<Index> out;
  Index sources;
  TESSERA_KERNEL void operator()(Index element) const {
    edges.query<op>(element,
                    [&](Index i, Index found) { out[std::size_t{i} * sources + element] = found; });
  }
};

struct SumOfSizes {
  View<Index> sizes;
  TESSERA_KERNEL void operator()(surface::Vertex v, const Ring<surface::Vertex>& ring) const {
    sizes[v.index] = ring.size();
  }
};

/// One mesh in one order.
struct Subject {
  TriangleSoup soup;
  std::unique_ptr<PatchedMesh> mesh;
  std::unique_ptr<DirectedEdges> directed;
  std::vector<std::unique_ptr<QueryPeer>> peers;
  Buffer<Index> out;
};

template <Op op>
void add_query(const std::string& name, const std::string& order, const Device& device,
               Subject& subject) {
  using Source = typename surface::OpKinds<op>::Source;
  using Target = typename surface::OpKinds<op>::Target;
  const std::string label = name + ", " + order;
  const char* peer_names[] = {"OpenMesh", "CGAL"};
  for (std::size_t i = 0; i < subject.peers.size(); ++i)
    add_case(label + "/" + peer_names[i], Device::cpu(1),
             [&subject, i, name] { subject.peers[i]->query(name); });
  add_case(label + "/directed edges", device, [&subject, device] {
    const Index sources = subject.mesh->count<Source>();
    exec::for_each(device, sources,
                   StoreDirected<op>{subject.directed->view(), subject.out.view(), sources});
  });
  add_case(label + "/tessera", device, [&subject] {
    surface::for_each<op>(*subject.mesh, StoreColumns<Source, Target>{
                                             subject.out.view(), subject.mesh->count<Source>()});
  });
}

void add_queries(const std::string& order, const Device& device, Subject& subject) {
  add_query<Op::vv>("VV", order, device, subject);
  add_query<Op::ve>("VE", order, device, subject);
  add_query<Op::vf>("VF", order, device, subject);
  add_query<Op::fv>("FV", order, device, subject);
  add_query<Op::fe>("FE", order, device, subject);
  add_query<Op::ff>("FF", order, device, subject);
  add_query<Op::ev>("EV", order, device, subject);
  add_query<Op::ef>("EF", order, device, subject);
}

/// Vertices and faces in a new order: `vertices[i]` and `faces[i]` become number i.
TriangleSoup reordered(const TriangleSoup& mesh, const Array<Index>& vertices,
                       const Array<Index>& faces) {
  TriangleSoup result;
  Array<Index> place(vertices.size());
  for (Index i = 0; i < vertices.size(); ++i) {
    place[vertices[i]] = i;
    result.positions.push_back(mesh.positions[vertices[i]]);
  }
  for (const Index f : faces) {
    const Triangle& t = mesh.triangles[f];
    result.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  }
  return result;
}

Array<Index> shuffled(std::size_t n, std::uint64_t seed) {
  Array<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  const Random random(seed);
  for (std::size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[random.below(i, static_cast<std::uint32_t>(i))]);
  return order;
}

int run(int argc, char** argv) {
  const MeshArguments arguments(argc, argv);
  const Device& device = arguments.device;
  const TriangleSoup soup = arguments.load();
  const bool cuda = device.backend() == exec::Backend::cuda;

  std::vector<std::unique_ptr<Subject>> subjects;
  for (const std::string order : {"default", "sorted", "shuffled"}) {
    auto subject = std::make_unique<Subject>();
    subject->soup = soup;
    if (order == "sorted")
      subject->soup =
          reordered(soup, subjects[0]->mesh->input_vertices(), subjects[0]->mesh->input_faces());
    if (order == "shuffled")
      subject->soup =
          reordered(soup, shuffled(soup.positions.size(), 1), shuffled(soup.triangles.size(), 2));
    subject->mesh = std::make_unique<PatchedMesh>(device, subject->soup);
    const surface::PatchStatistics& s = subject->mesh->statistics();
    std::cout << order << ": " << subject->mesh->faces() << " faces, " << s.patches
              << " patches, ribbon " << s.ribbon_ratio << ", bytes a face " << s.bytes_per_face
              << ", patching " << s.seconds_patching << " s, built in " << s.seconds_total
              << " s on " << device.name() << '\n';
    subject->directed = std::make_unique<DirectedEdges>(device, subject->soup);
    Buffer<Index> sizes(device, subject->mesh->vertices());
    surface::for_each<Op::vv>(*subject->mesh, SumOfSizes{sizes.view()});
    const Index columns = exec::reduce(device, sizes.view(), Index{0}, exec::Maximum{});
    subject->out = Buffer<Index>(device, std::max(std::size_t{columns} * subject->mesh->vertices(),
                                                  std::size_t{3} * subject->mesh->faces()));
    if (!cuda) {
      subject->peers.push_back(openmesh_peer(subject->soup));
      subject->peers.push_back(cgal_peer(subject->soup));
    }
    add_queries(order, device, *subject);
    subjects.push_back(std::move(subject));
  }
  std::cout << '\n';
  benchmark::Initialize(&argc, argv);
  RatioTable table(cuda
                       ? std::vector<std::string>{"directed edges", "tessera"}
                       : std::vector<std::string>{"OpenMesh", "CGAL", "directed edges", "tessera"});
  benchmark::RunSpecifiedBenchmarks(&table);
  device.synchronize();
  return 0;
}

}  // namespace tessera::bench
