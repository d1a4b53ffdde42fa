// Reads and writes PNG files from untrusted sources.
#pragma once

#include <string>
#include <string_view>

#include "image/bitmap.h"
#include "util/result.h"

namespace image {

// A larger file is refused before it is decompressed.
inline constexpr std::size_t kMaxBytes = 64 << 20;
inline constexpr std::int64_t kMaxPixels = 40'000'000;

// InvalidArgument for invalid PNG data, ResourceExhausted when it is too large.
Result<Bitmap> decode_png(std::string_view bytes);
Result<std::string> encode_png(const Bitmap& bitmap);

}  // namespace image
