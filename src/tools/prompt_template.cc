#include "tools/prompt_template.h"

#include <algorithm>

#include "util/strings.h"

namespace tools {

// Parses a template from front to end.
class PromptTemplate::Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    // Reads to the end of the section; for the whole template, to the end of the text.
    Result<std::vector<Node>> read(std::string_view section) {
        std::vector<Node> nodes;
        for (;;) {
            std::size_t open = std::min(rest_.find("{{"), rest_.size());
            if (open > 0) nodes.push_back({Node::Kind::Text, std::string(rest_.substr(0, open))});
            rest_.remove_prefix(open);
            if (rest_.empty()) {
                if (section.empty()) return nodes;
                return wrong("{{#" + std::string(section) + "}} is not closed.");
            }
            std::size_t close = rest_.find("}}");
            if (close == std::string_view::npos) return wrong("{{ is not closed.");
            std::string_view tag = trim(rest_.substr(2, close - 2));
            rest_.remove_prefix(close + 2);
            if (tag.starts_with('/')) {
                if (section.empty() || trim(tag.substr(1)) != section)
                    return wrong("{{" + std::string(tag) + "}} closes nothing.");
                return nodes;
            }
            nodes.push_back(TRY(node(tag)));
        }
    }

private:
    static Error wrong(std::string message) {
        return Error{.code = ErrorCode::InvalidArgument, .message = "Template: " + std::move(message)};
    }

    Result<Node> node(std::string_view tag) {
        if (!tag.starts_with('#')) {
            if (tag.empty()) return wrong("{{}} names nothing.");
            return Node{Node::Kind::Value, std::string(tag)};
        }
        std::size_t space = std::min(tag.find(' '), tag.size());
        std::string_view section = tag.substr(1, space - 1), name = trim(tag.substr(space));
        bool known = section == "each" || section == "if";
        if (!known || name.empty())
            return wrong("{{" + std::string(tag) + "}} is neither {{#each name}} nor {{#if name}}.");
        Node::Kind kind = section == "each" ? Node::Kind::Each : Node::Kind::If;
        return Node{kind, std::string(name), TRY(read(section))};
    }

    std::string_view rest_;
};

namespace {

std::string to_text(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

std::string value_of(const PromptArguments& arguments, const std::string& name) {
    auto it = arguments.find(name);
    return it == arguments.end() ? "" : it->second;
}

bool holds(const std::string& value) { return !value.empty() && value != "false"; }

}  // namespace

Result<PromptTemplate> PromptTemplate::create(std::string_view text) {
    PromptTemplate made;
    made.nodes_ = TRY(Reader(text).read(""));
    return made;
}

Result<void> PromptTemplate::append_each(std::string& out, const Node& node,
                                         const PromptArguments& arguments) {
    std::string given = value_of(arguments, node.text);
    if (given.empty()) return ok();
    auto parsed = json::parse(given);
    const json::object* members = parsed ? parsed->if_object() : nullptr;
    const json::array* items = parsed ? parsed->if_array() : nullptr;
    if (!members && !items) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "The argument \"" + node.text + "\" must be a JSON object.",
                     .hint = "Write it like {\"name\": \"value\"}."};
    }
    if (members) {
        for (const auto& [key, value] : *members) {
            Item item{std::string(key), to_text(value)};
            TRY(append(out, node.inner, arguments, &item));
        }
        return ok();
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
        Item item{std::to_string(i), to_text((*items)[i])};
        TRY(append(out, node.inner, arguments, &item));
    }
    return ok();
}

Result<void> PromptTemplate::append(std::string& out, const std::vector<Node>& nodes,
                                    const PromptArguments& arguments, const Item* item) {
    for (const Node& node : nodes) {
        switch (node.kind) {
            case Node::Kind::Text:
                out += node.text;
                break;
            case Node::Kind::Value:
                if (item && node.text == "@key")
                    out += item->key;
                else if (item && node.text == "this")
                    out += item->value;
                else
                    out += value_of(arguments, node.text);
                break;
            case Node::Kind::If:
                if (holds(value_of(arguments, node.text))) TRY(append(out, node.inner, arguments, item));
                break;
            case Node::Kind::Each:
                TRY(append_each(out, node, arguments));
                break;
        }
    }
    return ok();
}

Result<std::string> PromptTemplate::render(const PromptArguments& arguments) const {
    std::string text;
    TRY(append(text, nodes_, arguments, nullptr));
    return text;
}

void PromptTemplate::collect(std::vector<std::string>& names, const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
        bool is_name = node.kind != Node::Kind::Text && node.text != "@key" && node.text != "this";
        if (is_name && std::ranges::find(names, node.text) == names.end()) names.push_back(node.text);
        collect(names, node.inner);
    }
}

std::vector<std::string> PromptTemplate::names() const {
    std::vector<std::string> names;
    collect(names, nodes_);
    return names;
}

}  // namespace tools
