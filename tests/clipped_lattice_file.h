// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Makes 3MF files with clipped beam lattices, through lib3mf.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include <Model/COM/NMR_DLLInterfaces.h>

#include "tessera/core/array.h"
#include "tessera/core/lattice_clipping.h"
#include "tessera/core/lattice_graph.h"
#include "tessera/core/triangle_soup.h"

namespace tessera::io::testing {

namespace three_mf {

inline void check(HRESULT result) {
  if (result != LIB3MF_OK) throw std::runtime_error("lib3mf refused to make the file");
}

struct Release {
  void operator()(NMR::PLib3MFBase* object) const { NMR::lib3mf_release(object); }
};
using Object = std::unique_ptr<NMR::PLib3MFBase, Release>;

/// What make(pointer to an object) makes.
template <class Make>
Object made(const Make& make) {
  NMR::PLib3MFBase* object = nullptr;
  check(make(&object));
  return Object(object);
}

inline Object add_mesh(const Object& model, const Array<Vec3d>& positions) {
  Object mesh = made([&](auto** out) { return NMR::lib3mf_model_addmeshobject(model.get(), out); });
  for (const Vec3d& p : positions) {
    NMR::MODELMESHVERTEX vertex{};
    for (int i = 0; i < 3; ++i) vertex.m_fPosition[i] = static_cast<float>(p[i]);
    check(NMR::lib3mf_meshobject_addvertex(mesh.get(), &vertex, nullptr));
  }
  return mesh;
}

}  // namespace three_mf

/// Writes a lattice with a clipping mesh, once for each of these placements.
inline void write_clipped_lattice(const std::filesystem::path& path, const LatticeGraph& graph,
                                  const TriangleSoup& surface, ClipSide side,
                                  std::vector<NMR::MODELTRANSFORM> placements) {
  using namespace three_mf;
  const Object model = made([](auto** out) { return NMR::lib3mf_createmodel(out); });
  const Object clipping = add_mesh(model, surface.positions);
  for (const Triangle& t : surface.triangles) {
    NMR::MODELMESHTRIANGLE triangle{{t[0], t[1], t[2]}};
    check(NMR::lib3mf_meshobject_addtriangle(clipping.get(), &triangle, nullptr));
  }
  const Object beams = add_mesh(model, graph.nodes);
  check(NMR::lib3mf_meshobject_setbeamlattice_minlength(beams.get(), 1e-4));
  for (std::size_t s = 0; s < graph.struts.size(); ++s) {
    NMR::MODELMESHBEAM beam;
    for (int i = 0; i < 2; ++i) {
      beam.m_nIndices[i] = graph.struts[s][i];
      beam.m_dRadius[i] = graph.radii[s][i];
    }
    check(NMR::lib3mf_meshobject_addbeam(beams.get(), &beam, nullptr));
  }
  DWORD id = 0;
  check(NMR::lib3mf_resource_getresourceid(clipping.get(), &id));
  check(NMR::lib3mf_meshobject_setbeamlattice_clipping(beams.get(),
                                                       side == ClipSide::inside
                                                           ? NMR::MODELBEAMLATTICECLIPMODE_INSIDE
                                                           : NMR::MODELBEAMLATTICECLIPMODE_OUTSIDE,
                                                       id));
  for (NMR::MODELTRANSFORM& placement : placements)
    made([&](auto** out) {
      return NMR::lib3mf_model_addbuilditem(model.get(), beams.get(), &placement, out);
    });
  const Object writer =
      made([&](auto** out) { return NMR::lib3mf_model_querywriter(model.get(), "3mf", out); });
  check(NMR::lib3mf_writer_writetofileutf8(writer.get(), path.c_str()));
}

/// Where it is.
inline constexpr NMR::MODELTRANSFORM unmoved{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

}  // namespace tessera::io::testing
