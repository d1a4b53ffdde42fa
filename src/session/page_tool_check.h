// Checks which of a page's tools can be offered to clients.
#pragma once

#include <string>
#include <vector>

#include "engine/types.h"
#include "util/redactor.h"

namespace session {

struct CheckedPageTools {
    std::vector<engine::PageTool> tools;
    std::vector<std::string> refused;  // why, a sentence each
};

// Keeps tools that the protocol has a form for: a client would refuse the whole list because of one. Limits
// number and size, so that a page cannot fill an agent's context. Cuts long descriptions. Refuses tools with
// secrets in names and numbers, where the redactor would leave no usable tool.
CheckedPageTools check_page_tools(std::vector<engine::PageTool> offered, const Redactor& secrets = {});

// The JSON Schema of the tool's arguments as the protocol wants it.
json::object schema_of(const engine::PageTool& tool);

}  // namespace session
