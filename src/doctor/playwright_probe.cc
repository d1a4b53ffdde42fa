#include "doctor/playwright_probe.h"

#include "doctor/process.h"
#include "engine/playwright/helper.h"
#include "util/json.h"

namespace doctor {
namespace {

std::string message_of(json::object content) {
    return json::serialize(json::object{{"troupe", std::move(content)}}) + '\0';
}

Result<std::string> read_answer(std::string_view text) {
    json::value message = TRY(json::parse(text));
    const json::object* answer = json::find_object(message.as_object(), "troupe");
    json::object found = answer ? *answer : json::object();
    if (auto error = json::find_string(found, "error"))
        return Error{.code = ErrorCode::NotFound, .message = std::string(*error)};
    return "playwright-core " + std::string(json::find_string(found, "version").value_or("")) + " in " +
           std::string(json::find_string(found, "folder").value_or(""));
}

}  // namespace

Result<std::string> probe_playwright(const PlaywrightProbe& probe) {
    if (probe.node.empty()) return Error{.code = ErrorCode::NotFound, .message = "Node.js is not installed"};
    Process process = TRY(Process::start({probe.node, {"-e", std::string(playwright::helper_script())}}));
    json::array folders{probe.directory.string()};
    process.send(
        message_of({{"setup", json::object{{"module", probe.module.string()}, {"folders", folders}}}}));
    process.send(message_of({{"id", 1}, {"ask", "find"}}));
    TimePoint deadline = std::chrono::steady_clock::now() + probe.limit;
    for (;;) {
        Process::Event event = process.wait(deadline);
        std::string_view answers = process.messages();
        if (std::size_t end = answers.find('\0'); end != answers.npos)
            return read_answer(answers.substr(0, end));
        if (event == Process::Event::Ended)
            return Error{.code = ErrorCode::NotFound,
                         .message = "Node.js ended with " + process.ending(),
                         .details = last_lines(process.errors(), 5)};
        if (event == Process::Event::TimedOut)
            return Error{.code = ErrorCode::Timeout, .message = "Node.js did not answer in time"};
    }
}

}  // namespace doctor
