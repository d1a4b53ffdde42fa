#include "tools/page_tool.h"

#include "session/page_watch.h"
#include "session/tab_desk.h"
#include "session/trace.h"
#include "tools/roots.h"
#include "tools/typed_arguments.h"

namespace tools {
namespace {

// What may be written down of a call's arguments, after it.
json::value concealed(const Session& session, const std::string& tool, json::value arguments) {
    session::TypedPasswords passwords = *session.passwords();
    return without_passwords(tool, std::move(arguments), passwords);
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

// What a call has while it runs.
struct Stage {
    session::Turn turn;
    std::shared_ptr<Tab> tab;  // that the call has to itself; null: it has the whole session
};

// One tab where that will do: calls in other tabs run beside it then.
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
    // A browser that went by itself is closed as well.
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

// What is lent can be looked at, listed and left.
std::optional<Error> refuse_change(const std::shared_ptr<Tab>& tab, const BrowserToolRun& run) {
    if (!may_change(run) || !tab || !tab->is_read_only()) return std::nullopt;
    return session::borrowed(*tab);
}

ToolResult failed(Session& session, const BrowserToolRun& run, const Error& error,
                  const std::shared_ptr<Tab>& acting = nullptr) {
    return run.structured ? failed_as_json(session, error, acting)
                          : tools::failed(session, error, acting.get());
}

// What a call needs that has the whole session: a browser, and the tab that it named.
Task<> prepare(Session& session, const BrowserToolRun& run, const Caller& caller) {
    // Whoever closes it has no use for its pages.
    if (run.name != "browser_close") co_await session.wake();
    if (session.options().auto_assign_tab) co_await session.assign_tab();
    if (!caller.tab_id.empty()) co_await session.use_tab(caller.tab_id);
}

}  // namespace

Task<ToolResult> run_on_session(Sessions sessions, BrowserToolRun run, Call call,
                                std::function<Task<>(Session&, Response&)> handler) {
    std::shared_ptr<Session> session = co_await sessions(call.client.caller());
    co_await session->workspace().admit(call.client.caller().same_user);
    call.client.enter({.what = "the calls before it in its session"});
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
            session.settle();
        }
    } ending{*session, own};
    auto progress = std::make_shared<session::CallProgress>(
        [&client = call.client](const std::string& what, Deadline limit) {
            client.enter({.what = what, .limit = limit});
        });
    if (own)
        own->follow(progress);
    else
        session->follow(progress);
    if (!own) {
        progress->begin("the client's roots", Deadline::never());
        co_await learn_roots(*session, call.client);
        progress->begin_tool();
        auto prepared = co_await as_result(prepare(*session, run, call.client.caller()));
        if (!prepared) co_return failed(*session, run, prepared.error());
    }
    std::shared_ptr<Tab> tab = own ? own : session->current_tab();
    if (auto refusal = refuse_change(tab, run)) co_return failed(*session, run, *refusal, own);
    progress->begin_tool();
    session::PageWatch watch(session, own);
    Deadline deadline = own ? own->call_deadline() : session->call_deadline();
    auto result = co_await as_result(watch.run(with_deadline(
        session->loop(), handle(*session, run, call.arguments, own, handler), deadline, "The call")));
    if (!result && result.error().code == ErrorCode::Timeout) co_await watch.look_again();
    if (watch.found()) co_return failed(*session, run, *watch.found(), own);
    // What the browser's death met is no success, and its reason is that, whatever the handler made of it. Of
    // a tab that crashed behind a success, an answer in text tells; one in JSON has no place for it.
    const auto& loss = watch.loss();
    bool succeeded = result && !result->is_error;
    bool tells = !result && result.error().code == ErrorCode::BrowserCrashed;
    if (loss && !tells && (!succeeded || loss->whole_browser || run.structured))
        co_return failed(*session, run, loss->error, own);
    if (result && !result->is_error && tab && may_change(run)) session->note_change(*tab);
    if (result) co_return std::move(*result);
    // The dispatcher logs what is our own fault.
    if (result.error().code == ErrorCode::InternalError) co_await result.error();
    co_return failed(*session, run, result.error(), own);
}

Task<ToolResult> run_on_tab(Sessions sessions, BrowserToolRun run, Call call,
                            std::function<Task<>(Tab&, Response&)> handler) {
    return run_on_session(std::move(sessions), run, call, [run, handler](Session&, Response& response) {
        return handle_tab(run, response, handler);
    });
}

}  // namespace tools
