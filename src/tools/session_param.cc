#include "tools/session_param.h"

#include <algorithm>
#include <span>

#include "tools/error_answer.h"

namespace tools {
namespace {

constexpr std::string_view kSession = kSessionArguments[0];
using session::kTabArguments;
constexpr std::string_view kTab = kTabArguments[0];
constexpr std::size_t kMaxNameLength = kMaxSessionNameLength;

// The client of a call, with the session it named.
class NamedClient final : public Client {
public:
    NamedClient(Client& client, std::string session, std::string tab)
        : client_(client), caller_(client.caller()) {
        caller_.session_name = std::move(session);
        caller_.tab_id = std::move(tab);
    }

    const Caller& caller() const override { return caller_; }
    bool answers(std::string_view method) const override { return client_.answers(method); }
    bool wants_progress() const override { return client_.wants_progress(); }
    void report_progress(double progress, std::optional<double> total, std::string_view message) override {
        client_.report_progress(progress, total, message);
    }
    void log(MessageLevel level, std::string_view logger, json::value data) override {
        client_.log(level, logger, std::move(data));
    }
    Task<std::map<std::string, json::value>> ask(std::vector<InputRequest> requests) override {
        return client_.ask(std::move(requests));
    }
    void enter(CallStage stage) override {
        if (stage.session.empty()) stage.session = caller_.session_name;
        client_.enter(std::move(stage));
    }
    void release_stream() override { client_.release_stream(); }

private:
    Client& client_;
    Caller caller_;
};

void add_argument(json::object& schema, std::string_view name, json::object property, bool required) {
    if (!schema["properties"].is_object()) schema["properties"] = json::object{};
    schema["properties"].as_object()[name] = std::move(property);
    if (!required) return;
    if (!schema["required"].is_array()) schema["required"] = json::array{};
    schema["required"].as_array().emplace_back(name);
}

json::object session_property() {
    return {{"type", "string"},
            {"minLength", 1},
            {"maxLength", kMaxNameLength},
            {"description",
             "Session to act in; made on first use. Each has its own browser state. Default: "
             "your own, also called default."},
            {"x-mcp-header", "Session"}};
}

json::object tab_property(bool required) {
    std::string described = "Tab to act in, by the id that browser_tabs gives.";
    if (!required) described += " Default: the current one.";
    return {{"type", "string"}, {"description", described}};
}

Error wrong(std::string_view argument, std::string_view what) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Invalid input: " + std::string(what) + "\n  → at " + std::string(argument)};
}

Error missing(std::string_view argument, std::string_view more = "") {
    Error error = wrong(argument, "expected string, received undefined" + std::string(more));
    error.code = ErrorCode::MissingParameter;
    return error;
}

ToolResult refuse(const Tool& tool, const Error& error) {
    return tool.output_schema.empty() ? invalid_arguments(tool.name, error) : refuse_arguments(error);
}

ToolResult refuse_call(const Tool& tool, const Error& error) {
    return tool.output_schema.empty() ? ToolResult::from(error) : structured(error);
}

// A tab or session name as text; an index is accepted, too.
std::optional<std::string> name_of(const json::value& given) {
    if (auto index = json::as_integer(given)) return std::to_string(*index);
    if (!given.is_string() || given.get_string().empty() || given.get_string().size() > kMaxNameLength)
        return std::nullopt;
    return std::string(given.get_string());
}

// Removes the arguments of all these names; the first one given counts.
Result<void> take_name(json::object& arguments, std::span<const std::string_view> names, std::string& into) {
    bool found = false;
    for (std::string_view argument : names) {
        const json::value* given = json::find(arguments, argument);
        if (!given) continue;
        if (!given->is_null()) {
            auto name = name_of(*given);
            if (!name) return wrong(argument, "expected a name of 1 to 256 bytes");
            if (found && *name != into) return wrong(argument, "\"" + into + "\" is named as well");
            into = std::move(*name);
            found = true;
        }
        arguments.erase(argument);
    }
    return ok();
}

// Refuses an argument that names a session or a tab in a form that the tool does not take: the call is meant
// for another page. `arguments` are those left once the known names are taken out.
Result<void> refuse_misnamed(const Tool& tool, const SessionParamOptions& options,
                             const json::object& arguments) {
    const json::object* own = json::find_object(tool.input_schema, "properties");
    bool names_sessions = options.when != SessionParam::Off;
    for (const auto& [name, value] : arguments) {
        if (value.is_null() || (own && own->contains(name))) continue;
        if (schema::names_session(name)) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "Unknown argument \"" + std::string(name) + "\": the call was not made.",
                         .hint = names_sessions
                                     ? "The session is named by \"sessionId\"."
                                     : "This server has one session for each connection; start it with "
                                       "--session-param to name sessions by \"sessionId\"."};
        }
        if (!schema::names_tab(name)) continue;
        if (options.tab_ids) return wrong(name, "the tab is named by \"" + std::string(kTab) + "\"");
        return wrong(name, options.can_have_tab_ids
                               ? "tab ids are off; the server has them with --tab-ids"
                               : "this engine has no tab ids; the engine native has, with --tab-ids");
    }
    return ok();
}

