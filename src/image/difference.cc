#include "image/difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace image {
namespace {

using Color = std::array<double, 3>;
using Mark = std::array<std::uint8_t, 4>;

constexpr Mark kRed = {230, 20, 40, 255}, kFrame = {200, 0, 200, 255}, kMasked = {160, 160, 190, 255};
// Changed pixels closer than this belong to one region.
constexpr int kCell = 16;
constexpr std::size_t kMaxRegions = 20;

// The pixel's color on a white background, like a page's.
Color color_of(const std::uint8_t* pixel) {
    double alpha = pixel[3] / 255.0;
    auto on_white = [&](std::uint8_t value) { return 255 + (value - 255) * alpha; };
    return {on_white(pixel[0]), on_white(pixel[1]), on_white(pixel[2])};
}

// The perceived difference of two colours, from 0 to 1: their distance in YIQ, which weights brightness most.
double distance(const std::uint8_t* a, const std::uint8_t* b) {
    if (std::equal(a, a + 4, b)) return 0;
    Color from = color_of(a), to = color_of(b);
    double red = from[0] - to[0], green = from[1] - to[1], blue = from[2] - to[2];
    double y = red * 0.299 + green * 0.587 + blue * 0.114;
    double i = red * 0.596 - green * 0.274 - blue * 0.322;
    double q = red * 0.211 - green * 0.523 + blue * 0.312;
    return std::sqrt((0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q) / (0.5053 * 255 * 255));
}

void paint(Bitmap& bitmap, int x, int y, const Mark& mark) { std::ranges::copy(mark, bitmap.at(x, y)); }

// The pixel, lightened so that marks stand out.
Mark faded(const std::uint8_t* pixel) {
    Color color = color_of(pixel);
    double gray = color[0] * 0.299 + color[1] * 0.587 + color[2] * 0.114;
    auto light = static_cast<std::uint8_t>(255 - (255 - gray) * 0.25);
    return {light, light, light, 255};
}

Box clipped(const Box& box, int width, int height) {
    auto within = [](std::int64_t value, int max) {
        return static_cast<int>(std::clamp<std::int64_t>(value, 0, max));
    };
    int left = within(box.x, width), top = within(box.y, height);
    return {left, top, within(std::int64_t{box.x} + box.width, width) - left,
            within(std::int64_t{box.y} + box.height, height) - top};
}

// A grid of cells over the picture, with the cells that contain differences.
class Cells {
public:
    Cells(int width, int height)
        : columns_((width + kCell - 1) / kCell),
          rows_((height + kCell - 1) / kCell),
          changed_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

    void note(int x, int y) {
        Extent& cell = changed_[index(x / kCell, y / kCell)];
        cell = {std::min(cell.left, x), std::min(cell.top, y), std::max(cell.right, x + 1),
                std::max(cell.bottom, y + 1)};
    }

    // Joins neighbouring cells, largest region first.
    std::vector<Box> regions() {
        std::vector<Box> found;
        for (int row = 0; row < rows_; ++row) {
            for (int column = 0; column < columns_; ++column) {
                if (changed_[index(column, row)].right == 0) continue;
                Extent all = take(column, row);
                found.push_back({all.left, all.top, all.right - all.left, all.bottom - all.top});
            }
        }
        std::ranges::sort(found, {}, [](const Box& box) {
            return std::tuple(-std::int64_t{box.width} * box.height, box.y, box.x);
        });
        if (found.size() > kMaxRegions) found.resize(kMaxRegions);
        return found;
    }

private:
    struct Extent {
        int left = 1 << 30, top = 1 << 30, right = 0, bottom = 0;
    };
    std::size_t index(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
               static_cast<std::size_t>(column);
    }
    // Removes a changed cell, and all changed cells connected to it.
    Extent take(int column, int row) {
        Extent all;
        std::vector<std::pair<int, int>> waiting{{column, row}};
        while (!waiting.empty()) {
            auto [x, y] = waiting.back();
            waiting.pop_back();
            if (x < 0 || y < 0 || x >= columns_ || y >= rows_) continue;
            Extent cell = std::exchange(changed_[index(x, y)], {});
            if (cell.right == 0) continue;
            all = {std::min(all.left, cell.left), std::min(all.top, cell.top),
                   std::max(all.right, cell.right), std::max(all.bottom, cell.bottom)};
            for (int dy : {-1, 0, 1}) {
                for (int dx : {-1, 0, 1}) waiting.emplace_back(x + dx, y + dy);
            }
        }
        return all;
    }

    int columns_, rows_;
    std::vector<Extent> changed_;
};

std::vector<bool> masked_pixels(int width, int height, const std::vector<Box>& masks) {
    std::vector<bool> masked(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (const Box& mask : masks) {
        Box box = clipped(mask, width, height);
        for (int y = box.y; y < box.y + box.height; ++y) {
            auto row = masked.begin() + static_cast<std::ptrdiff_t>(y) * width + box.x;
            std::fill(row, row + box.width, true);
        }
    }
    return masked;
}

void draw_frame(Bitmap& bitmap, const Box& region) {
    Box box = clipped({region.x - 3, region.y - 3, region.width + 6, region.height + 6}, bitmap.width,
                      bitmap.height);
    for (int x = box.x; x < box.x + box.width; ++x) {
        paint(bitmap, x, box.y, kFrame);
        paint(bitmap, x, box.y + box.height - 1, kFrame);
    }
    for (int y = box.y; y < box.y + box.height; ++y) {
        paint(bitmap, box.x, y, kFrame);
        paint(bitmap, box.x + box.width - 1, y, kFrame);
    }
}

}  // namespace

Difference compare(const Bitmap& before, const Bitmap& after, const CompareOptions& options) {
    int width = std::max(before.width, after.width), height = std::max(before.height, after.height);
    std::vector<bool> masked = masked_pixels(width, height, options.masks);
    Difference difference{.marked = Bitmap(width, height)};
    Cells cells(width, height);
    auto has = [](const Bitmap& bitmap, int x, int y) { return x < bitmap.width && y < bitmap.height; };
    auto mask = masked.begin();
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x, ++mask) {
            if (*mask) {
                paint(difference.marked, x, y, kMasked);
                continue;
            }
            ++difference.compared;
            bool both = has(before, x, y) && has(after, x, y);
            if (both && distance(before.at(x, y), after.at(x, y)) <= options.tolerance) {
                paint(difference.marked, x, y, faded(after.at(x, y)));
                continue;
            }
            ++difference.differing;
            cells.note(x, y);
            paint(difference.marked, x, y, kRed);
        }
    }
    difference.regions = cells.regions();
    for (const Box& region : difference.regions) draw_frame(difference.marked, region);
    return difference;
}

}  // namespace image
