// Alternatives to a tool: a resource, a prompt, a route of the JSON API. Each declares the tool that it
// stands for, and runs as a call of that tool.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/tool.h"

namespace tools {

// The tool whose rules apply to such an alternative. It has no default: every alternative declares its tool.
class StandsFor {
public:
    StandsFor(std::string tool, std::string capability, Effect effect)
        : tool_(std::move(tool)), capability_(std::move(capability)), effect_(effect) {}

    const std::string& tool() const { return tool_; }
    const std::string& capability() const { return capability_; }
    // Calls that change nothing are not recorded.
    bool is_recorded() const { return effect_ == Effect::ChangesPage || effect_ == Effect::ChangesServer; }

    // The tool as rules and the record see it. It takes a sessionId.
    Tool as_tool() const {
        Tool tool;
        tool.name = tool_;
        tool.capability = capability_;
        tool.effect = effect_;
        tool.input_schema = {{"type", "object"}, {"properties", json::object{{"sessionId", json::object{}}}}};
        return tool;
    }

private:
    std::string tool_, capability_;
    Effect effect_;
};

// A prompt stands for itself: rules call it prompts/<name>.
inline StandsFor prompt_access(const std::string& name) {
    return {"prompts/" + name, "", Effect::ReadsServer};
}

// A resource to read, and its session.
struct Access {
    StandsFor as;
    std::string session = {};  // its name; empty: the caller's own
};

}  // namespace tools