ToolResult refuse_misnamed_call(const Tool& tool, const Error& error) {
    return error.hint.empty() ? refuse(tool, error) : refuse_call(tool, error);
}

// Runs a tool that takes neither the name of a session nor that of a tab.
Task<ToolResult> run_unnamed(std::shared_ptr<const Tool> tool, SessionParamOptions options, Call call) {
    if (const json::object* arguments = call.arguments.if_object()) {
        if (auto fits = refuse_misnamed(*tool, options, *arguments); !fits)
            co_return refuse_misnamed_call(*tool, fits.error());
    }
    co_return co_await tool->run(call);
}

Task<ToolResult> run_named(std::shared_ptr<const Tool> tool, SessionParamOptions options, Call call) {
    const Caller& caller = call.client.caller();
    std::string session = caller.session_name, tab = caller.tab_id;
    json::value rest = call.arguments;
    json::object& arguments = rest.as_object();
    Result<void> taken = ok();
    if (options.when != SessionParam::Off) taken = take_name(arguments, kSessionArguments, session);
    if (taken && options.tab_ids) taken = take_name(arguments, kTabArguments, tab);
    if (!taken) co_return refuse(*tool, taken.error());
    if (auto fits = refuse_misnamed(*tool, options, arguments); !fits)
        co_return refuse_misnamed_call(*tool, fits.error());
    if (options.required && session.empty() && caller.path_name.empty())
        co_return refuse(*tool, missing(kSession));
    // Listing and opening tabs is how a caller learns their ids.
    if (options.tab_required && tab.empty() && tool->name != "browser_tabs")
        co_return refuse(*tool, missing(kTab, "; --require-tab-id demands it, browser_tabs lists the ids"));
    NamedClient client(call.client, std::move(session), std::move(tab));
    if (options.refuse) {
        if (auto refusal = options.refuse(client.caller())) co_return refuse_call(*tool, *refusal);
    }
    co_return co_await tool->run({rest, client, call.deadline});
}

}  // namespace

bool is_session_argument(std::string_view argument) {
    return std::ranges::find(kSessionArguments, argument) != std::end(kSessionArguments);
}

const json::value* find_session_argument(const json::object& arguments) {
    for (std::string_view argument : kSessionArguments) {
        const json::value* given = json::find(arguments, argument);
        if (given && !given->is_null()) return given;
    }
    return nullptr;
}

std::string session_argument(const json::value& arguments) {
    const json::value* given =
        arguments.is_object() ? find_session_argument(arguments.get_object()) : nullptr;
    return given ? name_of(*given).value_or("") : "";
}

std::string session_named(const Tool& tool, const Caller& caller, const json::value& arguments) {
    for (const json::object* schema : {&tool.input_schema, &tool.stateless_schema}) {
        const json::object* properties = json::find_object(*schema, "properties");
        if (!properties || !properties->contains(kSession)) continue;
        if (std::string name = session_argument(arguments); !name.empty()) return name;
    }
    return caller.session_name.empty() ? caller.path_name : caller.session_name;
}

Tool with_session_argument(Tool tool, SessionParamOptions options) {
    if (!tool.acts_in_session) return tool;
    auto inner = std::make_shared<const Tool>(tool);
    if (options.when == SessionParam::Off && !options.tab_ids) {
        tool.run = [inner, options](Call call) { return run_unnamed(inner, options, call); };
        return tool;
    }
    if (options.tab_ids) {
        bool required = options.tab_required && tool.name != "browser_tabs";
        add_argument(tool.input_schema, kTab, tab_property(required), required);
    }
    if (options.when != SessionParam::Off) {
        json::object schema = tool.input_schema;
        add_argument(schema, kSession, session_property(), options.required);
        (options.when == SessionParam::Always ? tool.input_schema : tool.stateless_schema) =
            std::move(schema);
    }
    tool.run = [inner, options](Call call) { return run_named(inner, options, call); };
    return tool;
}

}  // namespace tools
