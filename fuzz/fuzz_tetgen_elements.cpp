// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// The reader of TetGen's .ele files: the part of the input up to the first NUL is the .node file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tessera/core/error.h"
#include "tessera/io/detail/cells.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const char* bytes = reinterpret_cast<const char*>(data);
  const char* split = std::find(bytes, bytes + size, '\0');
  if (split == bytes + size) return 0;
  const ProgressCallback silent;
  const io::detail::Source nodes{
      {bytes, static_cast<std::size_t>(split - bytes)}, "fuzz.node", silent};
  const io::detail::Source elements{
      {split + 1, static_cast<std::size_t>(bytes + size - split - 1)}, "fuzz.ele", silent};
  try {
    if (io::detail::read_tetgen(nodes, &elements).mesh.validate()) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
