// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <iostream>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "test_device.h"

namespace {
std::optional<tessera::exec::Device> chosen_device;
}

tessera::exec::Device test_device() {
  return *chosen_device;
}

/// What the leak sanitizer is to pass over: lib3mf and its libzip do not free all they take for
/// files that are broken.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: its name
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libzip.so\nleak:lib3MF.so\n";
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string_view device = "cpu";
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string_view(argv[i]) == "--device") device = argv[i + 1];
  try {
    if (device != "cpu" && device != "cuda")
      throw tessera::InputError("--device takes cpu or cuda");
    chosen_device = device == "cuda" ? tessera::exec::Device::cuda() : tessera::exec::Device::cpu();
  } catch (const tessera::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  std::cout << "Testing on " << chosen_device->name() << '\n';
  const int failed = RUN_ALL_TESTS();
  chosen_device.reset();
  return failed;
}
