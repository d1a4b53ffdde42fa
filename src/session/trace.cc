#include "session/trace.h"

#include "session/session.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr engine::Size kMaxPictureSize{800, 800};
// A page that does not answer is left out rather than waited for.
constexpr std::chrono::milliseconds kTimeout = 2s;

// 2026-11-15T17:19:14.464Z
std::string iso_time(std::chrono::system_clock::time_point time) {
    std::string text = file_stamp(time);
    text[13] = text[16] = ':';
    text[19] = '.';
    return text;
}

std::string page_name(const engine::Page& page) { return "page@" + to_lower(page.id()); }
// The name of its main frame, as document_trees has it.
std::string frame_name(const engine::Page& page) { return "frame@" + to_lower(page.id()); }

json::array to_json(const std::vector<std::pair<std::string, std::string>>& headers) {
    json::array list;
    for (const auto& [name, value] : headers) list.push_back(json::object{{"name", name}, {"value", value}});
    return list;
}

// Whether the viewer needs the body to show the document, or the page's scripts asked for it.
bool has_body_in_trace(const engine::RequestEntry& request) {
    for (std::string_view type : {"document", "stylesheet", "image", "font", "fetch", "xhr"}) {
        if (request.resource_type == type) return true;
    }
    return false;
}

// The sent data; secrets are removed when it is written.
json::object to_post_data(const engine::RequestEntry& request) {
    std::string type = "application/octet-stream";
    for (const auto& [name, value] : request.request_headers) {
        if (equals_ignoring_case(name, "content-type")) type = value;
    }
    return {{"mimeType", type}, {"text", well_formed(request.post_data)}, {"params", json::array()}};
}

std::string extension_of(const std::string& mime_type) {
    std::string_view subtype = std::string_view(mime_type).substr(mime_type.find('/') + 1);
    std::string letters;
    for (char c : subtype.substr(0, subtype.find('+'))) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
    }
    return letters.empty() ? "dat" : letters;
}

}  // namespace

Trace::Trace(Session& session, std::filesystem::path directory, std::string name)
    : session_(session), directory_(std::move(directory)), name_(std::move(name)) {}

Result<std::shared_ptr<Trace>> Trace::create(Session& session, std::filesystem::path directory,
                                             std::string name) {
    std::shared_ptr<Trace> trace(new Trace(session, std::move(directory), std::move(name)));
    TRY(trace->begin());
    return trace;
}

Result<void> Trace::begin() {
    const Workspace& files = session_.workspace();
    for (std::string_view folder : {"resources", "screencast"})
        TRY(files.make_directory(directory_ / folder));
    TRY(files.write(directory_ / (name_ + ".network"), ""));
    TRY(files.write(directory_ / (name_ + ".stacks"), R"({"files":[],"stacks":[]})"));
    json::object options{{"version", 10},
                         {"type", "context-options"},
                         {"origin", "library"},
                         {"browserName", "chromium"},
                         {"options", json::object()},
                         {"platform", "linux"},
                         {"wallTime", wall_time()},
                         {"monotonicTime", now()},
                         {"sdkLanguage", "javascript"}};
    TRY(files.write(directory_ / (name_ + ".trace"), json::serialize(options) + "\n"));
    watch_tabs();
    return ok();
}

double Trace::now() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started_).count();
}

std::int64_t Trace::wall_time() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(session_.options().now().time_since_epoch())
        .count();
}

void Trace::write(std::string_view extension, json::object event) {
    json::value clean = session_.passwords()->redactor().redact_all(std::move(event));
    std::string line = json::serialize(session_.secrets().redact_all(std::move(clean))) + "\n";
    (void)session_.workspace().append(directory_ / (name_ + std::string(extension)), line);
}

void Trace::watch_tabs() {
    for (const auto& tab : session_.tabs()) {
        std::string page = page_name(tab->page());
        if (watched_.contains(page)) continue;
        write(".trace", {{"type", "event"},
                         {"time", now()},
                         {"class", "BrowserContext"},
                         {"method", "page"},
                         {"params", json::object{{"pageId", page}}}});
        std::weak_ptr<Trace> weak = weak_from_this();
        watched_[page] =
            tab->page().watch_screen(kMaxPictureSize, [weak, page](const engine::ScreenPicture& picture) {
                if (auto self = weak.lock()) self->take_picture(page, picture);
            });
    }
}

void Trace::take_picture(const std::string& page, const engine::ScreenPicture& picture) {
    std::string file = "screencast/" + page + "-" + std::to_string(wall_time()) + "-" +
                       std::to_string(++pictures_) + ".jpeg";
    if (!session_.workspace().write(directory_ / file, picture.jpeg)) return;
    write(".trace", {{"type", "screencast-frame"},
                     {"pageId", page},
                     {"file", file},
                     {"width", picture.size.width},
                     {"height", picture.size.height},
                     {"timestamp", now()},
                     {"frameSwapWallTime", wall_time()}});
}

Task<> Trace::add_document(std::shared_ptr<Tab> tab, std::string call, std::string phase) {
    if (!tab || tab->has_crashed() || !tab->modals().empty()) co_return;
    std::optional<json::array> trees;
    Deadline deadline = tab->deadline_in(kTimeout, "the trace");
    (void)co_await as_result(tab->until_modal(capture_into(tab->page().document_trees(deadline), trees)));
    if (!trees) co_return;
    for (const json::value& tree : *trees) {
        const json::object& document = tree.as_object();
        json::object snapshot{{"callId", call},
                              {"phase", phase},
                              {"pageId", page_name(tab->page())},
                              {"frameId", document.at("frame")},
                              {"frameUrl", document.at("url")},
                              {"html", document.at("html")},
                              {"viewport", document.at("viewport")},
                              {"timestamp", now()},
                              {"wallTime", wall_time()},
                              {"collectionTime", 0},
                              {"resourceOverrides", json::array()},
                              {"isMainFrame", document.at("frame").as_string() == frame_name(tab->page())}};
        if (document.at("doctype").is_string()) snapshot["doctype"] = document.at("doctype");
        write(".trace", {{"type", "frame-snapshot"}, {"snapshot", std::move(snapshot)}});
    }
}

