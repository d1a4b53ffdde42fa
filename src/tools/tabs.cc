#include <array>
#include <cmath>

#include "session/tab_sharing.h"
#include "session/urls.h"
#include "tools/browser_tools.h"
#include "tools/sessions.h"
#include "util/strings.h"

namespace tools {
namespace {

using session::TabAccess;
using session::TabSharing;

enum class TabAction { List, New, Close, Select };
constexpr auto enum_names(TabAction) {
    return std::to_array<schema::EnumName<TabAction>>({{TabAction::List, "list"},
                                                       {TabAction::New, "new"},
                                                       {TabAction::Close, "close"},
                                                       {TabAction::Select, "select"}});
}

struct TabsParams {
    TabAction action = TabAction::List;
    std::optional<double> index;
    std::optional<std::string> url;
};

// Playwright's newest server opens such a tab in a browser context of its own. A session has one context.
Error needs_another_session() {
    return {.code = ErrorCode::InvalidArgument,
            .message =
                "No tab was opened: isolatedContext is for another browser context, and a session has "
                "only one.",
            .hint =
                "Open the address in a session of its own: call create_session (--caps sessions), name "
                "another sessionId (--session-param), or connect another client."};
}

Task<> open_tab(Session& session, const std::string& url, Response& response) {
    const json::value* isolated = json::find(response.arguments(), "isolatedContext");
    if (isolated && *isolated == json::value(true)) co_await needs_another_session();
    // Checks the address first, so that an invalid one opens no tab.
    if (!url.empty()) co_await session::check_url(url, session.options().base_url);
    std::shared_ptr<Tab> tab = co_await session.new_tab();
    if (url.empty()) co_return;
    std::string whole = co_await tab->navigate(url);
    response.include_snapshot();
    response.add_action({.kind = Action::Kind::Navigate, .text = whole});
}

Task<> tabs(Session& session, TabsParams params, Response& response) {
    switch (params.action) {
        case TabAction::List:
            co_await session.ensure_tab();
            break;
        case TabAction::New:
            co_await open_tab(session, params.url.value_or(""), response);
            break;
        case TabAction::Close:
            co_await session.close_tab(params.index);
            break;
        case TabAction::Select:
            if (!params.index)
                co_await Error{.code = ErrorCode::MissingParameter, .message = "Tab index is required"};
            co_await session.select_tab(*params.index);
            break;
    }
    response.list_tabs();
}

// The same for servers where tabs have ids: such tabs can also be shared.
enum class SharingAction { List, New, Close, Select, Share, Release };
constexpr auto enum_names(SharingAction) {
    return std::to_array<schema::EnumName<SharingAction>>({{SharingAction::List, "list"},
                                                           {SharingAction::New, "new"},
                                                           {SharingAction::Close, "close"},
                                                           {SharingAction::Select, "select"},
                                                           {SharingAction::Share, "share"},
                                                           {SharingAction::Release, "release"}});
}

enum class SharedAs { HandOver, ReadOnly };
constexpr auto enum_names(SharedAs) {
    return std::to_array<schema::EnumName<SharedAs>>(
        {{SharedAs::HandOver, "hand-over"}, {SharedAs::ReadOnly, "read-only"}});
}

struct SharingParams {
    SharingAction action = SharingAction::List;
    std::optional<double> index;
    std::optional<std::string> url;
    std::optional<SharedAs> access;
    std::optional<std::string> to;
    std::optional<std::string> token;
};

// The dependencies of sharing beyond the session.
struct Sharing {
    std::shared_ptr<TabSharing> tab_sharing = std::make_shared<TabSharing>();
    SessionCatalog named;
};

Task<std::shared_ptr<Tab>> subject(Session& session, const SharingParams& params, std::string targeted) {
    if (params.index) {
        bool whole = *params.index == std::floor(*params.index) && std::abs(*params.index) < 1e6;
        co_return co_await session.named_tab(whole ? std::to_string(static_cast<int>(*params.index))
                                                   : std::to_string(*params.index));
    }
    if (!targeted.empty()) co_return co_await session.named_tab(targeted);
    if (!session.current_tab())
        co_await Error{.code = ErrorCode::MissingParameter, .message = "Tab id or index is required"};
    co_return session.current_tab();
}

Task<> share(Sharing sharing, Caller caller, Session& session, const SharingParams& params,
             Response& response) {
    auto self = session.shared_from_this();
    if (params.token) {
        std::string id = co_await sharing.tab_sharing->redeem(*params.token, self);
        response.add_text("Tab " + id + " is this session's now.");
        co_return;
    }
    std::shared_ptr<Tab> tab = co_await subject(session, params, caller.tab_id);
    bool lends = params.access == SharedAs::ReadOnly;
    TabAccess access = lends ? TabAccess::ReadOnly : TabAccess::Full;
    std::string what = "Tab " + tab->id() + (lends ? " is lent, read-only, to " : " was handed over to ");
    if (!params.to) {
        std::string token = co_await sharing.tab_sharing->offer(self, tab, access);
        response.add_text("Token: " + token +
                          "\nWhoever calls browser_tabs with action share and this token " +
                          (lends ? "can look at" : "gets") + " tab " + tab->id() + ". It works once.");
        co_return;
    }
    const session::Sessions::Entry* entry =
        sharing.named.sessions ? sharing.named.sessions->find(sharing.named.named(caller, *params.to))
                               : nullptr;
    if (!entry) {
        co_await Error{.code = ErrorCode::SessionNotFound,
                       .message = "There is no session \"" + *params.to + "\".",
                       .hint = "To share with another client, leave it out and pass on the token."};
    }
    std::string id = co_await sharing.tab_sharing->share(self, tab, entry->session, access);
    response.add_text(what + "session \"" + *params.to + "\"; there it is " + id + ".");
}

Task<> manage(Sharing sharing, Caller caller, Session& session, SharingParams params, Response& response) {
    if (params.action == SharingAction::Share) {
        co_await session.ensure_browser();
        co_await share(std::move(sharing), std::move(caller), session, params, response);
        response.list_tabs();
    } else if (params.action == SharingAction::Release) {
        std::shared_ptr<Tab> tab = co_await subject(session, params, caller.tab_id);
        co_await sharing.tab_sharing->release(session.shared_from_this(), tab);
        response.list_tabs();
    } else {
        auto action = static_cast<TabAction>(params.action);
        co_await tabs(session, {action, params.index, params.url}, response);
    }
}

constexpr std::string_view kActionHelp = "What to do.";
constexpr std::string_view kIndexHelp = "Tab to close or select. Close without it closes the current one.";
constexpr std::string_view kUrlHelp = "Address to open in a new tab.";

schema::ParamList<SharingParams> sharing_params() {
    return {
        {"action", &SharingParams::action,
         "What to do. Share gives a tab to another session, release gives it back or takes it back."},
        {"index", &SharingParams::index, kIndexHelp},
        {"url", &SharingParams::url, kUrlHelp},
        {"access", &SharingParams::access,
         "Share: hand-over (default) makes the tab the other's, read-only lets it look."},
        {"to", &SharingParams::to,
         "Share: sessionId that gets the tab. Without it, a token is made for the session that redeems it."},
        {"token", &SharingParams::token, "Share: takes the tab that another session shared by this token."},
    };
}

Task<ToolResult> run_sharing(SessionResolver sessions, Sharing sharing, Call call) {
    std::vector<std::string> ignored;
    Result<SharingParams> params = sharing_params().decode(call.arguments, &ignored);
    if (!params) co_return invalid_arguments("browser_tabs", params.error());
    Caller caller = call.client.caller();
    BrowserToolRun run{"browser_tabs", {}, Effect::ChangesPage};
    ToolResult result =
        co_await run_on_session(std::move(sessions), run, call, [&](Session& session, Response& response) {
            return manage(sharing, caller, session, *params, response);
        });
    note_ignored(result, ignored);
    co_return result;
}

}  // namespace

std::vector<Tool> tab_tools(const SessionResolver& sessions) {
    return {
        session_tool<TabsParams>(sessions,
                                 {
                                     .name = "browser_tabs",
                                     .title = "Manage tabs",
                                     .description = "List, open, close or select tabs.",
                                     .params =
                                         {
                                             {"action", &TabsParams::action, kActionHelp},
                                             {"index", &TabsParams::index, kIndexHelp},
                                             {"url", &TabsParams::url, kUrlHelp},
                                         },
                                     .handler = tabs,
                                 }),
    };
}

Tool sharing_tabs_tool(const SessionResolver& sessions, const SessionCatalog& named) {
    Sharing sharing{.named = named};
    return {
        .name = "browser_tabs",
        .title = "Manage tabs",
        .description = "List, open, close, select or share tabs.",
        .input_schema = sharing_params().to_schema(),
        .run = [sessions, sharing](Call call) { return run_sharing(sessions, sharing, call); },
        .acts_in_session = true,
    };
}

}  // namespace tools
