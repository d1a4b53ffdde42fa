// Sessions by name: made, listed, closed, saved. Capability `sessions`.
#include "tools/sessions.h"

#include "session/secret_state.h"
#include "tools/resource_address.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"
#include "util/time_text.h"

namespace tools {
namespace {

using session::SessionKey;
using session::Sessions;

constexpr std::string_view kCapability = "sessions";
// For one page to say what it knows, and for all of them.
constexpr std::chrono::milliseconds kPatience{100}, kLookLimit{1000};

// A JSON answer, as text and as structured content.
ToolResult answer(json::object data) {
    ToolResult result;
    result.content.emplace_back(Text{json::pretty(data)});
    result.structured = std::move(data);
    return result;
}

Error not_found(const std::string& id) {
    return Error{
        .code = ErrorCode::SessionNotFound,
        .message = "There is no session \"" + id + "\".",
        .hint = "list_sessions shows yours; any tool that takes a sessionId makes one on first use."};
}

Error belongs_to_upstream(const std::string& id) {
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = "The browser of session \"" + id + "\" is another server's: it is not ours to read.",
        .hint = "Use the tools of the upstream engine in it."};
}

// Answers wrong sessions and the like as tool errors.
Task<ToolResult> guarded(Task<ToolResult> task) {
    auto result = co_await as_result(std::move(task));
    if (!result) co_return ToolResult::from(result.error());
    co_return std::move(*result);
}

std::string created_text(std::chrono::system_clock::time_point moment) {
    return utc_text(std::chrono::floor<std::chrono::milliseconds>(moment));
}

std::string_view state_of(const session::Session& session) {
    using Life = session::Session::Life;
    if (session.life() == Life::Hibernated) return "hibernated";
    if (session.life() == Life::Crashed) return "crashed";
    return session.has_browser() ? "active" : "idle";
}

}  // namespace

session::SessionSetup setup_of(const Caller& caller) {
    return {.principal = caller.principal, .same_user = caller.same_user, .directory = caller.directory};
}

session::SessionKey SessionCatalog::named(Caller caller, const std::string& name) const {
    if (!name.empty() && name != kOwnSession) return {owner_of(caller), name};
    caller.session_name.clear();
    return key_of ? key_of(caller) : session::SessionKey{owner_of(caller), ""};
}

std::string shown_name(const std::string& name) { return name.empty() ? std::string(kOwnSession) : name; }

json::object describe(const std::string& name, const Sessions::Entry& entry) {
    const session::Session& session = *entry.session;
    auto idle = std::chrono::duration_cast<std::chrono::milliseconds>(session::Session::Clock::now() -
                                                                      session.last_use());
    json::object info{{"sessionId", shown_name(name)},
                      {"state", state_of(session)},
                      {"created", created_text(entry.created)},
                      {"idleMilliseconds", idle.count()},
                      {"tabs", session.outline().tabs}};
    if (std::string url = session.outline().url; !url.empty()) info["url"] = url;
    std::string resume_id = Sessions::resume_id(entry);
    if (session.keeping().hibernates && !resume_id.empty() && resume_id != name) info["resumeId"] = resume_id;
    return info;
}

namespace {

json::object describe_lifetime(const Sessions::Lifetime& lifetime) {
    json::object info{{"endsWithConnection", lifetime.ends_with_connection}};
    if (lifetime.hibernates_after.count() > 0)
        info["hibernatesAfterMilliseconds"] = lifetime.hibernates_after.count();
    return info;
}

json::object describe_other(const OtherSessions::Info& info) {
    return {{"sessionId", shown_name(info.name)},
            {"engine", "upstream"},
            {"state", info.state},
            {"created", created_text(info.created)},
            {"idleMilliseconds", info.idle.count()}};
}

struct CreateParams {
    std::optional<std::string> session_id;
    std::optional<std::string> engine;
    std::optional<std::string> url;
    std::optional<std::string> user_agent;
    std::optional<double> width, height;
    std::optional<std::string> storage_state;
    std::optional<std::string> isolation;
    std::optional<json::object> budget;
};

// What the call gives of the budget, the rest as the server has it.
Result<session::Budget> read_budget(const json::object& given, session::Budget budget) {
    for (const auto& [name, value] : given) {
        auto number = json::as_integer(value);
        if (!number || *number < 1) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "budget." + std::string(name) + " must be a whole number from 1."};
        }
        if (name == "tabs")
            budget.tabs = static_cast<std::size_t>(*number);
        else if (name == "callTime")
            budget.call_time = std::chrono::milliseconds(*number);
        else if (name == "heap")
            budget.heap = static_cast<std::uint64_t>(*number) << 20;
        else
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "There is no budget." + std::string(name) +
                                    "; there are tabs, callTime and heap."};
    }
    return budget;
}

