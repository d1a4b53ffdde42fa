// Longest common subsequences in bounded time: Myers' algorithm in linear space.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace store {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Positions of equal tokens, rising in both, as many as possible; fewer beyond a fixed amount of work.
Pairs longest_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

}  // namespace store
