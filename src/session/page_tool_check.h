// Which of the tools that a page offers can be offered to clients.
#pragma once

#include <string>
#include <vector>

#include "engine/types.h"

namespace session {

struct CheckedPageTools {
    std::vector<engine::PageTool> tools;
    std::vector<std::string> refused;  // why, a sentence each
};

// Only those that the protocol has a form for: a client would refuse the whole list for the sake of one. Few
// and small, so that a page cannot fill an agent's context. Long descriptions are cut.
CheckedPageTools check_page_tools(std::vector<engine::PageTool> offered);

// The JSON Schema of its arguments as the protocol wants it.
json::object schema_of(const engine::PageTool& tool);

}  // namespace session
