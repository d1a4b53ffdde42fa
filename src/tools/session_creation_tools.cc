// create_session and create_new_session.
#include "engine/storage_state.h"
#include "session/urls.h"
#include "tools/session_tools.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace tools {
namespace {

using session::SessionKey;
using session::Sessions;

json::object describe_lifetime(const Sessions::Lifetime& lifetime) {
    json::object info{{"endsWithConnection", lifetime.ends_with_connection}};
    if (lifetime.hibernates_after.count() > 0)
        info["hibernatesAfterMilliseconds"] = lifetime.hibernates_after.count();
    return info;
}

struct CreateParams {
    std::optional<std::string> session_id;
    std::optional<std::string> engine;
    std::optional<std::string> url;
    std::optional<std::string> user_agent;
    std::optional<int> width, height;
    std::optional<json::value> storage_state;
    std::optional<std::string> isolation;
    std::optional<json::object> budget;
};

// A call cannot exceed the limits that the operator has set.
Result<void> check_within(std::int64_t given, std::uint64_t limit, const std::string& name,
                          std::string_view key) {
    if (limit == 0 || static_cast<std::uint64_t>(given) <= limit) return ok();
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "budget." + name + " can be " + std::to_string(limit) + " at most (" +
                            std::string(key) + ")."};
}

// The limits given by the call; the rest keep the server's values.
Result<session::Budget> read_budget(const json::object& given, session::Budget budget) {
    for (const auto& [name, value] : given) {
        auto number = json::as_integer(value);
        if (!number || *number < 1) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "budget." + std::string(name) + " must be a whole number from 1."};
        }
        if (name == "tabs") {
            TRY(check_within(*number, budget.tabs.value_or(0), "tabs", "session.maxTabs"));
            budget.tabs = static_cast<std::size_t>(*number);
        } else if (name == "callTime") {
            budget.call_time = std::chrono::milliseconds(*number);
        } else if (name == "heap") {
            TRY(check_within(*number, budget.heap >> 20, "heap", "session.maxHeap"));
            budget.heap = static_cast<std::uint64_t>(*number) << 20;
        } else {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "There is no budget." + std::string(name) +
                                    "; there are tabs, callTime and heap."};
        }
    }
    return budget;
}

// Whether the upstream engine serves the new session.
Result<bool> is_for_upstream(const SessionCatalog& catalog, const CreateParams& params) {
    if (!params.engine) return catalog.upstream && catalog.upstream_by_default;
    if (*params.engine == "native") return false;
    if (*params.engine != "upstream")
        return Error{.code = ErrorCode::InvalidArgument, .message = "engine must be native or upstream."};
    if (!catalog.upstream)
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "This server has no upstream engine.",
                     .hint = "Start it with upstream.command set, or with --engine upstream."};
    if (catalog.requires_tab_ids)
        return Error{
            .code = ErrorCode::InvalidArgument,
            .message = "A session of the upstream engine has no tab ids, and this server requires them.",
            .hint = "Leave engine out, or start the server without --require-tab-id."};
    return true;
}

// The command of the upstream server fixes these for all sessions.
Result<void> check_for_upstream(const CreateParams& params) {
    std::pair<std::string_view, bool> given[] = {
        {"storageState", params.storage_state.has_value()},
        {"isolation", params.isolation.has_value()},
        {"budget", params.budget.has_value()},
    };
    for (const auto& [name, is_given] : given) {
        if (!is_given) continue;
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = std::string(name) + " cannot be given to a session of the upstream engine.",
                     .hint = "Set it for all of them, as a flag of this server or in upstream.command."};
    }
    return ok();
}

// Accepts a storage state as JSON or as its text.
Result<json::value> read_state(const json::value& given) {
    if (!given.is_string()) return engine::read_storage_state(given);
    auto parsed = json::parse(given.get_string());
    if (!parsed)
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "storageState is no JSON: " + parsed.error().message};
    return engine::read_storage_state(std::move(*parsed));
}

// What a browser sends as a header: other characters fail each later call.
Result<void> check_user_agent(std::string_view given) {
    auto is_sendable = [](char c) { return c >= ' ' && c <= '~'; };
    if (std::ranges::all_of(given, is_sendable)) return ok();
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "userAgent may have printable ASCII characters only.",
                 .hint = "Give it as browsers send it, like Mozilla/5.0 (X11; Linux x86_64) …"};
}

Task<session::SessionSetup> read_setup(const SessionCatalog& catalog, const CreateParams& params,
                                       const Caller& caller) {
    session::SessionSetup setup = setup_of(caller);
    setup.user_agent = params.user_agent.value_or("");
    co_await check_user_agent(setup.user_agent);
    if (params.width.has_value() != params.height.has_value())
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "width and height must be given together."};
    if (params.width) setup.viewport = engine::Size{*params.width, *params.height};
    if (params.isolation) {
        if (*params.isolation == "browser")
            setup.isolation = browsers::Isolation::Browser;
        else if (*params.isolation == "context")
            setup.isolation = browsers::Isolation::Context;
        else
            co_await Error{.code = ErrorCode::InvalidArgument,
                           .message = "isolation must be context or browser."};
    }
    if (params.storage_state) setup.storage_state = co_await read_state(*params.storage_state);
    if (params.budget) setup.budget = co_await read_budget(*params.budget, catalog.sessions->budget());
    co_return setup;
}