// Whether the new session is to be the upstream engine's.
Result<bool> is_for_upstream(const SessionCatalog& catalog, const CreateParams& params) {
    if (!params.engine) return catalog.upstream && catalog.upstream_by_default;
    if (*params.engine == "native") return false;
    if (*params.engine != "upstream")
        return Error{.code = ErrorCode::InvalidArgument, .message = "engine must be native or upstream."};
    if (!catalog.upstream)
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "This server has no upstream engine.",
                     .hint = "Start it with upstream.command set, or with --engine upstream."};
    return true;
}

// Its server's command decides about all sessions alike.
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

Task<session::SessionSetup> read_setup(const SessionCatalog& catalog, const CreateParams& params,
                                       const Caller& caller) {
    session::SessionSetup setup = setup_of(caller);
    setup.user_agent = params.user_agent.value_or("");
    if (params.width.has_value() != params.height.has_value())
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "width and height must be given together."};
    if (params.width)
        setup.viewport = engine::Size{static_cast<int>(*params.width), static_cast<int>(*params.height)};
    if (params.isolation) {
        if (*params.isolation == "browser")
            setup.isolation = session::Isolation::Browser;
        else if (*params.isolation == "context")
            setup.isolation = session::Isolation::Context;
        else
            co_await Error{.code = ErrorCode::InvalidArgument,
                           .message = "isolation must be context or browser."};
    }
    if (params.storage_state) setup.storage_state = co_await json::parse(*params.storage_state);
    if (params.budget) setup.budget = co_await read_budget(*params.budget, catalog.sessions->budget());
    co_return setup;
}

Task<ToolResult> create(SessionCatalog catalog, Call call, CreateParams params) {
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
    catalog.sessions->allow_again(key);
    if (for_upstream) {
        data["engine"] = "upstream";
        json::object said =
            co_await catalog.upstream->create(key, std::move(setup), params.url.value_or(""), call);
        for (const auto& each : said) data[each.key()] = each.value();
        co_return answer(std::move(data));
    }
    std::shared_ptr<session::Session> made = co_await catalog.sessions->session(key, std::move(setup));
    data["lifetime"] = describe_lifetime(catalog.sessions->lifetime(*catalog.sessions->find(key)));
    if (params.url) {
        session::Turn turn = co_await made->take_turn(call.deadline);
        auto tab = co_await made->ensure_tab();
        data["url"] = co_await tab->navigate(*params.url);
    }
    co_return answer(std::move(data));
}

struct NamedParams {
    std::string session_id;
};

Task<ToolResult> close(SessionCatalog catalog, Call call, NamedParams params) {
    SessionKey key = catalog.named(call.client.caller(), params.session_id);
    if (!co_await close_session(catalog, std::move(key))) co_await not_found(params.session_id);
    co_return answer({{"sessionId", params.session_id}, {"closed", true}});
}

struct NoParams {};

// What only its pages know. One that is stuck keeps nobody waiting.
Task<> look_at(std::shared_ptr<session::Session> session, json::object& info) {
    if (auto tab = session->current_tab(); tab && !tab->has_crashed() && tab->modals().empty()) {
        auto title = co_await as_result(tab->page().title(Deadline::in(kPatience)));
        if (title) info["title"] = *title;
    }
    info["memory"] = co_await session->memory(kPatience);
}

