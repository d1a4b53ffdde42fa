// The text of a prompt with places for its arguments:
//
//   Open {{url}}.{{#if note}} Mind: {{note}}{{/if}}
//   {{#each fields}}- {{@key}}: {{this}}
//   {{/each}}
//
// Values are inserted as they are and never read as a template.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/prompt.h"
#include "util/json.h"

namespace tools {

// A parsed template. Copies are independent; any thread may render.
class PromptTemplate {
public:
    // Fails with InvalidArgument for an unclosed or unknown section.
    static Result<PromptTemplate> create(std::string_view text);

    // A missing argument is empty. Fails with InvalidArgument when {{#each}} is given anything but a JSON
    // object or array.
    Result<std::string> render(const PromptArguments& arguments) const;

    // The arguments that the template names, each once.
    std::vector<std::string> names() const;

private:
    struct Node {
        enum class Kind { Text, Value, Each, If } kind = Kind::Text;
        std::string text;  // or the argument's name
        std::vector<Node> inner = {};
    };
    // The values of {{@key}} and {{this}}.
    struct Item {
        std::string key, value;
    };
    class Reader;

    static Result<void> append(std::string& out, const std::vector<Node>& nodes,
                               const PromptArguments& arguments, const Item* item);
    static Result<void> append_each(std::string& out, const Node& node, const PromptArguments& arguments);
    static void collect(std::vector<std::string>& names, const std::vector<Node>& nodes);

    std::vector<Node> nodes_;
};

}  // namespace tools
