// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "viewer_page.h"

#ifdef TESSERA_VIEWER_PAGE
// The assembler puts the file into the program as it is.
asm(".section .rodata\n"
    "tessera_viewer_page_begin:\n"
    ".incbin \"" TESSERA_VIEWER_PAGE
    "\"\n"
    "tessera_viewer_page_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" {
extern const char tessera_viewer_page_begin[];
extern const char tessera_viewer_page_end[];
}
#endif

namespace tessera::cli {

std::string_view viewer_page() {
#ifdef TESSERA_VIEWER_PAGE
  return {tessera_viewer_page_begin,
          static_cast<std::size_t>(tessera_viewer_page_end - tessera_viewer_page_begin)};
#else
  return {};
#endif
}

}  // namespace tessera::cli