// Ends the new session, unless the call that creates it completes.
class Creation {
public:
    Creation(const SessionCatalog& catalog, SessionKey key) : catalog_(catalog), key_(std::move(key)) {}
    Creation(const Creation&) = delete;
    ~Creation() {
        if (is_done_ || (catalog_.upstream && catalog_.upstream->close(key_))) return;
        catalog_.sessions->discard(key_);
    }
    void done() { is_done_ = true; }

private:
    const SessionCatalog& catalog_;
    SessionKey key_;
    bool is_done_ = false;
};

Task<std::string> open_page(std::shared_ptr<session::Session> session, std::string url, Deadline deadline) {
    session::Turn turn = co_await session->take_turn(deadline);
    auto tab = co_await session->ensure_tab();
    co_return co_await tab->navigate(std::move(url));
}

Task<json::object> create(SessionCatalog catalog, Call call, CreateParams params) {
    std::string id = params.session_id.value_or(random_uuid());
    SessionKey key = catalog.named(call.client.caller(), id);
    if (catalog.sessions->find(key) || (catalog.upstream && catalog.upstream->has(key))) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "There is a session \"" + id + "\" already.",
                       .hint = "Use it, or close it first."};
    }
    json::object data{{"sessionId", id}, {"created", true}};
    bool for_upstream = co_await is_for_upstream(catalog, params);
    if (for_upstream) co_await check_for_upstream(params);
    session::SessionSetup setup = co_await read_setup(catalog, params, call.client.caller());
    if (params.url) co_await session::check_url(*params.url);
    catalog.sessions->allow_again(key);
    Creation creation(catalog, key);
    if (for_upstream) {
        data["engine"] = "upstream";
        json::object said =
            co_await catalog.upstream->create(key, std::move(setup), params.url.value_or(""), call);
        for (const auto& each : said) data[each.key()] = each.value();
    } else {
        auto made = co_await catalog.sessions->session(key, std::move(setup));
        data["lifetime"] = describe_lifetime(catalog.sessions->lifetime(*catalog.sessions->find(key)));
        // A failed save is repeated by the first checkpoint.
        (void)co_await as_result(made->keep_beginning());
        if (params.url) data["url"] = co_await open_page(made, *params.url, call.deadline);
    }
    creation.done();
    co_return data;
}

// Adds session_id, the name that the tools for the record use.
ToolResult with_session_id(json::object data) {
    json::object answer{{"session_id", data["sessionId"]}};
    for (const auto& each : data) answer[each.key()] = each.value();
    return as_it_is(std::move(answer));
}

json::object data_schema() {
    return object_schema({{"sessionId", "string"},
                          {"created", "boolean"},
                          {"engine", "string"},
                          {"lifetime", "object"},
                          {"url", "string"}});
}

// The tool under either name.
ToolLiteral<CreateParams> creating(std::string name, std::string_view capability) {
    constexpr double kMaxPixels = 16'384;  // a side: the browser draws no larger page
    schema::ParamOptions width{.minimum = 1, .maximum = kMaxPixels, .aliases = {"viewport.width"}},
        height{.minimum = 1, .maximum = kMaxPixels, .aliases = {"viewport.height"}};
    // What else a caller would call the name of what is created.
    schema::ParamOptions name_of_session = session_name();
    name_of_session.aliases.insert(name_of_session.aliases.end(), {"name", "id"});
    return {.name = std::move(name),
            .title = "Create a session",
            .description =
                "Create a session with a browser state of its own; gives an id that cannot be guessed.",
            .effect = Effect::ChangesServer,
            .capability = std::string(capability),
            .params = {{"sessionId", &CreateParams::session_id, "A name instead of a made-up id.",
                        std::move(name_of_session)},
                       {"engine", &CreateParams::engine,
                        "native or upstream: what drives its browser, where the server has both."},
                       {"url", &CreateParams::url, "Address to open."},
                       {"userAgent", &CreateParams::user_agent, "User agent of its browser."},
                       {"width", &CreateParams::width, "Width of the viewport.", width},
                       {"height", &CreateParams::height, "Height of the viewport.", height},
                       {"storageState",
                        &CreateParams::storage_state,
                        "Cookies and storage from save_state: its state, or the whole answer.",
                        {.keywords = {{"anyOf", json::array{json::object{{"type", "object"}},
                                                            json::object{{"type", "string"}}}}}}},
                       {"isolation", &CreateParams::isolation,
                        "context (default) or browser: a process of its own."},
                       {"budget", &CreateParams::budget,
                        "What it may use at most: tabs, callTime in milliseconds, heap of a tab's scripts "
                        "in MiB."}},
            .output_schema = {},
            .handler = {}};
}

}  // namespace

std::vector<Tool> session_creation_tools(const SessionCatalog& catalog) {
    auto usual = creating("create_session", kSessionsCapability);
    usual.output_schema = answer_schema(data_schema());
    usual.handler = with<CreateParams>(catalog, create);
    auto recorded = creating("create_new_session", "history");
    recorded.output_schema = data_schema();
    recorded.output_schema["properties"].as_object()["session_id"] = json::object{{"type", "string"}};
    recorded.handler = with<CreateParams>(catalog, create, with_session_id);
    return {tool<CreateParams>(std::move(usual)), tool<CreateParams>(std::move(recorded))};
}

}  // namespace tools
