// Other ways to what a tool does: a resource, a prompt, a route of the JSON API. Each says which tool it
// stands for, and is run as a call of that tool is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/tool.h"

namespace tools {

// The tool whose rules hold for such a way. It has no default: whoever adds a way says what it stands for.
class StandsFor {
public:
    StandsFor(std::string tool, std::string capability, Effect effect)
        : tool_(std::move(tool)), capability_(std::move(capability)), effect_(effect) {}

    const std::string& tool() const { return tool_; }
    const std::string& capability() const { return capability_; }
    // What changes nothing leaves no call in the record.
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

// Something to be read, and in whose session.
struct Access {
    StandsFor as;
    std::string session = {};  // by its name; empty: the caller's own
};

}  // namespace tools
