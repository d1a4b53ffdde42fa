// Calls tools, records the calls and renders their results.
#include "mcp/client_text.h"
#include "mcp/methods.h"
#include "mcp/render.h"
#include "tools/session_param.h"
#include "util/strings.h"

namespace mcp {
namespace {

// The caller's own name for a call.
std::string request_name(const json::object& params) {
    const json::object* meta = json::find_object(params, "_meta");
    return meta ? std::string(json::find_string(*meta, kMetaRequest).value_or("")) : "";
}

constexpr std::string_view kPrefix = "browser_";

std::string without_prefix(std::string_view name) {
    return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

// The prefix, which many leave out, makes no two names alike.
std::string nearest_tool(std::string_view name,
                         const std::vector<std::shared_ptr<const tools::Tool>>& offered) {
    std::vector<std::string> names;
    for (const auto& tool : offered) names.push_back(without_prefix(tool->name));
    std::string near = nearest_name(without_prefix(name), names), found;
    for (const auto& tool : offered) {
        if (near.empty() || without_prefix(tool->name) != near) continue;
        bool is_alike = tool->name.starts_with(kPrefix) == name.starts_with(kPrefix);
        if (found.empty() || is_alike) found = tool->name;
    }
    return found;
}

std::string not_found(std::string_view name, const std::string& near) {
    std::string text = "Tool \"" + std::string(name) + "\" not found";
    return near.empty() ? text : text + ". Did you mean \"" + near + "\"?";
}

}  // namespace

std::shared_ptr<const tools::Tool> Methods::find_own_tool(std::string_view name, const json::object& params,
                                                          tools::Caller caller) const {
    if (const json::value* arguments = json::find(params, "arguments"))
        caller.session_name = tools::session_argument(*arguments);
    for (auto& tool : registry_.own_tools(caller)) {
        if (tool->name == name) return tool;
    }
    return nullptr;
}

Task<Answer> Methods::call_tool(RequestContext& context) {
    const json::object& params = context.request().params;
    auto name = json::find_string(params, "name");
    if (!name) co_return refuse(kInvalidParams, "Invalid params: \"name\" must be a string.");
    auto tool = registry_.find_tool(*name);
    if (!tool) tool = find_own_tool(*name, params, context.caller());
    if (!tool)
        co_return refuse(kInvalidParams,
                         not_found(*name, nearest_tool(*name, offered_tools(context.caller()))));
    static const json::value kNoArguments = json::object{};
    const json::value* arguments = json::find(params, "arguments");
    if (!arguments || arguments->is_null()) arguments = &kNoArguments;
    if (!arguments->is_object())
        co_return refuse(kInvalidParams, "Invalid params: \"arguments\" must be an object.");
    if (auto error = take_answers(context)) co_return Answer{.error = std::move(error)};

    context.enter({.what = "its tool"});
    // Tool names that pages invent would create metrics without limit.
    std::string counted_as = registry_.find_tool(tool->name) ? tool->name : tool->capability;
    CallOutcome outcome = co_await calls_.run({.tool = tool,
                                               .arguments = *arguments,
                                               .client = context,
                                               .request_id = request_name(params),
                                               .is_waiting = waiting(context),
                                               .counted_as = std::move(counted_as)});
    if (outcome.is_waiting) co_return *unanswered(context);
    context.enter({.what = "the record"});
    auto render = [era = context.era(), meta = meta_text(outcome.recorded ? outcome.recorded->ref_id() : "")](
                      tools::ToolResult to_send) { return render_result(std::move(to_send), era, meta); };
    if (!outcome.recorded) co_return Answer{.result = render(std::move(outcome.result))};
    co_return Answer{.result = co_await outcome.recorded->finish(std::move(outcome.result), render)};
}

std::string Methods::render_result(tools::ToolResult result, Era era, const std::string& meta) {
    if (!result.raw_json.empty()) return pass_on(std::move(result.raw_json), era, meta);
    ObjectWriter writer;
    if (era == Era::Modern) writer.string("resultType", "complete").raw("_meta", meta);
    writer.raw("content", render_list(result.content));
    if (result.structured) writer.raw("structuredContent", json::serialize(*result.structured));
    if (result.is_error) writer.boolean("isError", true);
    return writer.finish();
}

std::string Methods::meta_text(std::string_view ref) const {
    if (ref.empty()) return server_info_text_;
    std::string text = server_info_text_;
    text.back() = ',';
    json::append_string(text, kMetaRef);
    text += ':';
    json::append_string(text, ref);
    return text + '}';
}

std::string Methods::pass_on(std::string result, Era era, const std::string& meta) {
    if (era == Era::Legacy) return result;
    // The stateless era wants a type in every result, and the server's name unless the result says more.
    ObjectWriter type;
    type.string("resultType", "complete");
    if (member_text(result, "_meta").empty()) type.raw("_meta", meta);
    std::string head = type.finish();
    head.pop_back();
    bool empty = result.find_first_not_of(" \t\r\n", 1) == result.rfind('}');
    return head + (empty ? "" : ",") + result.substr(1);
}

}  // namespace mcp
