#include "image/bitmap.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace image {

// Each pixel is the mean of the pixels that it replaces.
Bitmap fitted(Bitmap bitmap, int side, double pixels) {
    double width = bitmap.width, height = bitmap.height;
    double scale = std::min({1.0, side / width, side / height, std::sqrt(pixels / (width * height))});
    if (bitmap.rgba.empty() || scale >= 1) return bitmap;
    Bitmap smaller(std::max(1, static_cast<int>(width * scale)),
                   std::max(1, static_cast<int>(height * scale)));
    auto edge = [](int index, int from, int to) {
        return static_cast<int>(static_cast<std::int64_t>(index) * from / to);
    };
    for (int y = 0; y < smaller.height; ++y) {
        int top = edge(y, bitmap.height, smaller.height), bottom = edge(y + 1, bitmap.height, smaller.height);
        for (int x = 0; x < smaller.width; ++x) {
            int left = edge(x, bitmap.width, smaller.width), right = edge(x + 1, bitmap.width, smaller.width);
            std::array<std::uint32_t, 4> sum{};
            for (int row = top; row < bottom; ++row) {
                for (const std::uint8_t* from = bitmap.at(left, row); from != bitmap.at(right, row);
                     from += 4) {
                    for (std::size_t i = 0; i < 4; ++i) sum[i] += from[i];
                }
            }
            auto count = static_cast<std::uint32_t>((bottom - top) * (right - left));
            for (std::size_t i = 0; i < 4; ++i)
                smaller.at(x, y)[i] = static_cast<std::uint8_t>(sum[i] / count);
        }
    }
    return smaller;
}

}  // namespace image
