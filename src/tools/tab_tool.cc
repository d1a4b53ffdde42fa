#include "tools/tab_tool.h"

#include "session/page_watch.h"
#include "session/tab_sharing.h"
#include "session/trace.h"
#include "tools/progress_reporter.h"
#include "tools/roots.h"
#include "tools/typed_arguments.h"

namespace tools {
namespace {

// The arguments of a completed call as they may be recorded.
json::value concealed(const Session& session, const std::string& tool, json::value arguments) {
    session::TypedPasswords passwords = *session.passwords();
    arguments = without_passwords(tool, std::move(arguments), passwords);
    return passwords.redactor().redact_all(std::move(arguments));
}

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
    log->add(tool, session.secrets().redact_all(concealed(session, tool, arguments)), text, result.is_error,
             images, session.workspace(), session.passwords()->redactor());
}

session::Trace::Conceal conceal_for(const Session& session, const std::string& tool) {
    if (!types_text(tool)) return {};
    return [&session, tool](json::value arguments) { return concealed(session, tool, std::move(arguments)); };
}

// The locks that a call holds while it runs.
struct Stage {
    session::Turn turn;
    std::shared_ptr<Tab> tab;  // the tab that the call locks; null: it locks the whole session
};

// Locks one tab when that suffices, so that calls in other tabs run concurrently.
Task<Stage> take_stage(std::shared_ptr<Session> session, Scope scope, std::string named, Deadline deadline) {
    if (scope == Scope::Tab && !named.empty()) {
        if (std::shared_ptr<Tab> tab = session->free_standing_tab(named)) {
            std::optional<session::Turn> turn = co_await session->take_tab_turn(tab, deadline);
            if (turn) co_return Stage{std::move(*turn), std::move(tab)};
        }
    }
    session::Turn turn = co_await session->take_turn(deadline);
    co_return Stage{std::move(turn), nullptr};
}

Task<ToolResult> handle(Session& session, const BrowserToolRun& run, const json::value& arguments,
                        std::shared_ptr<Tab> acting,
                        const std::function<Task<>(Session&, Response&)>& handler) {
    Response response(session, arguments, std::move(acting));
    if (run.name == session.options().stuck_tool) (void)co_await Completion<bool>(session.loop());
    // A copy: the call may end the trace.
    if (std::shared_ptr<session::Trace> trace = session.trace())
        co_await session::Trace::record(trace, run.name, arguments, handler(session, response),
                                        conceal_for(session, run.name));
    else
        co_await handler(session, response);
    ToolResult result = co_await response.finish();
    keep_record(session, run.name, arguments, result);
    // A browser that exited by itself counts as closed.
    if (response.closes_browser()) (void)co_await as_result(session.close());
    co_return result;
}

Task<> handle_tab(const BrowserToolRun& run, Response& response,
                  const std::function<Task<>(Tab&, Response&)>& handler) {
    std::shared_ptr<Tab> tab = co_await response.ensure_tab();
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

bool may_change(const BrowserToolRun& run) {
    return run.effect == Effect::ChangesPage && run.name != "browser_tabs" && run.name != "browser_close";
}

// A read-only tab can be read, listed and left.
std::optional<Error> refuse_change(const std::shared_ptr<Tab>& tab, const BrowserToolRun& run) {
    if (!may_change(run) || !tab || !tab->is_read_only()) return std::nullopt;
    return session::read_only_error(*tab);
}

ToolResult failed(Session& session, const BrowserToolRun& run, const Error& error,
                  const std::shared_ptr<Tab>& acting = nullptr) {
    return run.structured ? failed_as_json(session, error, acting)
                          : tools::failed(session, error, acting.get());
}

// An answer should not be later than this after the call's deadline.
constexpr std::chrono::seconds kLateAnswer{3};

Deadline look_limit(Deadline call) {
    Deadline limit = Deadline::in(session::PageWatch::kLookLimit);
    return call.is_never() ? limit : limit.earlier(Deadline(call.at() + kLateAnswer));
}

// Prepares a call that has the whole session: starts the browser, and selects the tab that the call named.
Task<> prepare(Session& session, const BrowserToolRun& run, const Caller& caller) {
    // Closing the browser does not need its pages.
    if (run.name != "browser_close") co_await session.wake();
    if (session.options().auto_assign_tab) co_await session.assign_tab();
    if (!caller.tab_id.empty()) co_await session.use_tab(caller.tab_id);
}

}  // namespace

Task<ToolResult> run_on_session(SessionResolver sessions, BrowserToolRun run, Call call,
                                std::function<Task<>(Session&, Response&)> handler) {
    std::shared_ptr<Session> session = co_await sessions(call.client.caller());
    co_await session->workspace().admit(call.client.caller().same_user);
    call.client.enter({.what = "the calls before it in its session"});
    auto reporter = std::make_shared<ProgressReporter>(session->loop(), call.client);
    if (std::size_t before = session->calls(); before > 0)
        reporter->report("waiting for the calls before it in its session: " + std::to_string(before));
    Stage stage = co_await take_stage(session, run.scope, call.client.caller().tab_id, call.deadline);
    const std::shared_ptr<Tab>& own = stage.tab;
    struct Ending {
        Session& session;
        const std::shared_ptr<Tab>& tab;
        ~Ending() {
            if (tab)
                tab->end_call();
            else
                session.follow(nullptr);
            session.finish_opening();
        }
    } ending{*session, own};
    auto progress = std::make_shared<session::CallProgress>(
        [&client = call.client](const std::string& what, Deadline limit) {
            client.enter({.what = what, .limit = limit});
        },
        call.client.wants_progress() ? [reporter](const std::string& step) { reporter->report(step); }
                                     : session::CallProgress::Note());
    if (own)
        own->follow(progress);
    else
        session->follow(progress);
    if (!own) {
        if (!session->knows_roots()) progress->begin("the client's roots", Deadline::never());
        co_await learn_roots(*session, call.client);
        progress->begin_tool();
        auto prepared = co_await as_result(prepare(*session, run, call.client.caller()));
        if (!prepared) co_return failed(*session, run, prepared.error());
    }
    std::shared_ptr<Tab> tab = own ? own : session->current_tab();
    if (auto refusal = refuse_change(tab, run)) co_return failed(*session, run, *refusal, own);
    progress->begin_tool();
    progress->note("the tool is running");
    session::PageWatch watch(session, own);
    Deadline deadline = own ? own->call_deadline() : session->call_deadline();
    auto result = co_await as_result(watch.run(with_deadline(
        session->loop(), handle(*session, run, call.arguments, own, handler), deadline, "The call")));
    if (!result && result.error().code == ErrorCode::Timeout) {
        Deadline limit = look_limit(call.deadline);
        progress->begin("the page to answer", limit);
        co_await watch.look_again(limit);
    }
    if (watch.found()) co_return failed(*session, run, *watch.found(), own);
    // A call that met the browser's death fails with that reason, whatever the handler returned. After a
    // success whose tab crashed, an answer in text reports the crash; one in JSON has no place for it.
    const auto& loss = watch.loss();
    bool succeeded = result && !result->is_error;
    bool reports_crash = !result && result.error().code == ErrorCode::BrowserCrashed;
    if (loss && !reports_crash && (!succeeded || loss->whole_browser || run.structured)) {
        watch.restore_notes();
        co_return failed(*session, run, loss->error, own);
    }
    if (result && !result->is_error && tab && may_change(run)) {
        session->note_change(*tab);
        // Typing does not change the document, so no event reports it.
        session->notify_tab_event(*tab, session::TabEvent::Changed);
    }
    if (result) co_return std::move(*result);
    // The dispatcher logs internal errors.
    if (result.error().code == ErrorCode::InternalError) co_await result.error();
    co_return failed(*session, run, result.error(), own);
}

Task<ToolResult> run_on_tab(SessionResolver sessions, BrowserToolRun run, Call call,
                            std::function<Task<>(Tab&, Response&)> handler) {
    return run_on_session(std::move(sessions), run, call, [run, handler](Session&, Response& response) {
        return handle_tab(run, response, handler);
    });
}

}  // namespace tools
