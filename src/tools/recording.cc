#include "session/user_recording.h"
#include "tools/browser_tools.h"
#include "tools/recording_code.h"
#include "util/strings.h"

namespace tools {
namespace {

using session::UserRecording;

// A page that does not answer within this time is left out.
constexpr std::chrono::seconds kTimeout{3};

Task<> start_recording(Session& session, schema::NoParams, Response& response) {
    auto tab = co_await session.ensure_tab();
    if (session.user_recording()) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "Recording is already in progress.",
                       .hint = "End it with browser_stop_recording."};
    }
    auto recording = std::make_shared<UserRecording>(session);
    for (const auto& each : session.tabs()) recording->watch(*each);
    session.set_user_recording(recording);
    (void)co_await as_result(recording->ready(session.deadline_in(kTimeout, "the recording")));
    // Sessions that share a window leave it as it is.
    if (!session.tabs_context()) co_await tab->page().bring_to_front(tab->action_deadline());
    response.add_text("Recording started. Call browser_stop_recording to retrieve the recorded actions.");
}

Task<> stop_recording(Session& session, schema::NoParams, Response& response) {
    std::shared_ptr<UserRecording> recording = session.user_recording();
    if (!recording) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "No recording in progress, use browser_start_recording to start one."};
    }
    session.set_user_recording(nullptr);
    auto recorded = co_await recording->stop(session.deadline_in(kTimeout, "the recording"));
    session::Codegen language = session.options().codegen;
    RecordedCode code = to_code(recorded.steps, language, session.secrets());
    if (code.lines.empty()) {
        response.add_text("Recording stopped. No actions were recorded.");
    } else {
        response.add_text("Recording stopped. Recorded actions:\n\n```" + std::string(fence_of(language)) +
                          "\n" + join(code.lines, "\n") + "\n```");
    }
    if (!code.variables.empty()) {
        response.add_text(
            "What was typed into password fields is not recorded. The code reads it from the "
            "environment: " +
            join(code.variables, ", ") + ".");
    }
    if (recorded.left_out > 0) {
        response.add_text("Not recorded: " + std::to_string(recorded.left_out) +
                          " more actions. Record less at a time.");
    }
    response.include_snapshot();
}

}  // namespace

std::vector<Tool> recording_tools(const SessionResolver& sessions) {
    return {
        session_tool<schema::NoParams>(
            sessions,
            {
                .name = "browser_start_recording",
                .title = "Start recording user actions",
                .description = "Record what the user does in the browser as Playwright code, for a flow that "
                               "the user wants to show. Call browser_stop_recording when the user is done.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .handler = start_recording,
            }),
        session_tool<schema::NoParams>(
            sessions,
            {
                .name = "browser_stop_recording",
                .title = "Stop recording user actions",
                .description = "End the recording and give what the user did as Playwright code.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .handler = stop_recording,
            }),
    };
}

}  // namespace tools
