// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Complexes for tests: built on the device that tests run on, and copied.
#pragma once

#include "tessera/exec/buffer.h"
#include "tessera/volume/build.h"
#include "tessera/volume/complex.h"
#include "test_device.h"

namespace tessera::volume {

inline Complex built(const PolyhedralSoup& soup) {
  return build_complex(test_device(), soup).complex;
}

inline TernaryMatrix copy_of(const Complex& complex, const TernaryView& matrix) {
  const exec::Stream& stream = complex.stream();
  return {exec::upload(stream, exec::download(stream, matrix.offsets)),
          exec::upload(stream, exec::download(stream, matrix.entries))};
}

/// Without relations that were computed before.
inline Complex copy_of(const Complex& complex) {
  const exec::Stream& stream = complex.stream();
  return Complex(stream,
                 {exec::upload(stream, exec::download(stream, complex.positions())),
                  exec::upload(stream, exec::download(stream, complex.edge_vertices())),
                  copy_of(complex, complex.face_edges()), copy_of(complex, complex.cell_faces())});
}

}  // namespace tessera::volume