// The caller's own first, then those with a name.
std::vector<std::pair<std::string, const Sessions::Entry*>> own_sessions(const SessionCatalog& catalog,
                                                                         const Caller& caller) {
    std::vector<std::pair<std::string, const Sessions::Entry*>> found;
    SessionKey own = catalog.named(caller, "");
    if (const Sessions::Entry* entry = catalog.sessions->find(own)) found.emplace_back(own.name, entry);
    std::string owner = catalog.owner_of(caller);
    if (owner == session::kAnybody) return found;
    for (const auto& [name, entry] : catalog.sessions->list(owner)) {
        if (SessionKey{owner, name} != own && !name.empty() && catalog.shows(caller, name))
            found.emplace_back(name, entry);
    }
    return found;
}

std::vector<OtherSessions::Info> own_upstream_sessions(const SessionCatalog& catalog, const Caller& caller) {
    if (!catalog.upstream) return {};
    SessionKey own = catalog.named(caller, "");
    std::string owner = catalog.owner_of(caller);
    std::vector<OtherSessions::Info> found;
    for (OtherSessions::Info& info : catalog.upstream->list(own.owner))
        if (info.name == own.name || (own.owner == owner && catalog.shows(caller, info.name)))
            found.push_back(std::move(info));
    if (own.owner == owner) return found;
    for (OtherSessions::Info& info : catalog.upstream->list(owner))
        if (!info.name.empty() && catalog.shows(caller, info.name)) found.push_back(std::move(info));
    return found;
}

Task<ToolResult> list(SessionCatalog catalog, Call call, NoParams) {
    std::vector<std::pair<std::shared_ptr<session::Session>, json::object>> live;
    for (const auto& [name, entry] : own_sessions(catalog, call.client.caller()))
        live.emplace_back(entry->session, describe(name, *entry));
    Deadline limit = Deadline::in(kLookLimit);
    json::array sessions;
    for (auto& [session, info] : live) {
        if (catalog.upstream) info["engine"] = "native";
        if (session->has_browser() && !limit.has_passed()) co_await look_at(session, info);
        sessions.push_back(std::move(info));
    }
    std::string owner = catalog.owner_of(call.client.caller());
    if (owner == session::kAnybody) co_return answer({{"sessions", std::move(sessions)}});
    for (const Sessions::Earlier& earlier : co_await catalog.sessions->list_earlier(owner)) {
        if (earlier.name.empty() || !catalog.shows(call.client.caller(), earlier.name)) continue;
        json::object info{{"sessionId", earlier.name},
                          {"state", earlier.holder ? "elsewhere" : "hibernated"}};
        if (earlier.holder) info["process"] = earlier.holder;
        sessions.push_back(std::move(info));
    }
    for (const OtherSessions::Info& info : own_upstream_sessions(catalog, call.client.caller()))
        sessions.push_back(describe_other(info));
    co_return answer({{"sessions", std::move(sessions)}});
}

Task<json::array> tab_list(session::Session& session) {
    json::array tabs;
    for (const auto& tab : std::vector(session.tabs())) {
        session::Tab::Shown shown = co_await tab->take_header();
        tabs.push_back(json::object{
            {"title", shown.header.title}, {"url", shown.header.url}, {"current", shown.header.current}});
    }
    co_return tabs;
}

Task<ToolResult> resume(SessionCatalog catalog, Call call, NamedParams params) {
    SessionKey key = catalog.named(call.client.caller(), params.session_id);
    if (catalog.upstream && catalog.upstream->has(key)) co_await belongs_to_upstream(params.session_id);
    std::shared_ptr<session::Session> session;
    if (const Sessions::Entry* known = catalog.sessions->find(key))
        session = known->session;
    else
        session = co_await catalog.sessions->resume(key.owner, key.name, setup_of(call.client.caller()));
    session::Turn turn = co_await session->take_turn(call.deadline);
    bool asleep = session->life() != session::Session::Life::Awake;
    co_await session->wake();
    json::array notes;
    for (std::string& note : session->take_notes()) notes.emplace_back(std::move(note));
    json::object data{{"sessionId", params.session_id},
                      {"state", state_of(*session)},
                      {"restored", asleep && session->has_browser()},
                      {"url", session->outline().url},
                      {"tabs", co_await tab_list(*session)},
                      {"notes", std::move(notes)}};
    co_return answer(std::move(data));
}

