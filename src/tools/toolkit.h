// Tools for scripted agents, declared as one literal each: see src/tools/toolkit_extraction.cc. Elements are
// named by selectors, and an answer is JSON: {success: true, data} or
// {success: false, error: {code, message, …}}.
//
// toolkit_tool provides what tab_tool provides, and turns every error into an answer.
#pragma once

#include "tools/browser_tools.h"
#include "tools/error_answer.h"

namespace tools {

// The default timeout of a tool.
enum class Limit { Action, Navigation };

// The literal that a tool file writes.
template <class Params>
struct ToolkitLiteral {
    std::string name;
    std::string title;
    std::string description;
    Effect effect = Effect::ChangesPage;
    Scope scope = Scope::Tab;
    schema::ParamList<Params> params = {};
    Limit limit = Limit::Action;
    json::object data = {};  // the schema of the handler's result
    std::function<Task<json::value>(Tab&, Params, Response&)> handler;
};

// The timeout for a call's element: the agent's argument, or the session's limit for actions.
struct Timeout {
    Timeout(const Tab& tab, std::optional<int> timeout);

    // `name` is Playwright's name, for the error.
    session::Operation operation(std::string_view name) const { return {.name = name, .limit = limit}; }

    std::chrono::milliseconds limit;  // zero: only the call's own limit
    Deadline deadline;
};

// Waits for the first match of a selector.
Task<engine::Located> wait_for_element(Tab& tab, std::string selector, Timeout timeout);
// A reader's value once the selector matches an element.
Task<json::value> read_element(Tab& tab, std::string reader, std::string selector, json::object options,
                               Timeout timeout);
// A reader's current value.
Task<json::value> read_now(Tab& tab, std::string reader, std::string selector, json::object options = {});

// Runs an action and waits until its effects have settled. Fails with ElementNotInteractive when the element
// was found in time but never became ready.
Task<> do_action(Tab& tab, session::Operation operation, Task<> action);
// Converts the error to one about the element when the element caused it.
Error not_ready(Error error);
// Fails when a dialog opens before the value arrives.
template <class T>
Task<T> value_of(Tab& tab, Task<T> task);
Error dialog_in_the_way(const Tab& tab);

inline constexpr std::string_view kSelectorHelp =
    "CSS, text=…, role=…, xpath=… or a locator like getByRole('button'). The first match counts.";
inline constexpr std::string_view kTimeoutHelp =
    "Milliseconds to wait. Default: the server's action timeout.";
// Present only in the rare answer to a call that opened a dialog.
inline constexpr std::string_view kDialogsMember = "dialogs";

// The part of a literal that does not depend on its Params.
struct ToolkitRun {
    std::string name;
    Effect effect = Effect::ChangesPage;
    Scope scope = Scope::Tab;
    Limit limit = Limit::Action;
};
template <class Params>
ToolkitRun run_of(const ToolkitLiteral<Params>& literal) {
    return {literal.name, literal.effect, literal.scope, literal.limit};
}
Task<ToolResult> run_toolkit(SessionResolver sessions, ToolkitRun run, Call call,
                             std::function<Task<json::value>(Tab&, Response&)> handler);

namespace detail {

template <class Params>
Task<ToolResult> run_toolkit_tool(SessionResolver sessions,
                                  std::shared_ptr<const ToolkitLiteral<Params>> literal, Call call) {
    std::vector<std::string> foreign;
    Result<Params> params = literal->params.decode(call.arguments, nullptr, &foreign);
    if (!params) co_return refuse_arguments(params.error());
    auto handler = [literal, &params](Tab& tab, Response& response) {
        return literal->handler(tab, std::move(*params), response);
    };
    ToolResult result = co_await run_toolkit(sessions, run_of(*literal), call, handler);
    note_foreign(result, std::move(foreign));
    co_return result;
}

}  // namespace detail

template <class Params>
Tool toolkit_tool(const SessionResolver& sessions, ToolkitLiteral<Params> given) {
    auto literal = std::make_shared<const ToolkitLiteral<Params>>(std::move(given));
    return {
        .name = literal->name,
        .title = literal->title,
        .description = literal->description,
        .effect = literal->effect,
        .capability = "toolkit",
        .input_schema = literal->params.to_schema(),
        .output_schema = answer_schema(literal->data),
        .run = [sessions,
                literal](Call call) { return detail::run_toolkit_tool<Params>(sessions, literal, call); },
        .acts_in_session = true,
    };
}

template <class T>
Task<T> value_of(Tab& tab, Task<T> task) {
    std::optional<T> value;
    co_await tab.until_modal(capture_into(std::move(task), value));
    if (!value) co_await dialog_in_the_way(tab);
    co_return std::move(*value);
}

}  // namespace tools
