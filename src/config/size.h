// A width and a height in pixels.
#pragma once

namespace config {

struct Size {
    int width = 0;
    int height = 0;

    bool operator==(const Size&) const = default;
};

}  // namespace config
