// The built-in prompts, and the types that prompts are built from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/prompt_template.h"

namespace tools {

// An argument as a prompt declares it.
struct TemplateArgument {
    std::string name;
    std::string description = {};
    bool required = false;
    std::string fallback = {};             // used when it is left out
    std::vector<std::string> values = {};  // offered as completions
};

// A prompt of one message, from a template.
struct TemplatePrompt {
    std::string name;
    std::string title = {};
    std::string description = {};
    std::vector<TemplateArgument> arguments = {};
    PromptTemplate body;
};

// Arguments that are left out get their defaults; an argument's values are offered as completions.
Prompt to_prompt(TemplatePrompt given);

// Names of the secrets that the server was started with, for `authenticate`.
using SecretNames = std::function<std::vector<std::string>()>;

std::vector<Prompt> built_in_prompts(const SecretNames& secrets);

}  // namespace tools
