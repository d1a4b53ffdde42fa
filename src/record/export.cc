#include "record/export.h"

#include "store/time_text.h"
#include "tools/history_text.h"
#include "util/json.h"

namespace record {
namespace {

constexpr std::string_view kSection = "### Ran Playwright code\n```";

struct Code {
    std::string language;
    std::string text;
};

// The code of an answer; empty when it shows none.
Code code_of(std::string_view answer) {
    std::size_t at = answer.find(kSection);
    if (at == answer.npos || (at > 0 && answer[at - 1] != '\n')) return {};
    std::string_view rest = answer.substr(at + kSection.size());
    std::size_t begin = rest.find('\n'), end = rest.find("\n```", begin);
    if (begin == rest.npos || end == rest.npos || end <= begin) return {};
    return {std::string(rest.substr(0, begin)), std::string(rest.substr(begin + 1, end - begin - 1))};
}

void append_indented(std::string& out, std::string_view code) {
    while (!code.empty()) {
        std::string_view line = code.substr(0, code.find('\n'));
        code.remove_prefix(std::min(line.size() + 1, code.size()));
        if (!line.empty()) out.append("  ").append(line);
        out += '\n';
    }
}

json::object to_entry(const json::object& request, const std::string& began) {
    auto text = [&](std::string_view key) {
        return std::string(json::find_string(request, key).value_or(""));
    };
    std::int64_t milliseconds = json::find_integer(request, "milliseconds").value_or(0);
    json::array none;
    json::object response{{"status", json::find_integer(request, "status").value_or(0)},
                          {"statusText", json::find_string(request, "statusText").value_or(kUsualStatus)},
                          {"httpVersion", "HTTP/1.1"},
                          {"cookies", none},
                          {"headers", none},
                          {"content", json::object{{"size", 0}, {"mimeType", text("mimeType")}}},
                          {"redirectURL", ""},
                          {"headersSize", -1},
                          {"bodySize", -1}};
    if (request.contains("failure")) response["_error"] = text("failure");
    return {{"startedDateTime", began},
            {"time", milliseconds},
            {"request", json::object{{"method", text("method")},
                                     {"url", text("url")},
                                     {"httpVersion", "HTTP/1.1"},
                                     {"cookies", none},
                                     {"headers", none},
                                     {"queryString", none},
                                     {"headersSize", -1},
                                     {"bodySize", -1}}},
            {"response", std::move(response)},
            {"cache", json::object{}},
            {"timings", json::object{{"send", 0}, {"wait", milliseconds}, {"receive", 0}}},
            {"_resourceType", text("type")}};
}

}  // namespace

Result<std::string> to_har(const Recorded& recorded) {
    json::array pages, entries;
    for (const store::Call& call : recorded.calls) {
        auto network = json::parse(call.network.empty() ? "[]" : call.network);
        const json::array* requests = network ? network->if_array() : nullptr;
        if (!requests || requests->empty()) continue;
        // When each began was not kept; it was during its call.
        std::string began = store::to_text(call.summary.timestamp);
        pages.push_back(json::object{
            {"startedDateTime", began},
            {"id", call.summary.ref_id},
            {"title", call.summary.page_title.empty() ? call.summary.page_url : call.summary.page_title},
            {"pageTimings", json::object{}}});
        for (const json::value& each : *requests) {
            if (!each.is_object()) continue;
            json::object entry = to_entry(each.as_object(), began);
            entry["pageref"] = call.summary.ref_id;
            entries.push_back(std::move(entry));
        }
    }
    json::object creator{{"name", "Troupe"}, {"version", TROUPE_VERSION}};
    return json::pretty(json::object{{"log", json::object{{"version", "1.2"},
                                                          {"creator", creator},
                                                          {"pages", std::move(pages)},
                                                          {"entries", std::move(entries)}}}}) +
           "\n";
}

Result<std::string> to_playwright_test(const Recorded& recorded) {
    std::string body;
    for (const store::Call& call : recorded.calls) {
        if (call.summary.status != store::Status::Success) continue;
        Code code = code_of(tools::result_text(call.result));
        if (code.text.empty()) continue;
        if (code.language != "js") {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "The session was recorded with code in " + code.language + ".",
                         .hint = "Only what was recorded with --codegen typescript becomes a test."};
        }
        append_indented(body, code.text);
    }
    if (body.empty()) {
        return Error{.code = ErrorCode::NotFound,
                     .message = "No call of session " + recorded.session_id + " has code to export.",
                     .hint = "Only what acted on a page has, and only unless --codegen none was given."};
    }
    std::string title;
    json::append_string(title, "session " + recorded.session_id);
    std::string began =
        recorded.calls.empty() ? "" : store::to_text(recorded.calls.front().summary.timestamp);
    return "// Recorded by Troupe, " + began +
           ".\nimport { test, expect } from '@playwright/test';\n\ntest(" + title +
           ", async ({ page }) => {\n" + body + "});\n";
}

}  // namespace record
