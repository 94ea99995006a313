// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tessera/core/error.h"

/// Ends the run if an error of a reader does not start with the name that the file was given.
inline void expect_named(const tessera::InputError& error) {
  const std::string message = error.what();
  if (message.rfind("fuzz", 0) == 0) return;
  std::fprintf(stderr, "the error does not name the file: %s\n", message.c_str());
  std::abort();
}
