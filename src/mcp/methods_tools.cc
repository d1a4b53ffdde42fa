// How a tool is called, its call kept, and its result written.
#include "mcp/client_text.h"
#include "mcp/methods.h"
#include "mcp/render.h"
#include "tools/session_param.h"

namespace mcp {
namespace {

// The caller's own name for a call.
std::string request_name(const json::object& params) {
    const json::object* meta = json::find_object(params, "_meta");
    return meta ? std::string(json::find_string(*meta, kMetaRequest).value_or("")) : "";
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

Task<Answer> Methods::call_tool(Exchange& exchange) {
    const json::object& params = exchange.request().params;
    auto name = json::find_string(params, "name");
    if (!name) co_return refuse(kInvalidParams, "Invalid params: \"name\" must be a string.");
    auto tool = registry_.find_tool(*name);
    if (!tool) tool = find_own_tool(*name, params, exchange.caller());
    if (!tool) co_return refuse(kInvalidParams, "Tool \"" + std::string(*name) + "\" not found");
    static const json::value kNoArguments = json::object{};
    const json::value* arguments = json::find(params, "arguments");
    if (!arguments || arguments->is_null()) arguments = &kNoArguments;
    if (!arguments->is_object())
        co_return refuse(kInvalidParams, "Invalid params: \"arguments\" must be an object.");
    if (auto error = take_answers(exchange)) co_return Answer{.error = std::move(error)};

    exchange.enter({.what = "its tool"});
    // Names that pages make up would be counted without end.
    std::string counted_as = registry_.find_tool(tool->name) ? tool->name : tool->capability;
    CallOutcome outcome = co_await calls_.run({.tool = tool,
                                               .arguments = *arguments,
                                               .client = exchange,
                                               .request_id = request_name(params),
                                               .is_waiting = waiting(exchange),
                                               .counted_as = std::move(counted_as)});
    if (outcome.is_waiting) co_return *unanswered(exchange);
    exchange.enter({.what = "the record"});
    if (!outcome.kept) co_return Answer{.result = render_result(std::move(outcome.result), exchange, "")};
    auto render = [&](tools::ToolResult to_send) {
        return render_result(std::move(to_send), exchange, outcome.kept->ref_id());
    };
    co_return Answer{.result = co_await outcome.kept->finish(std::move(outcome.result), render)};
}

std::string Methods::render_result(tools::ToolResult result, const Exchange& exchange,
                                   std::string_view ref) const {
    if (!result.as_given.empty()) return pass_on(std::move(result.as_given), exchange, ref);
    ObjectWriter writer;
    if (exchange.era() == Era::Modern) writer.string("resultType", "complete").raw("_meta", meta_text(ref));
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

std::string Methods::pass_on(std::string result, const Exchange& exchange, std::string_view ref) const {
    if (exchange.era() == Era::Legacy) return result;
    // The stateless era wants a type in every result, and to know who answers unless the result says more.
    ObjectWriter type;
    type.string("resultType", "complete");
    if (member_text(result, "_meta").empty()) type.raw("_meta", meta_text(ref));
    std::string head = type.finish();
    head.pop_back();
    bool empty = result.find_first_not_of(" \t\r\n", 1) == result.rfind('}');
    return head + (empty ? "" : ",") + result.substr(1);
}

}  // namespace mcp
