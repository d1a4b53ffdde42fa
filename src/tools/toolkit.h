// Tools for scripted agents, declared as one literal each: see src/tools/toolkit_extraction.cc. Elements are
// named by selectors, and an answer is JSON: {success: true, data} or {error: {code, message, …}}.
//
// toolkit_tool brings what page_tool brings, and turns every error into an answer.
#pragma once

#include "tools/catalog.h"
#include "tools/error_answer.h"

namespace tools {

// The literal a tool file writes.
template <class Params>
struct ToolkitLiteral {
    std::string name;
    std::string title;
    std::string description;
    Effect effect = Effect::ChangesPage;
    Scope scope = Scope::Tab;
    schema::ParamList<Params> params = {};
    json::object data = {};  // the schema of what the handler gives
    std::function<Task<json::value>(Tab&, Params, Response&)> handler;
};

// How long a call waits for its element: what the agent gave, or the session's limit for actions.
struct Patience {
    Patience(const Tab& tab, std::optional<int> timeout);

    // The name is Playwright's, for the error.
    session::Operation operation(std::string_view name) const { return {.name = name, .limit = limit}; }

    std::chrono::milliseconds limit;  // zero: none but the call's own
    Deadline deadline;
};

// Waits for the first match of a selector.
Task<engine::Located> wait_for_element(Tab& tab, std::string selector, Patience patience);
// What a reader says once the selector matches something.
Task<json::value> read_element(Tab& tab, std::string reader, std::string selector, json::object options,
                               Patience patience);
// What a reader says now.
Task<json::value> read_now(Tab& tab, std::string reader, std::string selector, json::object options = {});

// Runs an action and waits until what it caused has settled. An element that never got ready is
// ElementNotInteractive: it was there in time.
Task<> do_action(Tab& tab, session::Operation operation, Task<> action);
// The error, as one about the element where that was what kept it.
Error not_ready(Error error);
// Fails when a dialog opens before there is a value.
template <class T>
Task<T> value_of(Tab& tab, Task<T> task);
Error dialog_in_the_way(const Tab& tab);

// {"type": "object", "properties": {name: {"type": type}, …}}
json::object object_schema(std::initializer_list<std::pair<std::string_view, std::string_view>> members);

inline constexpr std::string_view kSelectorHelp =
    "CSS, text=…, role=…, xpath=… or a locator like getByRole('button'). The first match counts.";
inline constexpr std::string_view kTimeoutHelp =
    "Milliseconds to wait. Default: the server's action timeout.";
// Only in the rare answer to a call that opened one.
inline constexpr std::string_view kDialogsMember = "dialogs";

Task<ToolResult> run_toolkit(Sessions sessions, std::string name, Effect effect, Scope scope, Call call,
                             std::function<Task<json::value>(Tab&, Response&)> handler);
ToolResult refuse_arguments(const Error& error);

namespace detail {

template <class Params>
Task<ToolResult> run_toolkit_tool(Sessions sessions, std::shared_ptr<const ToolkitLiteral<Params>> literal,
                                  Call call) {
    Result<Params> params = literal->params.decode(call.arguments);
    if (!params) co_return refuse_arguments(params.error());
    auto handler = [literal, &params](Tab& tab, Response& response) {
        return literal->handler(tab, std::move(*params), response);
    };
    co_return co_await run_toolkit(sessions, literal->name, literal->effect, literal->scope, call, handler);
}

}  // namespace detail

template <class Params>
Tool toolkit_tool(const Sessions& sessions, ToolkitLiteral<Params> given) {
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
    co_await tab.until_modal(store(std::move(task), value));
    if (!value) co_await dialog_in_the_way(tab);
    co_return std::move(*value);
}

}  // namespace tools
