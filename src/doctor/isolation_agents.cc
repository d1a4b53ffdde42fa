#include "doctor/isolation_agents.h"

#include <algorithm>

#include "util/strings.h"

namespace doctor {
namespace {

constexpr std::chrono::seconds kCallLimit{20};

// The values after every "targetId=".
std::vector<std::string> ids_in(std::string_view text) {
    constexpr std::string_view kMark = "targetId=";
    std::vector<std::string> ids;
    for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at)) {
        at += kMark.size();
        ids.emplace_back(text.substr(at, text.find_first_of(" ]", at) - at));
    }
    return ids;
}

}  // namespace

Task<Reply> Agent::call(std::string tool, json::object arguments) {
    auto found = registry_.find_tool(tool);
    if (!found) co_await Error{.code = ErrorCode::NotFound, .message = "There is no tool " + tool + "."};
    json::value given = std::move(arguments);
    tools::ToolResult result = co_await found->run({given, *this, Deadline::in(kCallLimit)});
    Reply reply{.is_error = result.is_error};
    for (const tools::Content& content : result.content) {
        if (const auto* text = std::get_if<tools::Text>(&content)) reply.text += text->text;
        if (const auto* link = std::get_if<tools::ResourceLink>(&content)) reply.links.push_back(link->uri);
    }
    co_return reply;
}

Task<Reply> Agent::call_in(std::string where, std::string tool, json::object arguments) {
    arguments["targetId"] = where.empty() ? tab : where;
    return call(std::move(tool), std::move(arguments));
}

Task<std::string> Agent::evaluate(std::string function, std::string where) {
    Reply reply = co_await call_in(std::move(where), "browser_evaluate", {{"function", std::move(function)}});
    // Cuts off the executed code: it repeats the function's text and is not part of its result.
    co_return reply.text.substr(0, reply.text.find("### Ran Playwright code"));
}

Task<std::string> Agent::read(std::string uri) {
    std::string text;
    for (const auto& provider : registry_.resources()) {
        auto found = co_await as_result(provider->read(uri, *this));
        if (!found || !*found) continue;
        for (const tools::ResourceContents& contents : **found) text += contents.text.value_or("");
    }
    co_return text;
}

Task<std::string> Agent::open(std::string url) {
    std::vector<std::string> before = co_await tabs();
    Reply reply = co_await call("browser_tabs", {{"action", "new"}, {"url", std::move(url)}});
    for (const std::string& id : ids_in(reply.text)) {
        if (std::ranges::find(before, id) == before.end()) co_return id;
    }
    co_await Error{.code = ErrorCode::InternalError, .message = "A tab did not open: " + reply.text};
    co_return "";
}

Task<std::vector<std::string>> Agent::tabs() {
    Reply reply = co_await call("browser_tabs", {{"action", "list"}});
    co_return ids_in(reply.text);
}

Task<std::map<std::string, json::value>> Agent::ask(std::vector<tools::InputRequest>) {
    co_await Error{.code = ErrorCode::InvalidArgument, .message = "Nobody is here to answer."};
    co_return std::map<std::string, json::value>{};
}

Task<std::vector<std::string>> Stage::reachable_tabs() const {
    std::vector<std::string> ids = co_await intruder.tabs();
    if (std::ranges::find(ids, owner.tab) == ids.end()) ids.push_back(owner.tab);
    co_return ids;
}

Task<std::string> Stage::look_everywhere(std::string tool, json::object arguments) const {
    std::string seen;
    std::vector<std::string> ids = co_await reachable_tabs();
    for (const std::string& id : ids) {
        Reply reply = co_await intruder.call_in(id, tool, arguments);
        seen += reply.text.substr(0, reply.text.find("### Ran Playwright code")) + "\n";
    }
    co_return seen;
}

}  // namespace doctor
