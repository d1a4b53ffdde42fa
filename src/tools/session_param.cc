#include "tools/session_param.h"

#include "tools/error_answer.h"

namespace tools {
namespace {

constexpr std::string_view kSession = "sessionId", kTab = "targetId", kTabAlias = "tabId";
constexpr std::size_t kLongestName = 256;

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
            {"maxLength", kLongestName},
            {"description",
             "Session to act in; made on first use. Each has its own browser state. Default: "
             "your own, also called default."},
            {"x-mcp-header", "Session"}};
}

json::object tab_property() {
    return {{"type", "string"},
            {"description", "Tab to act in, by the id that browser_tabs gives. Default: the current one."}};
}

Error wrong(std::string_view argument, std::string_view what) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Invalid input: " + std::string(what) + "\n  → at " + std::string(argument)};
}

ToolResult refuse(const Tool& tool, const Error& error) {
    return tool.output_schema.empty() ? invalid_arguments(tool.name, error) : structured(error);
}

ToolResult refuse_call(const Tool& tool, const Error& error) {
    return tool.output_schema.empty() ? ToolResult::from(error) : structured(error);
}

// A name as text; an index is one too.
std::optional<std::string> name_of(const json::value& given) {
    if (auto index = json::as_integer(given)) return std::to_string(*index);
    if (!given.is_string() || given.get_string().empty() || given.get_string().size() > kLongestName)
        return std::nullopt;
    return std::string(given.get_string());
}

Task<ToolResult> run_named(std::shared_ptr<const Tool> tool, SessionParamOptions options, Call call) {
    const Caller& caller = call.client.caller();
    std::string session = caller.session_name, tab;
    json::value rest = call.arguments;
    json::object& arguments = rest.as_object();
    for (std::string_view argument : {kSession, kTab, kTabAlias}) {
        const json::value* given = json::find(call.arguments, argument);
        if (!given || (argument != kSession && !options.tab_ids)) continue;
        if (!given->is_null()) {
            auto name = name_of(*given);
            if (!name) co_return refuse(*tool, wrong(argument, "expected a name of 1 to 256 bytes"));
            (argument == kSession ? session : tab) = std::move(*name);
        }
        arguments.erase(argument);
    }
    constexpr std::string_view kMissing = "expected string, received undefined";
    if (options.required && session.empty() && caller.path_name.empty())
        co_return refuse(*tool, wrong(kSession, kMissing));
    // Listing and opening is how one learns of ids.
    if (options.tab_required && tab.empty() && tool->name != "browser_tabs")
        co_return refuse(*tool, wrong(kTab, kMissing));
    NamedClient client(call.client, std::move(session), std::move(tab));
    if (options.refuse) {
        if (auto refusal = options.refuse(client.caller())) co_return refuse_call(*tool, *refusal);
    }
    co_return co_await tool->run({rest, client, call.deadline});
}

}  // namespace

std::string session_argument(const json::value& arguments) {
    const json::value* given = arguments.is_object() ? json::find(arguments, kSession) : nullptr;
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
    if (!tool.acts_in_session || (options.when == SessionParam::Off && !options.tab_ids)) return tool;
    auto inner = std::make_shared<const Tool>(tool);
    if (options.tab_ids)
        add_argument(tool.input_schema, kTab, tab_property(),
                     options.tab_required && tool.name != "browser_tabs");
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
