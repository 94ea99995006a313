// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// A volume mesh: built from cells, subdivided, cut in half, and its relations in a kernel's hands.
#include <algorithm>
#include <iostream>

#include "tessera/exec/buffer.h"
#include "tessera/io/polyhedra.h"
#include "tessera/volume/analysis.h"
#include "tessera/volume/build.h"
#include "tessera/volume/extract.h"
#include "tessera/volume/soup.h"
#include "tessera/volume/subdivide.h"

int main() {
  using namespace tessera;
  const exec::Device device = exec::Device::best();

  // A pyramid on a cube: corners as files list them, cell after cell.
  PolyhedralSoup soup;
  soup.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},    {0, 0, 1},
                    {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 2}};
  soup.cell_types = {CellType::hexahedron, CellType::pyramid};
  soup.cell_entries = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8};
  soup.cell_offsets = {0, 8, 13};

  const volume::Complex coarse = volume::build_complex(device, soup).complex;
  const volume::Complex fine = volume::subdivide(coarse, {2, {}});
  if (const auto wrong = fine.validate()) std::cout << *wrong << '\n';
  const volume::ComplexInfo info = volume::analyze(fine);
  std::cout << info.cells << " cells, " << info.cells_of_type[4] << " of them no hexahedra, volume "
            << info.volume << '\n';

  // Any relation, when it is asked for: the cells around each edge, as rows of numbers.
  const Array<Index> offsets = exec::download(device, fine.edge_cells().offsets);
  Index most = 0;
  for (std::size_t e = 0; e + 1 < offsets.size(); ++e)
    most = std::max(most, offsets[e + 1] - offsets[e]);
  std::cout << "at most " << most << " cells around an edge\n";

  const volume::Complex half = volume::slice(fine, {{1, 0, 0}, 0.5});
  io::write_polyhedra("half.vtu", volume::to_soup(half));
  std::cout << "half.vtu has " << half.cells() << " cells\n";
}
