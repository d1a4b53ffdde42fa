// Compares two pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "image/bitmap.h"

namespace image {

struct CompareOptions {
    double tolerance = 0.1;       // allowed difference of a pixel's colour: 0 none, 1 black for white
    std::vector<Box> masks = {};  // areas that are not compared
};

struct Difference {
    std::int64_t compared = 0;  // pixels of the larger picture, without the masked ones
    std::int64_t differing = 0;
    std::vector<Box> regions;  // where they are, the largest first
    Bitmap marked;             // the second picture, faded, with the differences in red

    double percent() const {
        return compared == 0 ? 0 : 100.0 * static_cast<double>(differing) / static_cast<double>(compared);
    }
};

// When the sizes differ, pixels that only one picture has count as different.
Difference compare(const Bitmap& before, const Bitmap& after, const CompareOptions& options);

}  // namespace image
