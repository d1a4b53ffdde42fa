// Finds the few parts of a message that a client's process needs, without parsing it.
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

// How far to read. Our server writes an answer's id before its result, so the rest can be skipped, however
// long it is.
enum class Extent { Whole, UpToResult };

// Calls `found` for each message in a line: one, or those of a batch. Invalid JSON is reported as far as it
// can be read.
void scan(std::string_view line, Extent extent, const std::function<void(const Scanned&)>& found);

// Returns the same text for the same id, however it was written.
std::string canonical_id(std::string_view id);

}  // namespace daemons
