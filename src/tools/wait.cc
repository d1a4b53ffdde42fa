#include <cmath>

#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

constexpr double kMaxSeconds = 30;
constexpr const char* kTime = "the time that it was given";

struct WaitParams {
    std::optional<double> time;
    std::optional<std::string> text;
    std::optional<std::string> text_gone;
};

// A text that has to appear or disappear.
struct Awaited {
    std::string text;
    bool visible = true;

    std::string state() const { return visible ? "visible" : "hidden"; }
};

Task<> wait_for_text(Tab& tab, Awaited awaited, session::Operation waiting, Deadline deadline) {
    waiting.log = "waiting for getByText(" + quote(awaited.text) + ").first() to be " + awaited.state();
    tab.note_step(waiting.log);
    co_await run_as(std::move(waiting), tab.page().wait_for_text(awaited.text, awaited.visible, deadline));
}

// Returns when the first one is met; an error of any of them ends the wait, too.
Task<> wait_for_first(Tab& tab, std::vector<Awaited> all, std::chrono::milliseconds limit,
                      std::optional<Awaited>& first) {
    Deadline deadline = limit.count() != 0 ? tab.deadline_in(limit, kTime) : tab.action_deadline();
    session::Operation waiting = tab.action("locator.waitFor");
    if (limit.count() != 0) waiting.limit = limit;
    Completion<Result<Awaited>> ended(tab.session().loop());
    std::vector<Running> running;
    for (const Awaited& each : all) {
        running.push_back(
            start(wait_for_text(tab, each, waiting, deadline), [ended, each](Result<void> result) {
                ended.set(result ? Result<Awaited>(each) : Result<Awaited>(std::move(result.error())));
            }));
    }
    first = co_await co_await ended;
}

Task<> wait_for_texts(Tab& tab, std::vector<Awaited> all, std::chrono::milliseconds limit,
                      Response& response) {
    std::optional<Awaited> first;
    if (!co_await tab.until_modal(wait_for_first(tab, std::move(all), limit, first))) co_return;
    response.add_code("await page.getByText(" + json::serialize(json::value(first->text)) +
                      ").first().waitFor({ state: '" + first->state() + "' });");
    response.add_text("Waited for " + first->text);
}

Task<> wait_for_time(Session& session, double requested, double seconds, std::chrono::milliseconds span,
                     Response& response) {
    response.add_code("await new Promise(f => setTimeout(f, " + to_javascript(seconds) + " * 1000));");
    std::shared_ptr<Tab> shown = response.tab();
    (void)(shown ? shown->deadline_in(span, kTime) : session.deadline_in(span, kTime));
    std::string step = "waiting " + to_javascript(seconds) + " seconds";
    if (shown)
        shown->note_step(step);
    else if (const session::CallProgress* progress = session.progress())
        progress->note(step);
    co_await sleep_for(session.loop(), span);
    std::string waited = "Waited for " + to_javascript(seconds) + " seconds";
    if (seconds != requested) {
        waited +=
            " (requested " + to_javascript(requested) + ", maximum is " + to_javascript(kMaxSeconds) + ")";
    }
    response.add_text(waited);
}

Task<> wait_for(Session& session, WaitParams params, Response& response) {
    double requested = params.time.value_or(0), seconds = std::min(requested, kMaxSeconds);
    std::chrono::milliseconds span(std::lround(std::max(seconds, 0.0) * 1000));
    std::vector<Awaited> awaited;
    if (!params.text.value_or("").empty()) awaited.push_back({*params.text, true});
    if (!params.text_gone.value_or("").empty()) awaited.push_back({*params.text_gone, false});
    if (awaited.empty() && seconds == 0) {
        co_await Error{.code = ErrorCode::MissingParameter,
                       .message = "Either time, text or textGone must be provided"};
    }
    if (awaited.empty()) co_await wait_for_time(session, requested, seconds, span, response);
    std::shared_ptr<Tab> tab = response.tab();
    if (!tab) co_await Error{.code = ErrorCode::NotFound, .message = "No open pages available."};
    if (!awaited.empty()) co_await wait_for_texts(*tab, std::move(awaited), span, response);
    response.include_snapshot();
}

}  // namespace

std::vector<Tool> wait_tools(const SessionResolver& sessions) {
    return {
        session_tool<WaitParams>(
            sessions,
            {
                .name = "browser_wait_for",
                .title = "Wait for",
                .description = "Wait until text appears or disappears (the first of both), or for some time.",
                .effect = Effect::ReadsPage,
                .scope = Scope::Tab,
                .params =
                    {
                        {"time", &WaitParams::time,
                         "Seconds to wait, at most 30. With text or textGone: for those."},
                        {"text", &WaitParams::text, "Text to wait for."},
                        {"textGone", &WaitParams::text_gone, "Text to wait for to disappear."},
                    },
                .handler = wait_for,
            }),
    };
}

}  // namespace tools
