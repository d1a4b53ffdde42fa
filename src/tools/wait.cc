#include <cmath>

#include "tools/catalog.h"
#include "tools/source_text.h"

namespace tools {
namespace {

constexpr double kMaxSeconds = 30;
constexpr const char* kTime = "the time that it was told to wait";

struct WaitParams {
    std::optional<double> time;
    std::optional<std::string> text;
    std::optional<std::string> text_gone;
};

// False when a dialog came in between.
Task<bool> wait_for_text(Tab& tab, const std::string& text, bool visible, Response& response) {
    std::string state = visible ? "visible" : "hidden";
    response.add_code("await page.getByText(" + json::serialize(json::value(text)) +
                      ").first().waitFor({ state: '" + state + "' });");
    session::Operation waiting = tab.action("locator.waitFor");
    waiting.log = "waiting for getByText(" + quote(text) + ").first() to be " + state;
    co_return co_await tab.run(waiting, tab.page().wait_for_text(text, visible, tab.action_deadline()));
}

std::string waited(const WaitParams& params, double seconds) {
    std::string text = params.text.value_or("").empty() ? params.text_gone.value_or("") : *params.text;
    if (!text.empty()) return "Waited for " + text;
    std::string waited = "Waited for " + to_javascript(seconds) + " seconds";
    if (seconds == params.time) return waited;
    return waited + " (requested " + to_javascript(*params.time) + ", maximum is " +
           to_javascript(kMaxSeconds) + ")";
}

Task<> wait_for(Session& session, WaitParams params, Response& response) {
    std::string text = params.text.value_or(""), gone = params.text_gone.value_or("");
    double seconds = std::min(params.time.value_or(0), kMaxSeconds);
    if (text.empty() && gone.empty() && seconds == 0) {
        co_await Error{.code = ErrorCode::MissingParameter,
                       .message = "Either time, text or textGone must be provided"};
    }
    if (seconds != 0) {
        response.add_code("await new Promise(f => setTimeout(f, " + to_javascript(seconds) + " * 1000));");
        std::chrono::milliseconds span(std::lround(std::max(seconds, 0.0) * 1000));
        std::shared_ptr<Tab> shown = response.tab();
        (void)(shown ? shown->deadline_in(span, kTime) : session.deadline_in(span, kTime));
        co_await sleep_for(session.loop(), span);
    }
    std::shared_ptr<Tab> tab = response.tab();
    if (!tab) co_await Error{.code = ErrorCode::NotFound, .message = "No open pages available."};
    bool done = true;
    if (!gone.empty()) done = co_await wait_for_text(*tab, gone, false, response);
    if (done && !text.empty()) done = co_await wait_for_text(*tab, text, true, response);
    if (done) response.add_text(waited(params, seconds));
    response.include_snapshot();
}

}  // namespace

std::vector<Tool> wait_tools(const Sessions& sessions) {
    return {
        session_tool<WaitParams>(
            sessions,
            {
                .name = "browser_wait_for",
                .title = "Wait for",
                .description = "Wait until text appears or disappears, or for some time.",
                .effect = Effect::ReadsPage,
                .scope = Scope::Tab,
                .params =
                    {
                        {"time", &WaitParams::time, "Seconds to wait, at most 30."},
                        {"text", &WaitParams::text, "Text to wait for."},
                        {"textGone", &WaitParams::text_gone, "Text to wait for to disappear."},
                    },
                .handler = wait_for,
            }),
    };
}

}  // namespace tools
