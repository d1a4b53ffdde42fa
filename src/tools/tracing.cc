#include "session/trace.h"
#include "tools/browser_tools.h"

namespace tools {
namespace {

using session::Trace;

void add_links(const Session& session, const Trace& trace, std::string_view title, Response& response) {
    auto link = [&](std::string_view name, const std::string& file) {
        response.add_text("- [" + std::string(name) + "](" +
                          session.workspace().printable(trace.directory() / file) + ")");
    };
    link(title, trace.name() + ".trace");
    link("Network log", trace.name() + ".network");
    link("Resources", "resources");
}

Task<> start_tracing(Session& session, schema::NoParams, Response& response) {
    co_await session.ensure_browser();
    if (session.trace())
        co_await Error{.code = ErrorCode::InvalidArgument, .message = "Tracing has been already started"};
    auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(session.options().now().time_since_epoch());
    session.set_trace(co_await Trace::create(session, session.workspace().output_dir() / "traces",
                                             "trace-" + std::to_string(now.count())));
    response.add_text("Trace recording started");
    add_links(session, *session.trace(), "Action log", response);
}

Task<> stop_tracing(Session& session, schema::NoParams, Response& response) {
    std::shared_ptr<Trace> trace = session.trace();
    if (!trace) co_await Error{.code = ErrorCode::InvalidArgument, .message = "Tracing is not started"};
    session.set_trace(nullptr);
    response.add_text("Trace recording stopped.");
    add_links(session, *trace, "Trace", response);
}

}  // namespace

std::vector<Tool> tracing_tools(const SessionResolver& sessions) {
    return {
        session_tool<schema::NoParams>(
            sessions,
            {
                .name = "browser_start_tracing",
                .title = "Start tracing",
                .description =
                    "Record every call with pictures, documents and requests, for Playwright's trace viewer.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .handler = start_tracing,
            }),
        session_tool<schema::NoParams>(sessions,
                                       {
                                           .name = "browser_stop_tracing",
                                           .title = "Stop tracing",
                                           .description = "End the trace and say where its files are.",
                                           .effect = Effect::ReadsPage,
                                           .capability = "devtools",
                                           .handler = stop_tracing,
                                       }),
    };
}

}  // namespace tools
