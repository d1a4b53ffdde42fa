#include "tools/page_tool.h"

#include "session/page_watch.h"
#include "session/tab_desk.h"
#include "session/trace.h"
#include "tools/roots.h"

namespace tools {
namespace {

void keep_record(Session& session, const std::string& tool, const json::value& arguments,
                 const ToolResult& result) {
    const session::SessionLog* log = session.log();
    if (!log) return;
    std::string text;
    json::array images;
    for (const Content& content : result.content) {
        if (const auto* part = std::get_if<Text>(&content)) text += part->text;
        if (const auto* image = std::get_if<Image>(&content)) {
            images.push_back(
                json::object{{"type", "image"}, {"data", image->base64}, {"mimeType", image->mime_type}});
        }
    }
    log->add(tool, session.secrets().redact_all(arguments), text, result.is_error, images,
             session.workspace().root());
}

Task<ToolResult> handle(Session& session, const BrowserToolRun& run, const json::value& arguments,
                        const std::function<Task<>(Session&, Response&)>& handler) {
    Response response(session, arguments);
    // A copy: the call may end the trace.
    if (std::shared_ptr<session::Trace> trace = session.trace())
        co_await session::Trace::record(trace, run.name, arguments, handler(session, response));
    else
        co_await handler(session, response);
    ToolResult result = co_await response.finish();
    keep_record(session, run.name, arguments, result);
    // A browser that went by itself is closed as well.
    if (response.closes_browser()) (void)co_await as_result(session.close());
    co_return result;
}

Task<> handle_tab(Session& session, const BrowserToolRun& run, Response& response,
                  const std::function<Task<>(Tab&, Response&)>& handler) {
    std::shared_ptr<Tab> tab = co_await session.ensure_tab();
    bool open = !tab->modals().empty();
    auto is_answered = [&](const engine::Modal& modal) { return modal.kind == run.answers; };
    if (run.answers && std::ranges::none_of(tab->modals(), is_answered)) {
        response.add_error("Error: The tool \"" + run.name +
                           "\" can only be used when there is related modal state present.");
    } else if (!run.answers && open) {
        response.add_error("Error: Tool \"" + run.name + "\" does not handle the modal state.");
    } else {
        co_await handler(*tab, response);
    }
}

// What is lent can be looked at, listed and left.
std::optional<Error> refuse_change(const Session& session, const BrowserToolRun& run) {
    std::shared_ptr<Tab> tab = session.current_tab();
    bool changes =
        run.effect == Effect::ChangesPage && run.name != "browser_tabs" && run.name != "browser_close";
    if (!changes || !tab || !tab->is_read_only()) return std::nullopt;
    return session::borrowed(*tab);
}

ToolResult failed(Session& session, const BrowserToolRun& run, const Error& error) {
    return run.structured ? failed_as_json(session, error) : tools::failed(session, error);
}

}  // namespace

Task<ToolResult> run_on_session(Sessions sessions, BrowserToolRun run, Call call,
                                std::function<Task<>(Session&, Response&)> handler) {
    std::shared_ptr<Session> session = co_await sessions(call.client.caller());
    session::Turn turn = co_await session->take_turn(call.deadline);
    struct Settling {
        Session& session;
        ~Settling() { session.settle(); }
    } settling{*session};
    co_await learn_roots(*session, call.client);
    // Whoever closes it has no use for its pages.
    if (session->life() != Session::Life::Awake && run.name != "browser_close") {
        auto awake = co_await as_result(session->wake());
        if (!awake) co_return failed(*session, run, awake.error());
    }
    if (session->options().auto_assign_tab) {
        auto assigned = co_await as_result(session->assign_tab());
        if (!assigned) co_return failed(*session, run, assigned.error());
    }
    if (const std::string& tab = call.client.caller().tab_id; !tab.empty()) {
        auto used = co_await as_result(session->use_tab(tab));
        if (!used) co_return failed(*session, run, used.error());
    }
    if (auto refusal = refuse_change(*session, run)) co_return failed(*session, run, *refusal);
    session::PageWatch watch(session);
    auto result = co_await as_result(watch.run(with_deadline(
        session->loop(), handle(*session, run, call.arguments, handler), session->deadline(), "The call")));
    if (!result && result.error().code == ErrorCode::Timeout) co_await watch.look_again();
    if (watch.found()) co_return failed(*session, run, *watch.found());
    if (result) co_return std::move(*result);
    // The dispatcher logs what is our own fault.
    if (result.error().code == ErrorCode::InternalError) co_await result.error();
    co_return failed(*session, run, result.error());
}

Task<ToolResult> run_on_tab(Sessions sessions, BrowserToolRun run, Call call,
                            std::function<Task<>(Tab&, Response&)> handler) {
    return run_on_session(std::move(sessions), run, call,
                          [run, handler](Session& session, Response& response) {
                              return handle_tab(session, run, response, handler);
                          });
}

}  // namespace tools
