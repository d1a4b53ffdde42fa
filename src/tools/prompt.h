// A ready-made request that a person picks in the client.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/client.h"
#include "tools/content.h"
#include "tools/resource.h"

namespace tools {

struct PromptArgument {
    std::string name;
    std::string description;
    bool required = false;
};

struct PromptMessage {
    enum class Role { User, Assistant } role = Role::User;
    Content content;
};

struct PromptResult {
    std::string description;
    std::vector<PromptMessage> messages;
    // The whole result as another server wrote it: sent byte for byte in place of the above.
    std::string raw_json = {};
};

using PromptArguments = std::map<std::string, std::string>;

struct Prompt {
    std::string name;
    std::string title;
    std::string description;
    std::vector<PromptArgument> arguments;
    // Required arguments are present when this runs.
    std::function<Task<PromptResult>(PromptArguments, Client&)> render;
    // Values for an argument that start with the typed text; may be empty.
    std::function<std::vector<std::string>(const std::string& argument, const std::string& typed,
                                           const CompletionContext& context)>
        complete;
};

}  // namespace tools
