// Requests as RFC 9112 has them, read a second time and strictly: what our server takes has to be one of
// these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fuzz {

struct StrictRequest {
    std::string method, target, body;
    std::vector<std::pair<std::string, std::string>> fields = {};  // names in small letters

    std::vector<std::string> values(std::string_view name) const;
};

// Takes the first request off; nothing when the bytes do not begin with a whole and unambiguous one.
std::optional<StrictRequest> take_request(std::string_view& bytes);

// A head as the most tolerant server might read it: lines end at any line break, and nothing is refused.
struct TolerantHead {
    std::vector<std::string> lines = {};  // before the first empty one
    std::string rest = {};                // behind it
};
TolerantHead read_tolerantly(std::string_view bytes);

}  // namespace fuzz
