// What differs between two pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "image/bitmap.h"

namespace image {

struct CompareOptions {
    double tolerance = 0.1;       // how far a pixel's colour may be off: 0 not at all, 1 black for white
    std::vector<Box> masks = {};  // not compared
};

struct Difference {
    std::int64_t compared = 0;  // pixels of the larger of both, without the masked ones
    std::int64_t differing = 0;
    std::vector<Box> regions;  // where they are, the largest first
    Bitmap marked;             // the second picture, faded, with what differs in red

    double percent() const {
        return compared == 0 ? 0 : 100.0 * static_cast<double>(differing) / static_cast<double>(compared);
    }
};

// Where sizes differ, what only one of them has differs.
Difference compare(const Bitmap& before, const Bitmap& after, const CompareOptions& options);

}  // namespace image
