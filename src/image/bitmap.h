// A picture as its pixels.
#pragma once

#include <cstdint>
#include <vector>

namespace image {

struct Bitmap {
    Bitmap() = default;
    Bitmap(int given_width, int given_height)
        : width(given_width),
          height(given_height),
          rgba(static_cast<std::size_t>(given_width) * static_cast<std::size_t>(given_height) * 4) {}

    // The four bytes of a pixel: red, green, blue, alpha.
    std::uint8_t* at(int x, int y) { return rgba.data() + offset(x, y); }
    const std::uint8_t* at(int x, int y) const { return rgba.data() + offset(x, y); }

    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;  // rows from the top

private:
    std::size_t offset(int x, int y) const {
        return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) *
               4;
    }
};

// A rectangle in pixels.
struct Box {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    bool operator==(const Box&) const = default;
};

// Shrinks the bitmap when a side is longer than `side` or it has more than `pixels`; otherwise returns it
// unchanged.
Bitmap fitted(Bitmap bitmap, int side, double pixels);

}  // namespace image