// The session that a call names, with its turn and a running browser.
struct Opened {
    std::shared_ptr<session::Session> session;
    session::Turn turn;
    std::shared_ptr<engine::Context> context;
};

Task<Opened> open(SessionCatalog catalog, Call call, std::string id) {
    SessionKey key = catalog.named(call.client.caller(), id);
    if (catalog.upstream && catalog.upstream->has(key)) co_await belongs_to_upstream(id);
    const Sessions::Entry* entry = catalog.sessions->find(key);
    std::shared_ptr<session::Session> session;
    if (entry)
        session = entry->session;
    else if (key.name.empty())
        session = co_await catalog.sessions->session(key, setup_of(call.client.caller()));
    else
        co_await (catalog.sessions->was_closed(key) ? Sessions::closed_error(id) : not_found(id));
    session::Turn turn = co_await session->take_turn(call.deadline);
    auto context = co_await session->ensure_browser();
    co_return Opened{session, std::move(turn), context};
}

struct OwnOrNamedParams {
    std::optional<std::string> session_id;
};

Task<ToolResult> get_cookies(SessionCatalog catalog, Call call, OwnOrNamedParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::array cookies = co_await opened.context->cookies(call.deadline);
    co_return answer({{"sessionId", id}, {"cookies", std::move(cookies)}});
}

struct SetCookiesParams {
    std::optional<std::string> session_id;
    std::vector<json::object> cookies;
};

Task<ToolResult> set_cookies(SessionCatalog catalog, Call call, SetCookiesParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::array cookies;
    for (json::object& cookie : params.cookies) cookies.emplace_back(std::move(cookie));
    std::size_t count = cookies.size();
    co_await opened.context->add_cookies(std::move(cookies), call.deadline);
    co_return answer({{"sessionId", id}, {"set", count}});
}

Task<ToolResult> save_state(SessionCatalog catalog, Call call, OwnOrNamedParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::value state = session::hide_in_state(opened.session->secrets(),
                                               co_await opened.context->storage_state(call.deadline));
    co_return answer({{"sessionId", id}, {"state", std::move(state)}});
}

struct RestoreParams {
    std::optional<std::string> session_id;
    json::object state;
};

Task<ToolResult> restore_state(SessionCatalog catalog, Call call, RestoreParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::value state =
        co_await session::reveal_in_state(opened.session->secrets(), json::value(std::move(params.state)));
    co_await opened.context->set_storage_state(std::move(state), call.deadline);
    co_return answer({{"sessionId", id}, {"restored", true}});
}

constexpr std::string_view kIdHelp = "The session's id; default is your own.";
constexpr std::string_view kOwnOrIdHelp = "The session's id. Default: your own, also called default.";

// Binds the catalog, and answers errors instead of failing.
template <class Params>
std::function<Task<ToolResult>(Call, Params)> with(SessionCatalog catalog,
                                                   Task<ToolResult> (*handler)(SessionCatalog, Call,
                                                                               Params)) {
    return [catalog = std::move(catalog), handler](Call call, Params params) {
        return guarded(handler(catalog, call, std::move(params)));
    };
}

}  // namespace

Task<bool> close_session(SessionCatalog catalog, SessionKey key) {
    if (catalog.upstream && catalog.upstream->close(key)) {
        catalog.sessions->note_closed(key);
        co_return true;
    }
    co_return co_await catalog.sessions->close(std::move(key));
}

