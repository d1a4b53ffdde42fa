// The little that a client's process must know of a message, found without parsing it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace daemons {

// Views into the message; empty when it has no such member.
struct Scanned {
    std::string_view id;      // as JSON text: 1, "a"
    std::string_view method;  // without its quotes
    std::string_view params;  // as JSON text

    bool is_request() const { return !id.empty() && !method.empty(); }
    bool is_response() const { return !id.empty() && method.empty(); }
};

// How far to read. An answer's id stands in front of its result in what our server writes, so its end does
// not matter, however long it is.
enum class Extent { Whole, UpToResult };

// Tells of each message in a line: one, or those of a batch. What is no JSON is told of as far as it makes
// sense.
void scan(std::string_view line, Extent extent, const std::function<void(const Scanned&)>& found);

// The same text for the same id, however it was written.
std::string canonical_id(std::string_view id);

}  // namespace daemons
