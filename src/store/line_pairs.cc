#include "store/line_pairs.h"

#include <algorithm>
#include <limits>

namespace store {
namespace {

// Steps of the inner loop: tens of milliseconds at most.
constexpr std::int64_t kMaxWork = 8'000'000;
constexpr std::int64_t kMaxEdits = 1'000;
constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::min() / 4;

struct Point {
    std::int64_t a, b;
};

class Search {
public:
    Search(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) : a_(a), b_(b) {
        std::size_t diagonals = 2 * (a.size() + b.size()) + 3;
        forward_.resize(std::min<std::size_t>(diagonals, 2 * kMaxEdits + 5));
        backward_.resize(forward_.size());
    }

    // Compares tokens from `low` up to `high`. Halves the problem until the rest is trivial; recursion is as
    // deep as its logarithm, or bounded by the work allowed.
    void compare(Point low, Point high) {
        while (low.a < high.a && low.b < high.b && a_[low.a] == b_[low.b])
            pairs.emplace_back(low.a++, low.b++);
        std::int64_t tail = 0;
        while (low.a < high.a && low.b < high.b && a_[high.a - 1] == b_[high.b - 1])
            --high.a, --high.b, ++tail;
        if (low.a < high.a && low.b < high.b && work_ > 0) {
            Point middle = find_middle(low, high);
            bool is_end =
                (middle.a == low.a && middle.b == low.b) || (middle.a == high.a && middle.b == high.b);
            if (!is_end) {
                compare(low, middle);
                compare(middle, high);
            }
        }
        for (std::int64_t i = 0; i < tail; ++i) pairs.emplace_back(high.a + i, high.b + i);
    }

    Pairs pairs;

private:
    // A point on a shortest path from low to high, about half way; beyond kMaxEdits the furthest reached.
    Point find_middle(Point low, Point high) {
        std::int64_t width = high.a - low.a, height = high.b - low.b, delta = width - height;
        bool odd = (delta & 1) != 0;
        std::int64_t max_edits = std::min<std::int64_t>((width + height + 1) / 2, kMaxEdits);
        std::int64_t offset = static_cast<std::int64_t>(forward_.size()) / 2;
        auto forward = [&](std::int64_t k) -> std::int64_t& {
            return forward_[static_cast<std::size_t>(k + offset)];
        };
        auto backward = [&](std::int64_t k) -> std::int64_t& {
            return backward_[static_cast<std::size_t>(k + offset)];
        };
        // The furthest point on diagonal k with one edit more; kOutside when that is beyond the texts.
        auto reach = [&](auto& path, std::int64_t k, std::int64_t d) {
            std::int64_t down = k < d ? path(k + 1) : kOutside, right = k > -d ? path(k - 1) + 1 : kOutside;
            if (down < 0 || down - k > height) down = kOutside;
            if (right < 0 || right > width) right = kOutside;
            return std::max(down, right);
        };
        for (std::int64_t d = 0; d <= max_edits; ++d) {
            for (std::int64_t k = -d; k <= d; k += 2) {
                std::int64_t x = d == 0 ? 0 : reach(forward, k, d), begin = x;
                while (x >= 0 && x < width && x - k < height && a_[low.a + x] == b_[low.b + x - k]) ++x;
                work_ -= 1 + x - begin;
                forward(k) = x;
                std::int64_t other = delta - k;
                if (odd && x >= 0 && other >= -(d - 1) && other <= d - 1 && x + backward(other) >= width)
                    return {low.a + x, low.b + x - k};
            }
            for (std::int64_t k = -d; k <= d; k += 2) {
                std::int64_t x = d == 0 ? 0 : reach(backward, k, d), begin = x;
                while (x >= 0 && x < width && x - k < height &&
                       a_[high.a - 1 - x] == b_[high.b - 1 - (x - k)])
                    ++x;
                work_ -= 1 + x - begin;
                backward(k) = x;
                std::int64_t other = delta - k;
                if (!odd && x >= 0 && other >= -d && other <= d && x + forward(other) >= width)
                    return {high.a - x, high.b - (x - k)};
            }
            if (work_ <= 0) {
                max_edits = d;
                break;
            }
        }
        // Too different: goes on from the point that has most of both texts before it.
        Point best = low;
        std::int64_t furthest = -1;
        for (std::int64_t k = -max_edits; k <= max_edits; k += 2) {
            std::int64_t x = forward(k), y = x - k;
            if (x < 0 || x + y <= furthest) continue;
            furthest = x + y;
            best = {low.a + x, low.b + y};
        }
        return best;
    }

    const std::vector<std::uint32_t>& a_;
    const std::vector<std::uint32_t>& b_;
    std::vector<std::int64_t> forward_, backward_;
    std::int64_t work_ = kMaxWork;
};

}  // namespace

Pairs longest_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    Search search(a, b);
    search.compare({0, 0}, {static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size())});
    return std::move(search.pairs);
}

}  // namespace store
