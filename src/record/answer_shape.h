// Decides how much of a result an answer shows: everything, the changes, an outline, or a reference to the
// record.
#pragma once

#include <optional>
#include <string>

#include "tools/content.h"

namespace record {

// In the order of the configuration's choices.
enum class Mode { Full, Ref, Delta };
std::optional<Mode> mode_of(std::string_view word);

// The metadata that a reference gives about its call.
struct Reference {
    std::string ref_id;  // empty: the call was not kept
    std::string session_id;
    std::string timestamp;
    std::string tool;
};

struct Wanted {
    Mode mode = Mode::Full;
    std::optional<std::size_t> max_chars = {};
};

// A result that may be shortened. `before` is the last snapshot that the session's answers showed; may be
// null.
struct Cut {
    const tools::ToolResult& result;
    const Reference& reference;
    const std::string* before = nullptr;
};

// The metadata of a call as JSON, without any content.
json::object describe(const Reference& reference, const tools::ToolResult& result);

struct Shaped {
    std::optional<tools::ToolResult> result = {};  // the result to send; nothing: send the original
    bool shows_page = true;                        // the reader knows the page afterwards
};
Shaped shape(const Cut& cut, const Wanted& wanted);

}  // namespace record
