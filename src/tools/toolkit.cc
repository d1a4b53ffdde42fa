#include "tools/toolkit.h"

namespace tools {
namespace {

using namespace std::chrono_literals;

// The interval between reads of a page that lacks the wanted element.
constexpr auto kPoll = 50ms;

Task<json::value> read_until_there(Tab& tab, std::string reader, std::string selector, json::object options,
                                   Deadline deadline) {
    for (bool missing = false;; missing = true) {
        auto answer = co_await as_result(tab.page().read(reader, selector, options, deadline));
        // The page reported the element missing before; a slow repetition of that is no error.
        if (!answer && missing && answer.error().code == ErrorCode::Timeout) co_return json::value();
        if (!answer || !answer->is_null() || deadline.remaining() <= kPoll) co_return std::move(answer);
        co_await sleep_for(tab.session().loop(), kPoll);
    }
}

Task<engine::Located> find_until_there(Tab& tab, std::string selector, Deadline deadline) {
    for (std::optional<Error> missing;;) {
        auto found = co_await as_result(tab.find(selector));
        // The page reported the element missing before; a slow repetition of that is no error.
        if (!found && missing && found.error().code == ErrorCode::Timeout) co_await *missing;
        bool may_come = !found && found.error().code == ErrorCode::ElementNotFound;
        if (!may_come || deadline.remaining() <= kPoll) co_return co_await std::move(found);
        missing = found.error();
        co_await sleep_for(tab.session().loop(), kPoll);
    }
}

json::array open_dialogs(const Tab& tab) {
    json::array dialogs;
    for (const engine::Modal& modal : tab.modals()) {
        bool chooser = modal.kind == engine::Modal::Kind::FileChooser;
        dialogs.push_back(
            json::object{{"type", chooser ? "filechooser" : modal.dialog_type}, {"message", modal.message}});
    }
    return dialogs;
}

Task<json::value> handle(Response& response, std::function<Task<json::value>(Tab&, Response&)> handler) {
    std::shared_ptr<Tab> tab = co_await response.ensure_tab();
    if (!tab->modals().empty()) co_await dialog_in_the_way(*tab);
    json::object answer{{"success", true}};
    answer["data"] = co_await handler(*tab, response);
    if (json::array dialogs = open_dialogs(*tab); !dialogs.empty())
        answer[kDialogsMember] = std::move(dialogs);
    co_return answer;
}

// The call's subject, its page, and its timeout.
json::object context_of(Response& response, Limit limit, const Error& error) {
    json::object context = said_of(response.arguments());
    if (std::shared_ptr<Tab> tab = response.tab()) {
        context["page"] = tab->page().url();
        const session::SessionOptions& options = tab->session().options();
        auto usual = limit == Limit::Navigation ? options.navigation_timeout : options.action_timeout;
        if (error.code == ErrorCode::Timeout && !context.contains("timeout"))
            context["timeout"] = usual.count();
    }
    return context;
}

Task<> handle_as_answer(Response& response, std::function<Task<json::value>(Tab&, Response&)> handler,
                        Limit limit) {
    auto answer = co_await as_result(handle(response, std::move(handler)));
    // The dispatcher logs internal errors.
    if (!answer && answer.error().code == ErrorCode::InternalError) co_await answer.error();
    if (answer)
        response.answer(std::move(*answer));
    else
        response.answer_error(answer.error(), context_of(response, limit, answer.error()));
}

}  // namespace

Timeout::Timeout(const Tab& tab, std::optional<int> timeout)
    : limit(timeout ? std::chrono::milliseconds(*timeout) : tab.session().options().action_timeout),
      deadline(tab.deadline_in(limit, "an element")) {}

Task<engine::Located> wait_for_element(Tab& tab, std::string selector, Timeout timeout) {
    tab.note_step("waiting for " + selector);
    co_return co_await value_of(tab, find_until_there(tab, selector, timeout.deadline));
}

Task<json::value> read_element(Tab& tab, std::string reader, std::string selector, json::object options,
                               Timeout timeout) {
    tab.note_step(selector.empty() ? "reading the page" : "waiting for " + selector);
    json::value answer =
        co_await value_of(tab, read_until_there(tab, reader, selector, std::move(options), timeout.deadline));
    if (answer.is_null()) {
        co_await Error{.code = ErrorCode::ElementNotFound,
                       .message = "\"" + selector + "\" does not match any elements."};
    }
    co_return answer;
}

Task<json::value> read_now(Tab& tab, std::string reader, std::string selector, json::object options) {
    co_return co_await value_of(tab, tab.page().read(std::move(reader), std::move(selector),
                                                     std::move(options), tab.action_deadline()));
}

Task<> do_action(Tab& tab, session::Operation operation, Task<> action) {
    auto done = co_await as_result(tab.perform(std::move(operation), std::move(action)));
    if (!done) co_await not_ready(done.error());
}

Error not_ready(Error error) {
    bool waited = error.code == ErrorCode::Timeout && error.message.contains("Call log:");
    if (waited) error.code = ErrorCode::ElementNotInteractive;
    return error;
}

Error dialog_in_the_way(const Tab& tab) {
    bool chooser = !tab.modals().empty() && tab.modals().front().kind == engine::Modal::Kind::FileChooser;
    std::string what = chooser ? "A file chooser" : "A dialog";
    return Error{.code = ErrorCode::ElementNotInteractive,
                 .message = what + " is open and stops the page.",
                 .hint = std::string("Answer it first, with ") +
                         (chooser ? "browser_file_upload." : "browser_handle_dialog."),
                 .details = json::serialize(json::object{{"dialogs", open_dialogs(tab)}})};
}

Task<ToolResult> run_toolkit(SessionResolver sessions, ToolkitRun run, Call call,
                             std::function<Task<json::value>(Tab&, Response&)> handler) {
    BrowserToolRun browser_run{.name = run.name,
                               .answers = std::nullopt,
                               .effect = run.effect,
                               .structured = true,
                               .scope = run.scope};
    auto answered =
        co_await as_result(run_on_session(std::move(sessions), std::move(browser_run), call,
                                          [handler, limit = run.limit](Session&, Response& response) {
                                              return handle_as_answer(response, handler, limit);
                                          }));
    if (answered) co_return std::move(*answered);
    if (answered.error().code == ErrorCode::InternalError) co_await answered.error();
    co_return structured(answered.error(), said_of(call.arguments));
}

}  // namespace tools
