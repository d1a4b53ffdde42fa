#include "cli/export.h"

#include "cli/javascript.h"
#include "cli/playwright_test.h"
#include "record/request_status.h"
#include "store/time_text.h"
#include "tools/source_text.h"
#include "util/json.h"

namespace cli {
namespace {

std::string line_of(std::string_view code) { return indented(code) + "\n"; }

json::object to_entry(const json::object& request, const std::string& began) {
    auto text = [&](std::string_view key) {
        return std::string(json::find_string(request, key).value_or(""));
    };
    std::int64_t milliseconds = json::find_integer(request, "milliseconds").value_or(0);
    json::array none;
    json::object response{
        {"status", json::find_integer(request, "status").value_or(0)},
        {"statusText", json::find_string(request, "statusText").value_or(record::kUsualStatus)},
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
        // The start of each request is not recorded; it was during the call.
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
    TestWriter writer(recorded.calls);
    for (const store::Call& call : recorded.calls) TRY(writer.add(call));
    std::vector<std::string> lines = writer.finish();
    if (lines.empty()) {
        return Error{
            .code = ErrorCode::NotFound,
            .message = "No call of session " + recorded.session_id + " has code to export.",
            .hint = "Its calls only read pages or failed: see troupe history list --session " +
                    recorded.session_id +
                    ". With --codegen none, answers have no code, and most calls cannot be exported."};
    }
    std::string variables;
    for (const std::string& name : writer.variables())
        variables += (variables.empty() ? "" : ", ") + tools::quote(name);
    std::string body;
    if (!variables.empty()) {
        body += line_of("for (const name of [" + variables +
                        "])\n"
                        "  if (!process.env[name]) throw new Error(`Set ${name} in the environment.`);");
    }
    body += line_of("test.setTimeout(" + std::to_string(30'000 + 5'000 * lines.size()) + ");");
    for (const std::string& line : lines) body += line_of(line);
    std::string title;
    json::append_string(title, "session " + recorded.session_id);
    return "// Recorded by Troupe, " + store::to_text(recorded.calls.front().summary.timestamp) +
           ".\nimport { test, expect } from '@playwright/test';\n\ntest(" + title + ", async ({ page" +
           (writer.uses_context() ? ", context" : "") + " }) => {\n" + body + "});\n";
}

}  // namespace cli