Task<Trace::KeptBody> Trace::keep_body(std::shared_ptr<Tab> tab, engine::RequestEntry request) {
    if (!has_body_in_trace(request) || !request.failure.empty() || request.redirected) co_return KeptBody();
    Deadline deadline = tab->deadline_in(kTimeout, "the trace");
    auto body = co_await as_result(tab->page().response_body(request, deadline));
    if (!body) co_return KeptBody();
    std::string clean = session_.passwords()->redactor().redact_bytes(std::move(body->bytes));
    body->bytes = session_.secrets().redactor().redact_bytes(std::move(clean));
    std::string file =
        "resources/" + hex_encode(sha256(body->bytes)).substr(0, 40) + "." + extension_of(body->mime_type);
    if (!session_.workspace().write(directory_ / file, body->bytes)) co_return KeptBody();
    co_return KeptBody{file, static_cast<std::int64_t>(body->bytes.size())};
}

Task<> Trace::add_requests(std::shared_ptr<Tab> tab) {
    std::string page = page_name(tab->page());
    // A copy: the list may grow while bodies are read.
    for (const engine::RequestEntry& request : std::vector(tab->page().requests())) {
        if (!request.finished && request.failure.empty() && !request.redirected) continue;
        std::string key = page + " " + request.id + (request.redirected ? " " + request.url : "");
        if (!requests_.insert(key).second) continue;
        KeptBody body = co_await keep_body(tab, request);
        json::object content{{"size", body.size}, {"mimeType", request.mime_type}};
        if (!body.file.empty()) content["_file"] = body.file;
        json::object sent{{"method", request.method},
                          {"url", request.url},
                          {"httpVersion", "HTTP/1.1"},
                          {"cookies", json::array()},
                          {"headers", to_json(request.request_headers)},
                          {"queryString", json::array()},
                          {"headersSize", -1},
                          {"bodySize", -1}};
        if (!request.post_data.empty()) sent["postData"] = to_post_data(request);
        double duration = request.duration ? static_cast<double>(request.duration->count()) : -1;
        write(".network",
              {{"type", "resource-snapshot"},
               {"snapshot",
                json::object{{"pageref", page},
                             {"startedDateTime", iso_time(session_.options().now())},
                             {"time", duration},
                             {"request", std::move(sent)},
                             {"response", json::object{{"status", request.status.value_or(-1)},
                                                       {"statusText", request.status_text},
                                                       {"httpVersion", "HTTP/1.1"},
                                                       {"cookies", json::array()},
                                                       {"headers", to_json(request.response_headers)},
                                                       {"content", std::move(content)},
                                                       {"headersSize", -1},
                                                       {"bodySize", body.size},
                                                       {"redirectURL", ""},
                                                       {"_failureText", request.failure}}},
                             {"cache", json::object()},
                             {"timings", json::object{{"send", -1}, {"wait", duration}, {"receive", -1}}},
                             {"_frameref", frame_name(tab->page())},
                             {"_monotonicTime", now()},
                             {"_resourceType", request.resource_type}}}});
    }
}

void Trace::add_console(const Tab& tab) {
    std::string page = page_name(tab.page());
    const auto& entries = tab.page().console();
    std::size_t& written = console_[page];
    written = std::min(written, entries.size());
    for (; written < entries.size(); ++written) {
        const engine::ConsoleEntry& entry = entries[written];
        write(
            ".trace",
            {{"type", "console"},
             {"time", now()},
             {"pageId", page},
             {"messageType", entry.type},
             {"text", entry.text},
             {"args", json::array()},
             {"location",
              json::object{{"url", entry.url}, {"lineNumber", entry.line}, {"columnNumber", entry.column}}}});
    }
}

Task<> Trace::record(std::shared_ptr<Trace> trace, std::string tool, json::value arguments, Task<> call,
                     Conceal conceal) {
    Session& session = trace->session_;
    trace->watch_tabs();
    std::string id = "call@" + std::to_string(++trace->calls_);
    std::shared_ptr<Tab> before = session.current_tab();
    json::object begun{{"type", "before"}, {"callId", id},    {"startTime", trace->now()},
                       {"title", tool},    {"class", "Page"}, {"method", tool}};
    if (before) begun["pageId"] = page_name(before->page());
    auto write_begin = [&] {
        begun["params"] = std::move(arguments);
        trace->write(".trace", std::move(begun));
    };
    if (!conceal) write_begin();
    co_await trace->add_document(before, id, "before");

    auto result = co_await as_result(std::move(call));
    if (conceal) {
        arguments = conceal(std::move(arguments));
        write_begin();
    }

    json::object ended{{"type", "after"}, {"callId", id}, {"endTime", trace->now()}};
    if (!result) ended["error"] = json::object{{"message", result.error().message}, {"name", "Error"}};
    trace->write(".trace", std::move(ended));
    trace->watch_tabs();
    if (std::shared_ptr<Tab> after = session.current_tab()) {
        co_await trace->add_document(after, id, "after");
        co_await trace->add_requests(after);
        trace->add_console(*after);
    }
    co_await std::move(result);
}

}  // namespace session
