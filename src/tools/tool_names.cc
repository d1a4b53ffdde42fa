#include "tools/tool_names.h"

#include <algorithm>

#include "tools/call_gate.h"
#include "tools/webmcp.h"
#include "util/strings.h"

namespace tools {
namespace {

bool is_open_ended(const std::string& pattern) {
    return pattern.starts_with("prompts/") || pattern.starts_with(kPageToolPrefix) || pattern == kInitPage;
}

}  // namespace

Result<void> check_tool_names(std::string_view setting, const std::vector<std::string>& patterns,
                              const std::vector<std::string>& known) {
    for (const std::string& pattern : patterns) {
        auto fits = [&](const std::string& name) { return matches_glob(name, pattern); };
        if (is_open_ended(pattern) || std::ranges::any_of(known, fits)) continue;
        std::string near = nearest_name(pattern, known);
        return Error{
            .code = ErrorCode::InvalidArgument,
            .message = std::string(setting) + " names \"" + pattern + "\", and there is no such tool.",
            .hint = near.empty() ? "docs/tools.md lists them all." : "Did you mean " + near + "?"};
    }
    return ok();
}

}  // namespace tools
