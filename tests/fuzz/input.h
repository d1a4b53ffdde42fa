// What the fuzz targets share: cutting input into pieces, and saying which promise was broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace fuzz {

// Ends the run as a crash when a promise is broken; `shown` goes along for the reader.
inline void require(bool holds, std::string_view promise, std::string_view shown = {}) {
    if (holds) return;
    std::fprintf(stderr, "BROKEN: %.*s\n%.*s\n", static_cast<int>(promise.size()), promise.data(),
                 static_cast<int>(shown.size()), shown.data());
    std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// The bytes up to `mark`, which `rest` loses together with the mark; all of them when there is none.
inline std::string_view take_until(std::string_view& rest, std::string_view mark) {
    std::size_t end = rest.find(mark);
    std::string_view taken = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
    return taken;
}

// The first byte of an input, which says how the bytes behind it travel. Letters, so that seeds can be typed:
// @ A … Z cut them in 27 ways, @ not at all; ` a … z are the same with `flag` set.
struct Manner {
    unsigned cut = 0;
    bool flag = false;

    static Manner take(std::string_view& input) {
        if (input.empty()) return {};
        auto byte = static_cast<unsigned char>(input.front());
        input.remove_prefix(1);
        return {.cut = byte & 0x1fU, .flag = (byte & 0x20U) != 0};
    }
};

// Pieces that `bytes` fall into: always the same ones for the same `cut`.
inline std::vector<std::string_view> cut_into_pieces(std::string_view bytes, unsigned cut) {
    if (cut == 0) return {bytes};
    std::vector<std::string_view> pieces;
    std::uint32_t state = cut;
    std::size_t max_length = cut < 8 ? 3 : 60;
    while (!bytes.empty()) {
        state = state * 1664525U + 1013904223U;
        pieces.push_back(bytes.substr(0, 1 + (state >> 16U) % max_length));
        bytes.remove_prefix(pieces.back().size());
    }
    return pieces;
}

}  // namespace fuzz
