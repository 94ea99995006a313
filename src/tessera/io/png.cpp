// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/png.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <png.h>

#include "tessera/core/error.h"
#include "tessera/io/detail/output_file.h"

namespace tessera::io {
namespace {

// libpng's simplified interface: no callbacks that would have to leave by longjmp.

/// Frees what libpng holds, also when something throws.
struct PngImage {
  png_image image{};
  PngImage() { image.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  detail::OutputFile file(path);
  PngImage png;
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  // Without opacity a quarter of the bytes need not be stored.
  const bool opaque = std::all_of(image.pixels.begin(), image.pixels.end(),
                                  [](const Rgba& pixel) { return pixel[3] == 255; });
  std::vector<Rgb> colors;
  if (opaque)
    for (const Rgba& pixel : image.pixels) colors.push_back({{pixel[0], pixel[1], pixel[2]}});
  png.image.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  const void* pixels = opaque ? static_cast<const void*>(colors.data())
                              : static_cast<const void*>(image.pixels.data());
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::vector<char> buffer(bytes);
  if (png_image_write_to_memory(&png.image, buffer.data(), &bytes, 0, pixels, 0, nullptr) == 0)
    throw OutputError(path.string() + ": cannot be written: " + png.image.message);
  file.append({buffer.data(), bytes});
  file.commit();
}

}  // namespace tessera::io
