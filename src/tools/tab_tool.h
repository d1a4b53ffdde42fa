// Tools that act on a session's browser, declared as one literal each: see src/tools/dialogs.cc.
//
// tab_tool provides the session, its turn, the current tab and the check for open dialogs; session_tool
// leaves the last two to the handler. Both word a handler's error as Playwright MCP does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/response.h"
#include "tools/tool.h"

namespace tools {

// Returns the session that a call belongs to; creates it on first use. Fails at the session limit.
using SessionResolver = std::function<Result<std::shared_ptr<session::Session>>(const Caller& caller)>;

using session::capture_into;
using session::run_as;
using session::Session;
using session::Tab;

// Scope::Tab: a call that names a tab locks only that tab, so that calls in other tabs run concurrently.
// Scope::Session, or no named tab: the call locks the whole session.
enum class Scope { Tab, Session };

// The literal a tool file writes. Subject is the Tab or the Session.
template <class Subject, class Params>
struct BrowserToolLiteral {
    std::string name;
    std::string title;
    std::string description;
    Effect effect = Effect::ChangesPage;
    Scope scope = std::is_same_v<Subject, Tab> ? Scope::Tab : Scope::Session;
    std::string capability = {};
    schema::ParamList<Params> params = {};
    // Checks that the schema cannot express; fails like an invalid argument.
    std::function<Result<void>(const Params&)> check = {};
    // The kind of modal that this tool handles. Other tools of a page are refused while one is open.
    std::optional<engine::Modal::Kind> answers = {};
    std::vector<std::string> aliases = {};  // see Tool
    std::function<Task<>(Subject&, Params, Response&)> handler;
};

// The part of a literal that does not depend on its Params.
struct BrowserToolRun {
    std::string name;
    std::optional<engine::Modal::Kind> answers;
    Effect effect = Effect::ChangesPage;
    bool structured = false;  // errors before the handler runs are JSON, too
    Scope scope = Scope::Session;
};
Task<ToolResult> run_on_tab(SessionResolver sessions, BrowserToolRun run, Call call,
                            std::function<Task<>(Tab&, Response&)> handler);
Task<ToolResult> run_on_session(SessionResolver sessions, BrowserToolRun run, Call call,
                                std::function<Task<>(Session&, Response&)> handler);

namespace detail {

template <class Subject, class Params>
Task<ToolResult> run_browser_tool(SessionResolver sessions,
                                  std::shared_ptr<const BrowserToolLiteral<Subject, Params>> literal,
                                  Call call) {
    std::vector<std::string> ignored;
    Result<Params> params = literal->params.decode(call.arguments, &ignored);
    if (!params) co_return invalid_arguments(literal->name, params.error());
    if (literal->check) {
        if (Result<void> checked = literal->check(*params); !checked) {
            co_return invalid_arguments(literal->name, checked.error());
        }
    }
    auto handler = [literal, &params](Subject& subject, Response& response) {
        return literal->handler(subject, std::move(*params), response);
    };
    BrowserToolRun run{.name = literal->name,
                       .answers = literal->answers,
                       .effect = literal->effect,
                       .scope = literal->scope};
    ToolResult result;
    if constexpr (std::is_same_v<Subject, Tab>) {
        result = co_await run_on_tab(sessions, run, call, handler);
    } else {
        result = co_await run_on_session(sessions, run, call, handler);
    }
    note_ignored(result, ignored);
    co_return result;
}

template <class Subject, class Params>
Tool browser_tool(SessionResolver sessions, BrowserToolLiteral<Subject, Params> given) {
    auto literal = std::make_shared<const BrowserToolLiteral<Subject, Params>>(std::move(given));
    return {
        .name = literal->name,
        .title = literal->title,
        .description = literal->description,
        .effect = literal->effect,
        .capability = literal->capability,
        .input_schema = literal->params.to_schema(),
        .run = [sessions,
                literal](Call call) { return run_browser_tool<Subject, Params>(sessions, literal, call); },
        .acts_in_session = true,
        .aliases = literal->aliases,
    };
}

}  // namespace detail

template <class Params>
Tool tab_tool(const SessionResolver& sessions, BrowserToolLiteral<Tab, Params> literal) {
    return detail::browser_tool<Tab, Params>(sessions, std::move(literal));
}

template <class Params>
Tool session_tool(const SessionResolver& sessions, BrowserToolLiteral<Session, Params> literal) {
    return detail::browser_tool<Session, Params>(sessions, std::move(literal));
}

// The arguments that name an element. `ref` is the former name of `target`.
inline constexpr std::string_view kElementHelp =
    "What the element is, in words, for whoever is asked to allow this.";
inline constexpr std::string_view kTargetHelp =
    "Element ref from the snapshot, like e12, or a unique selector.";
inline constexpr std::string_view kFileHelp =
    "File to save to instead of answering; relative to the workspace.";

}  // namespace tools
