// PNG files, from anywhere.
#pragma once

#include <string>
#include <string_view>

#include "image/bitmap.h"
#include "util/result.h"

namespace image {

// What is larger is refused before anything is unpacked.
inline constexpr std::size_t kMostBytes = 64 << 20;
inline constexpr std::int64_t kMostPixels = 40'000'000;

// InvalidArgument for what is no PNG or a broken one, ResourceExhausted for one that is too large.
Result<Bitmap> decode_png(std::string_view bytes);
Result<std::string> encode_png(const Bitmap& bitmap);

}  // namespace image
