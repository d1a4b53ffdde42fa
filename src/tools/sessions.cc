// Sessions by name: made, listed, closed, saved. Capability `sessions`.
#include "tools/sessions.h"

#include <algorithm>
#include <iterator>

#include "tools/resource_address.h"
#include "tools/session_tools.h"
#include "util/time_text.h"

namespace tools {
namespace {

using session::SessionKey;
using session::Sessions;

// Time limits for a reply of one page, and for all of them.
constexpr std::chrono::milliseconds kTimeout{100}, kLookLimit{1000};

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
    return {.principal = caller.principal,
            .same_user = caller.same_user,
            .directory = caller.directory,
            .is_successor = caller.lost_session};
}

session::SessionKey SessionCatalog::named(Caller caller, const std::string& name) const {
    if (!name.empty() && name != kOwnSession) return {owner_of(caller), name};
    caller.session_name.clear();
    return key_of ? key_of(caller) : session::SessionKey{owner_of(caller), ""};
}

std::string shown_name(const std::string& name) { return name.empty() ? std::string(kOwnSession) : name; }

json::object describe(const std::string& name, const session::Sessions::Entry& entry) {
    const session::Session& session = *entry.session;
    auto idle = std::chrono::duration_cast<std::chrono::milliseconds>(session::Session::Clock::now() -
                                                                      session.last_use());
    json::object info{{"sessionId", shown_name(name)},
                      {"state", state_of(session)},
                      {"created", created_text(entry.created)},
                      {"idleMilliseconds", idle.count()},
                      {"tabs", session.outline().tabs}};
    if (std::string url = session.outline().url; !url.empty()) info["url"] = url;
    std::string resume_id = session::Sessions::resume_id(entry);
    if (session.persistence().hibernates && !resume_id.empty() && resume_id != name)
        info["resumeId"] = resume_id;
    return info;
}

namespace {

json::object describe_other(const UpstreamSessions::Info& info) {
    return {{"sessionId", shown_name(info.name)},
            {"engine", "upstream"},
            {"state", info.state},
            {"created", created_text(info.created)},
            {"idleMilliseconds", info.idle.count()}};
}

struct NamedParams {
    std::string session_id;
};

Task<json::object> close(SessionCatalog catalog, Call call, NamedParams params) {
    SessionKey key = catalog.named(call.client.caller(), params.session_id);
    if (!co_await close_session(catalog, std::move(key))) co_await no_session(params.session_id);
    co_return json::object{{"sessionId", params.session_id}, {"closed", true}};
}

struct NoParams {};

// Adds the facts that only the session's pages know. A page that does not answer is skipped.
Task<> look_at(std::shared_ptr<session::Session> session, json::object& info) {
    if (auto tab = session->current_tab(); tab && !tab->has_crashed() && tab->modals().empty()) {
        auto title = co_await as_result(tab->page().title(Deadline::in(kTimeout)));
        if (title) info["title"] = *title;
    }
    info["memory"] = co_await session->memory(kTimeout);
}

// The caller's own session first, then the named ones.
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

std::vector<UpstreamSessions::Info> own_upstream_sessions(const SessionCatalog& catalog,
                                                          const Caller& caller) {
    if (!catalog.upstream) return {};
    SessionKey own = catalog.named(caller, "");
    std::string owner = catalog.owner_of(caller);
    std::vector<UpstreamSessions::Info> found;
    for (UpstreamSessions::Info& info : catalog.upstream->list(own.owner))
        if (info.name == own.name || (own.owner == owner && catalog.shows(caller, info.name)))
            found.push_back(std::move(info));
    if (own.owner == owner) return found;
    for (UpstreamSessions::Info& info : catalog.upstream->list(owner))
        if (!info.name.empty() && catalog.shows(caller, info.name)) found.push_back(std::move(info));
    return found;
}

Task<json::object> list(SessionCatalog catalog, Call call, NoParams) {
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
    if (owner == session::kAnybody) co_return json::object{{"sessions", std::move(sessions)}};
    for (const Sessions::Earlier& earlier : co_await catalog.sessions->list_earlier(owner)) {
        bool is_upstreams = catalog.upstream && catalog.upstream->has({owner, earlier.name});
        if (earlier.name.empty() || is_upstreams || !catalog.shows(call.client.caller(), earlier.name))
            continue;
        json::object info{{"sessionId", earlier.name},
                          {"state", earlier.holder ? "elsewhere" : "hibernated"}};
        if (earlier.holder) info["process"] = earlier.holder;
        sessions.push_back(std::move(info));
    }
    for (const UpstreamSessions::Info& info : own_upstream_sessions(catalog, call.client.caller()))
        sessions.push_back(describe_other(info));
    co_return json::object{{"sessions", std::move(sessions)}};
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

Task<json::object> resume(SessionCatalog catalog, Call call, NamedParams params) {
    SessionKey key = catalog.named(call.client.caller(), params.session_id);
    if (catalog.upstream && catalog.upstream->has(key)) co_await belongs_to_upstream(params.session_id);
    auto session = co_await catalog.sessions->resume(key.owner, key.name, setup_of(call.client.caller()));
    session::Turn turn = co_await session->take_turn(call.deadline);
    bool asleep = session->life() != session::Session::Life::Awake;
    co_await session->wake();
    json::array notes;
    for (std::string& note : session->take_notes()) notes.emplace_back(std::move(note));
    co_return json::object{{"sessionId", params.session_id},
                           {"state", state_of(*session)},
                           {"restored", asleep && session->has_browser()},
                           {"url", session->outline().url},
                           {"tabs", co_await tab_list(*session)},
                           {"notes", std::move(notes)}};
}

constexpr std::string_view kIdHelp = "The session's id; default is your own.";

}  // namespace

Task<bool> close_session(SessionCatalog catalog, SessionKey key) {
    if (catalog.upstream && catalog.upstream->close(key)) {
        catalog.sessions->note_closed(key);
        co_return true;
    }
    co_return co_await catalog.sessions->close(std::move(key));
}

std::vector<Tool> named_session_tools(const SessionCatalog& catalog) {
    std::vector<Tool> tools = session_creation_tools(catalog);
    auto closing = [&](std::string name) {
        return tool<NamedParams>(
            {.name = std::move(name),
             .title = "Close a session",
             .description = "Close a session and everything it has open.",
             .effect = Effect::ChangesServer,
             .capability = std::string(kSessionsCapability),
             .params = {{"sessionId", &NamedParams::session_id, kIdHelp, session_name()}},
             .output_schema = answer_schema(object_schema({{"sessionId", "string"}, {"closed", "boolean"}})),
             .handler = with<NamedParams>(catalog, close)});
    };
    auto listing = [&](std::string name) {
        return tool<NoParams>({.name = std::move(name),
                               .title = "List sessions",
                               .description = "List your sessions: state, address, title, tabs, last use, "
                                              "memory of their scripts in bytes.",
                               .effect = Effect::ReadsServer,
                               .capability = std::string(kSessionsCapability),
                               .output_schema = answer_schema(object_schema({{"sessions", "array"}})),
                               .handler = with<NoParams>(catalog, list)});
    };
    for (const char* name : {"close_session", "session_close"}) tools.push_back(closing(name));
    for (const char* name : {"list_sessions", "session_list"}) tools.push_back(listing(name));
    tools.push_back(tool<NamedParams>(
        {.name = "session_resume",
         .title = "Resume a session",
         .description =
             "Bring a session back that hibernated, crashed, or was left by an earlier connection or run; "
             "says what could not be restored.",
         .effect = Effect::ChangesServer,
         .capability = std::string(kSessionsCapability),
         .params = {{"sessionId", &NamedParams::session_id,
                     "The session's name, or the id that create_session or list_sessions gave.",
                     session_name()}},
         .output_schema = answer_schema(object_schema({{"sessionId", "string"},
                                                       {"state", "string"},
                                                       {"restored", "boolean"},
                                                       {"url", "string"},
                                                       {"tabs", "array"},
                                                       {"notes", "array"}})),
         .handler = with<NamedParams>(catalog, resume)}));
    std::vector<Tool> state = session_state_tools(catalog);
    std::ranges::move(state, std::back_inserter(tools));
    return tools;
}

}  // namespace tools
