// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/png.h"

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
  png.image.format = PNG_FORMAT_RGBA;
  png.image.flags = PNG_IMAGE_FLAG_FAST;  // a third of the time for a tenth more bytes
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png.image);
  std::vector<char> buffer(bytes);
  if (png_image_write_to_memory(&png.image, buffer.data(), &bytes, 0, image.pixels.data(), 0,
                                nullptr) == 0)
    throw OutputError(path.string() + ": cannot be written: " + png.image.message);
  file.append({buffer.data(), bytes});
  file.commit();
}

Image read_png(const std::filesystem::path& path) {
  PngImage png;
  if (png_image_begin_read_from_file(&png.image, path.c_str()) == 0)
    throw InputError(path.string() + ": " + png.image.message);
  // Far more than a screen has, and no memory for what only claims to be a picture.
  constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;
  if (std::uint64_t{png.image.width} * png.image.height > most_pixels)
    throw InputError(path.string() + ": a picture of more than 268 million pixels");
  png.image.format = PNG_FORMAT_RGBA;
  Image image(static_cast<int>(png.image.width), static_cast<int>(png.image.height));
  if (png_image_finish_read(&png.image, nullptr, image.pixels.data(), 0, nullptr) == 0)
    throw InputError(path.string() + ": " + png.image.message);
  return image;
}

}  // namespace tessera::io
