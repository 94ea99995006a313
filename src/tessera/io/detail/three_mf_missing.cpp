// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Stands in for the 3MF reader in builds without lib3mf; the writer does without.
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {
namespace {

[[noreturn]] void refuse(const Source& source) {
  source.fail(
      "this build cannot read 3MF files: install lib3mf 1.x (Debian: lib3mf-dev) and build Tessera "
      "with -DTESSERA_3MF=ON");
}

}  // namespace

ReadResult read_three_mf(const Source& source) {
  refuse(source);
}

ReadLatticeResult read_three_mf_beams(const Source& source) {
  refuse(source);
}

}  // namespace tessera::io::detail
