// The part of YAML that prompt files need: mappings and lists by indentation, plain and quoted values, and
// blocks of text (| keeps lines, > joins them). No anchors, tags, flow collections or documents.
#pragma once

#include <string_view>

#include "util/json.h"

namespace tools {

// The error names the line.
Result<json::value> parse_yaml(std::string_view text);

}  // namespace tools
