// Tools that act on a session's browser, declared as one literal each: see src/tools/dialogs.cc.
//
// page_tool brings the session, its turn, the current tab and the check for open dialogs; session_tool leaves
// the last two to the handler. Both answer a handler's error as Playwright MCP words it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tools/response.h"
#include "tools/tool.h"

namespace tools {

// Whose session a call belongs to; makes it on first use. Fails where no more can be had.
using Sessions = std::function<Result<std::shared_ptr<session::Session>>(const Caller& caller)>;

using session::run_as;
using session::Session;
using session::store;
using session::Tab;

// What a call has to itself when it names a tab: that tab, so that calls in other tabs run beside it, or the
// whole session. A call that names none has the whole session.
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
    // What the schema cannot say about arguments; fails like a wrong argument.
    std::function<Result<void>(const Params&)> check = {};
    // The kind of modal that this tool is for. Other tools of a page are refused while one is open.
    std::optional<engine::Modal::Kind> answers = {};
    std::function<Task<>(Subject&, Params, Response&)> handler;
};

// What is the same for every literal, whatever its Params.
struct BrowserToolRun {
    std::string name;
    std::optional<engine::Modal::Kind> answers;
    Effect effect = Effect::ChangesPage;
    bool structured = false;  // also what keeps the tool from running is told as JSON
    Scope scope = Scope::Session;
};
Task<ToolResult> run_on_tab(Sessions sessions, BrowserToolRun run, Call call,
                            std::function<Task<>(Tab&, Response&)> handler);
Task<ToolResult> run_on_session(Sessions sessions, BrowserToolRun run, Call call,
                                std::function<Task<>(Session&, Response&)> handler);

namespace detail {

template <class Subject, class Params>
Task<ToolResult> run_browser_tool(Sessions sessions,
                                  std::shared_ptr<const BrowserToolLiteral<Subject, Params>> literal,
                                  Call call) {
    Result<Params> params = literal->params.decode(call.arguments);
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
    if constexpr (std::is_same_v<Subject, Tab>) {
        co_return co_await run_on_tab(sessions, run, call, handler);
    } else {
        co_return co_await run_on_session(sessions, run, call, handler);
    }
}

template <class Subject, class Params>
Tool browser_tool(Sessions sessions, BrowserToolLiteral<Subject, Params> given) {
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
    };
}

}  // namespace detail

template <class Params>
Tool page_tool(const Sessions& sessions, BrowserToolLiteral<Tab, Params> literal) {
    return detail::browser_tool<Tab, Params>(sessions, std::move(literal));
}

template <class Params>
Tool session_tool(const Sessions& sessions, BrowserToolLiteral<Session, Params> literal) {
    return detail::browser_tool<Session, Params>(sessions, std::move(literal));
}

// The arguments that name an element. `ref` is what `target` was called before.
inline constexpr std::string_view kElementHelp =
    "What the element is, in words, for whoever is asked to allow this.";
inline constexpr std::string_view kTargetHelp =
    "Element ref from the snapshot, like e12, or a unique selector.";
inline constexpr std::string_view kFileHelp =
    "File to save to instead of answering; relative to the workspace.";

}  // namespace tools
