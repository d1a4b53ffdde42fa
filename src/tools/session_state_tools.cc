// Cookies and saved state of sessions by name. Capability `sessions`.
#include "engine/storage_state.h"
#include "session/secret_state.h"
#include "tools/session_tools.h"

namespace tools {
namespace {

using session::SessionKey;
using session::Sessions;

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
        co_await (catalog.sessions->was_closed(key) ? Sessions::closed_error(id) : no_session(id));
    session::Turn turn = co_await session->take_turn(call.deadline);
    auto context = co_await session->ensure_browser();
    co_return Opened{session, std::move(turn), context};
}

struct OwnOrNamedParams {
    std::optional<std::string> session_id;
};

Task<json::object> get_cookies(SessionCatalog catalog, Call call, OwnOrNamedParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::array cookies = co_await opened.context->cookies(call.deadline);
    co_return json::object{{"sessionId", id}, {"cookies", std::move(cookies)}};
}

struct SetCookiesParams {
    std::optional<std::string> session_id;
    std::vector<json::object> cookies;
};

Task<json::object> set_cookies(SessionCatalog catalog, Call call, SetCookiesParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::array cookies;
    for (json::object& cookie : params.cookies) cookies.emplace_back(std::move(cookie));
    std::size_t count = cookies.size();
    co_await opened.context->add_cookies(std::move(cookies), call.deadline);
    co_return json::object{{"sessionId", id}, {"set", count}};
}

Task<json::object> save_state(SessionCatalog catalog, Call call, OwnOrNamedParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    Opened opened = co_await open(catalog, call, id);
    json::value state = session::hide_in_state(opened.session->secrets(),
                                               co_await opened.context->storage_state(call.deadline));
    co_return json::object{{"sessionId", id}, {"state", std::move(state)}};
}

struct RestoreParams {
    std::optional<std::string> session_id;
    json::object state;
};

Task<json::object> restore_state(SessionCatalog catalog, Call call, RestoreParams params) {
    std::string id = shown_name(params.session_id.value_or(""));
    json::value state = co_await engine::read_storage_state(json::value(std::move(params.state)));
    Opened opened = co_await open(catalog, call, id);
    state = co_await session::reveal_in_state(opened.session->secrets(), std::move(state));
    co_await opened.context->set_storage_state(std::move(state), call.deadline);
    co_return json::object{{"sessionId", id}, {"restored", true}};
}

schema::ParamList<OwnOrNamedParams> own_or_named() {
    return {{"sessionId", &OwnOrNamedParams::session_id, kSessionIdHelp, session_name()}};
}

json::object with_id(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
    json::object schema = object_schema(members);
    schema["properties"].as_object()["sessionId"] = json::object{{"type", "string"}};
    return schema;
}

}  // namespace

std::vector<Tool> session_state_tools(const SessionCatalog& catalog) {
    return {
        tool<OwnOrNamedParams>({.name = "get_cookies",
                                .title = "Get cookies",
                                .description = "All cookies of a session.",
                                .effect = Effect::ReadsPage,
                                .capability = std::string(kSessionsCapability),
                                .params = own_or_named(),
                                .output_schema = answer_schema(with_id({{"cookies", "array"}})),
                                .handler = with<OwnOrNamedParams>(catalog, get_cookies)}),
        tool<SetCookiesParams>(
            {.name = "set_cookies",
             .title = "Set cookies",
             .description = "Add cookies to a session.",
             .capability = std::string(kSessionsCapability),
             .params = {{"sessionId", &SetCookiesParams::session_id, kSessionIdHelp, session_name()},
                        {"cookies", &SetCookiesParams::cookies,
                         "Cookies: name, value, and url or domain and path."}},
             .output_schema = answer_schema(with_id({{"set", "integer"}})),
             .handler = with<SetCookiesParams>(catalog, set_cookies)}),
        tool<OwnOrNamedParams>({.name = "save_state",
                                .title = "Save state",
                                .description = "Cookies and local storage of a session, to restore later.",
                                .effect = Effect::ReadsPage,
                                .capability = std::string(kSessionsCapability),
                                .params = own_or_named(),
                                .output_schema = answer_schema(with_id({{"state", "object"}})),
                                .handler = with<OwnOrNamedParams>(catalog, save_state)}),
        tool<RestoreParams>(
            {.name = "restore_state",
             .title = "Restore state",
             .description = "Replace a session's cookies and storage by a saved state.",
             .capability = std::string(kSessionsCapability),
             .params = {{"sessionId", &RestoreParams::session_id, kSessionIdHelp, session_name()},
                        {"state", &RestoreParams::state,
                         "What save_state gave: its state, or the whole answer."}},
             .output_schema = answer_schema(with_id({{"restored", "boolean"}})),
             .handler = with<RestoreParams>(catalog, restore_state)}),
    };
}

}  // namespace tools
