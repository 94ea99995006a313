// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// Pictures that come back from a file.
#pragma once

#include <filesystem>
#include <stdexcept>

#include <png.h>

#include "tessera/core/image.h"

namespace tessera {

/// A PNG file of any kind, as red, green, blue and opacity. Throws std::runtime_error.
inline Image read_png(const std::filesystem::path& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
    throw std::runtime_error(path.string() + ": " + png.message);
  png.format = PNG_FORMAT_RGBA;
  Image image(static_cast<int>(png.width), static_cast<int>(png.height));
  if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(path.string() + ": " + png.message);
  return image;
}

}  // namespace tessera