std::vector<Tool> named_session_tools(const SessionCatalog& catalog) {
    std::vector<Tool> tools;
    auto closing = [&](std::string name) {
        return tool<NamedParams>({.name = std::move(name),
                                  .title = "Close a session",
                                  .description = "Close a session and everything it has open.",
                                  .effect = Effect::ChangesServer,
                                  .capability = std::string(kCapability),
                                  .params = {{"sessionId", &NamedParams::session_id, kIdHelp}},
                                  .handler = with<NamedParams>(catalog, close)});
    };
    auto listing = [&](std::string name) {
        return tool<NoParams>({.name = std::move(name),
                               .title = "List sessions",
                               .description = "List your sessions: state, address, title, tabs, last use, "
                                              "memory of their scripts in bytes.",
                               .effect = Effect::ReadsServer,
                               .capability = std::string(kCapability),
                               .handler = with<NoParams>(catalog, list)});
    };
    auto creating = [&](std::string name, std::string_view capability) {
        return tool<CreateParams>(
            {.name = std::move(name),
             .title = "Create a session",
             .description =
                 "Create a session with a browser state of its own; gives an id that nobody can guess.",
             .effect = Effect::ChangesServer,
             .capability = std::string(capability),
             .params = {{"sessionId", &CreateParams::session_id, "A name instead of a made-up id."},
                        {"engine", &CreateParams::engine,
                         "native or upstream: what drives its browser, where the server has both."},
                        {"url", &CreateParams::url, "Address to open."},
                        {"userAgent", &CreateParams::user_agent, "User agent of its browser."},
                        {"width", &CreateParams::width, "Width of the viewport."},
                        {"height", &CreateParams::height, "Height of the viewport."},
                        {"storageState", &CreateParams::storage_state,
                         "Cookies and storage, as JSON from save_state."},
                        {"isolation", &CreateParams::isolation,
                         "context (default) or browser: a process of its own."},
                        {"budget", &CreateParams::budget,
                         "What it may use at most: tabs, callTime in milliseconds, heap of a tab's scripts "
                         "in MiB."}},
             .handler = with<CreateParams>(catalog, create)});
    };
    tools.push_back(creating("create_session", kCapability));
    // Agents that read the record back know it by this name.
    tools.push_back(creating("create_new_session", "history"));
    for (const char* name : {"close_session", "session_close"}) tools.push_back(closing(name));
    for (const char* name : {"list_sessions", "session_list"}) tools.push_back(listing(name));
    tools.push_back(tool<NamedParams>(
        {.name = "session_resume",
         .title = "Resume a session",
         .description =
             "Bring a session back that hibernated, crashed, or was left by an earlier connection or run; "
             "says what could not be restored.",
         .effect = Effect::ChangesServer,
         .capability = std::string(kCapability),
         .params = {{"sessionId", &NamedParams::session_id,
                     "The session's name, or the id that create_session or list_sessions gave."}},
         .handler = with<NamedParams>(catalog, resume)}));
    tools.push_back(
        tool<OwnOrNamedParams>({.name = "get_cookies",
                                .title = "Get cookies",
                                .description = "All cookies of a session.",
                                .effect = Effect::ReadsPage,
                                .capability = std::string(kCapability),
                                .params = {{"sessionId", &OwnOrNamedParams::session_id, kOwnOrIdHelp}},
                                .handler = with<OwnOrNamedParams>(catalog, get_cookies)}));
    tools.push_back(
        tool<SetCookiesParams>({.name = "set_cookies",
                                .title = "Set cookies",
                                .description = "Add cookies to a session.",
                                .capability = std::string(kCapability),
                                .params = {{"sessionId", &SetCookiesParams::session_id, kOwnOrIdHelp},
                                           {"cookies", &SetCookiesParams::cookies,
                                            "Cookies: name, value, and url or domain and path."}},
                                .handler = with<SetCookiesParams>(catalog, set_cookies)}));
    tools.push_back(
        tool<OwnOrNamedParams>({.name = "save_state",
                                .title = "Save state",
                                .description = "Cookies and local storage of a session, to restore later.",
                                .effect = Effect::ReadsPage,
                                .capability = std::string(kCapability),
                                .params = {{"sessionId", &OwnOrNamedParams::session_id, kOwnOrIdHelp}},
                                .handler = with<OwnOrNamedParams>(catalog, save_state)}));
    tools.push_back(
        tool<RestoreParams>({.name = "restore_state",
                             .title = "Restore state",
                             .description = "Replace a session's cookies and storage by a saved state.",
                             .capability = std::string(kCapability),
                             .params = {{"sessionId", &RestoreParams::session_id, kOwnOrIdHelp},
                                        {"state", &RestoreParams::state, "What save_state gave."}},
                             .handler = with<RestoreParams>(catalog, restore_state)}));
    return tools;
}

}  // namespace tools
