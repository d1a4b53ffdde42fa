#include "upstream/prompts_and_resources.h"

namespace upstream {
namespace {

std::string text_of(const json::object& from, std::string_view key) {
    return std::string(json::find_string(from, key).value_or(""));
}

Task<tools::PromptResult> get_prompt(PromptsAndResources::Ask ask, std::string name,
                                     tools::PromptArguments given, tools::Client& client) {
    json::object arguments;
    for (const auto& [key, value] : given) arguments[key] = value;
    mcp::RawResult answer =
        co_await ask("prompts/get", {{"name", name}, {"arguments", std::move(arguments)}}, client);
    tools::PromptResult result;
    result.raw_json = answer.text();
    co_return result;
}

tools::Prompt prompt_for(const json::object& description, std::string shown,
                         const PromptsAndResources::Ask& ask) {
    tools::Prompt prompt;
    prompt.name = std::move(shown);
    prompt.title = text_of(description, "title");
    prompt.description = text_of(description, "description");
    if (const json::array* arguments = json::find_array(description, "arguments")) {
        for (const json::value& each : *arguments) {
            const json::object* argument = each.if_object();
            if (!argument) continue;
            prompt.arguments.push_back({.name = text_of(*argument, "name"),
                                        .description = text_of(*argument, "description"),
                                        .required = json::find_bool(*argument, "required").value_or(false)});
        }
    }
    prompt.render = [ask, name = text_of(description, "name")](tools::PromptArguments given,
                                                               tools::Client& client) {
        return get_prompt(ask, name, std::move(given), client);
    };
    return prompt;
}

std::vector<tools::ResourceContents> contents_of(const json::value& answer) {
    std::vector<tools::ResourceContents> contents;
    const json::object* members = answer.if_object();
    const json::array* list = members ? json::find_array(*members, "contents") : nullptr;
    if (!list) return contents;
    for (const json::value& each : *list) {
        const json::object* given = each.if_object();
        if (!given) continue;
        tools::ResourceContents& one = contents.emplace_back();
        one.uri = text_of(*given, "uri");
        one.mime_type = text_of(*given, "mimeType");
        if (auto text = json::find_string(*given, "text")) one.text = std::string(*text);
        if (auto bytes = json::find_string(*given, "blob")) one.base64 = std::string(*bytes);
    }
    return contents;
}

}  // namespace

class PromptsAndResources::Resources final : public tools::ResourceProvider {
public:
    Resources(Ask ask, Serves serves, Watch watch)
        : ask_(std::move(ask)), serves_(std::move(serves)), watch_(std::move(watch)) {}

    // Replaces the lists; returns whether anything changed.
    bool set(const Offerings& offerings) {
        if (offerings.resources == listed_ && offerings.templates == templates_) return false;
        listed_ = offerings.resources;
        templates_ = offerings.templates;
        return true;
    }

    std::vector<tools::Resource> list(const tools::Caller& caller) const override {
        std::vector<tools::Resource> resources;
        if (!serves_(caller)) return resources;
        for (const json::object& each : listed_)
            resources.push_back({.uri = text_of(each, "uri"),
                                 .name = text_of(each, "name"),
                                 .title = text_of(each, "title"),
                                 .description = text_of(each, "description"),
                                 .mime_type = text_of(each, "mimeType")});
        return resources;
    }

    std::vector<tools::ResourceTemplate> templates() const override {
        std::vector<tools::ResourceTemplate> all;
        for (const json::object& each : templates_)
            all.push_back({.uri_template = text_of(each, "uriTemplate"),
                           .name = text_of(each, "name"),
                           .title = text_of(each, "title"),
                           .description = text_of(each, "description"),
                           .mime_type = text_of(each, "mimeType")});
        return all;
    }

    // Rules name the other server's resources this way: no tool of ours returns the same.
    std::optional<tools::Access> reading(const std::string&) const override {
        if (listed_.empty() && templates_.empty()) return std::nullopt;
        return tools::Access{{"resources/upstream", "", tools::Effect::ReadsServer}};
    }

    // The session's server decides which URIs it has.
    Task<std::optional<std::vector<tools::ResourceContents>>> read(std::string uri,
                                                                   tools::Client& client) override {
        if ((listed_.empty() && templates_.empty()) || !serves_(client.caller())) co_return std::nullopt;
        auto answer = co_await as_result(ask_("resources/read", {{"uri", uri}}, client));
        if (answer) co_return contents_of(answer->value);
        auto refused = mcp::rpc_error_of(answer.error());
        if (refused && (refused->code == mcp::kResourceNotFound || refused->code == mcp::kInvalidParams))
            co_return std::nullopt;
        co_return answer.error();
    }

    std::shared_ptr<void> watch(const std::string& uri, const tools::Caller& caller) override {
        bool may_have = !listed_.empty() || !templates_.empty();
        return may_have && serves_(caller) ? watch_(uri, caller) : nullptr;
    }

private:
    Ask ask_;
    Serves serves_;
    Watch watch_;
    std::vector<json::object> listed_, templates_;
};

PromptsAndResources::PromptsAndResources(tools::Registry& registry, Ask ask, Serves serves, Watch watch)
    : registry_(registry), ask_(std::move(ask)), serves_(std::move(serves)), watch_(std::move(watch)) {}

PromptsAndResources::~PromptsAndResources() = default;

void PromptsAndResources::offer(const Offerings& offerings) {
    std::map<std::string, json::object> now;
    for (const json::object& description : offerings.prompts) {
        std::string name = text_of(description, "name");
        bool ours = registry_.find_prompt(name) && !prompts_.contains(name);
        std::string shown = ours ? "upstream_" + name : name;
        auto known = prompts_.find(shown);
        if (known == prompts_.end() || known->second != description)
            registry_.add(prompt_for(description, shown, ask_));
        now.emplace(shown, description);
    }
    for (const auto& [shown, description] : prompts_)
        if (!now.contains(shown)) registry_.remove_prompt(shown);
    prompts_ = std::move(now);

    bool some = !offerings.resources.empty() || !offerings.templates.empty();
    if (!resources_ && some) {
        resources_ = std::make_shared<Resources>(ask_, serves_, watch_);
        resources_->set(offerings);
        registry_.add(resources_);
    } else if (resources_ && resources_->set(offerings)) {
        registry_.resource_list_changed();
    }
}

}  // namespace upstream
