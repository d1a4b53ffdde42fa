#include "session/har.h"

#include <fcntl.h>
#include <unistd.h>

#include "session/real_path.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"
#include "util/time_text.h"

namespace session {
namespace {

constexpr std::chrono::seconds kBodyTimeout{5};
constexpr std::size_t kMaxUnderWay = 64;  // bodies that are read at once
constexpr std::string_view kEnd = "\n]}}\n";

std::string iso_time(std::chrono::system_clock::time_point time) {
    return utc_text(std::chrono::floor<std::chrono::milliseconds>(time));
}

json::array headers_of(const std::vector<std::pair<std::string, std::string>>& headers) {
    json::array list;
    for (const auto& [name, value] : headers) list.push_back(json::object{{"name", name}, {"value", value}});
    return list;
}

std::string header(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view name) {
    for (const auto& [each, value] : headers) {
        if (to_lower(each) == name) return value;
    }
    return {};
}

json::array query_of(std::string_view url) {
    json::array list;
    std::size_t mark = url.find('?');
    if (mark == std::string_view::npos) return list;
    for (const std::string& part : split(url.substr(mark + 1, url.find('#') - mark - 1), '&')) {
        std::size_t equals = part.find('=');
        if (part.empty()) continue;
        std::string value = equals == std::string::npos ? "" : percent_decode(part.substr(equals + 1));
        list.push_back(json::object{{"name", percent_decode(part.substr(0, equals))}, {"value", value}});
    }
    return list;
}

json::object request_of(const engine::RequestEntry& request) {
    json::object described{{"method", request.method},
                           {"url", request.url},
                           {"httpVersion", "HTTP/1.1"},
                           {"cookies", json::array()},
                           {"headers", headers_of(request.request_headers)},
                           {"queryString", query_of(request.url)},
                           {"headersSize", -1},
                           {"bodySize", static_cast<std::int64_t>(request.post_data.size())}};
    if (!request.post_data.empty())
        described["postData"] = json::object{{"mimeType", header(request.request_headers, "content-type")},
                                             {"params", json::array()},
                                             {"text", request.post_data}};
    return described;
}

json::object response_of(const engine::RequestEntry& request, json::object content) {
    json::object described{{"status", request.status.value_or(-1)},
                           {"statusText", request.status_text},
                           {"httpVersion", "HTTP/1.1"},
                           {"cookies", json::array()},
                           {"headers", headers_of(request.response_headers)},
                           {"content", std::move(content)},
                           {"headersSize", -1},
                           {"bodySize", -1},
                           {"redirectURL", header(request.response_headers, "location")}};
    if (!request.failure.empty()) described["_failureText"] = request.failure;
    return described;
}

}  // namespace

Result<std::shared_ptr<Har>> Har::create(Loop& loop, const RecordHar& options, Redaction redaction) {
    engine::Glob filter = TRY(engine::Glob::create(options.url_filter.empty() ? "**" : options.url_filter));
    std::shared_ptr<Har> har(new Har(loop, options, std::move(redaction), std::move(filter)));
    TRY(har->open());
    return har;
}

Result<void> Har::open() {
    file_ = options_.file;
    if (std::size_t before = (*options_.files)++; before > 0)
        file_.replace_filename(file_.stem().string() + "-" + std::to_string(before) +
                               file_.extension().string());
    std::filesystem::path directory = TRY(real_path(file_.parent_path()));
    TRY(make_directories_without_links(directory, 0777));
    output_ = TRY(open_without_links(directory / file_.filename(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    json::object creator{{"name", "Troupe"}, {"version", options_.creator_version}};
    std::string head =
        R"({"log":{"version":"1.2","creator":)" + json::serialize(creator) + R"(,"pages":[],"entries":[)";
    if (::pwrite(output_.get(), (head + std::string(kEnd)).data(), head.size() + kEnd.size(), 0) < 0)
        return Error{.code = ErrorCode::InternalError, .message = "Cannot write " + file_.string() + "."};
    end_ = static_cast<std::int64_t>(head.size());
    return ok();
}

void Har::watch(const std::shared_ptr<engine::Page>& page) {
    if (watched_.contains(page->id())) return;
    std::weak_ptr<Har> weak = weak_from_this();
    watched_[page->id()] =
        page->watch_requests([weak, tab = std::weak_ptr(page)](const engine::RequestEntry& request) {
            auto self = weak.lock();
            auto page = tab.lock();
            if (self && page) self->take(page, request);
        });
}

void Har::take(const std::shared_ptr<engine::Page>& page, const engine::RequestEntry& request) {
    if (!filter_.matches(request.url)) return;
    std::erase_if(keeping_, [](const Running& each) { return each.done(); });
    ++under_way_;
    std::weak_ptr<Har> weak = weak_from_this();
    Running keeping =
        start(keep(*this, page, request, std::chrono::system_clock::now()), [weak](Result<void>) {
            auto self = weak.lock();
            if (!self || --self->under_way_ > 0) return;
            for (const auto& waiter : std::exchange(self->waiting_, {})) waiter.set(true);
        });
    if (!keeping.done()) keeping_.push_back(std::move(keeping));
}

Task<json::object> Har::content_of(std::shared_ptr<engine::Page> page, engine::RequestEntry request) {
    json::object content{{"size", -1}, {"mimeType", request.mime_type}};
    bool has_none =
        request.redirected || !request.failure.empty() || !request.status || under_way_ > kMaxUnderWay;
    if (options_.content == RecordHar::Content::Omit || has_none) co_return content;
    auto body = co_await as_result(page->response_body(request, Deadline::in(kBodyTimeout)));
    if (!body) co_return content;
    content["size"] = static_cast<std::int64_t>(body->bytes.size());
    body->bytes = redaction_.body(std::move(body->bytes));
    if (options_.content == RecordHar::Content::Attach) {
        std::string name = hex_encode(sha256(body->bytes)).substr(0, 40) + (body->is_text ? ".txt" : ".dat");
        if (write_file(file_.parent_path() / name, body->bytes)) content["_file"] = name;
    } else if (body->is_text) {
        content["text"] = body->bytes;
    } else {
        content["text"] = base64_encode(body->bytes);
        content["encoding"] = "base64";
    }
    co_return content;
}

Task<> Har::keep(Har& har, std::shared_ptr<engine::Page> page, engine::RequestEntry request,
                 std::chrono::system_clock::time_point ended) {
    json::object content = co_await har.content_of(page, request);
    // The headers that were really sent may have come meanwhile.
    for (const engine::RequestEntry& known : page->requests()) {
        if (known.id == request.id && known.url == request.url) request = known;
    }
    double duration = request.duration ? static_cast<double>(request.duration->count()) : 0;
    auto started = ended - request.duration.value_or(std::chrono::milliseconds(0));
    har.write({{"startedDateTime", iso_time(started)},
               {"time", duration},
               {"request", request_of(request)},
               {"response", response_of(request, std::move(content))},
               {"cache", json::object()},
               {"timings", json::object{{"send", 0}, {"wait", duration}, {"receive", 0}}},
               {"_resourceType", request.resource_type},
               {"_page", page->id()}});
}

void Har::write(json::object entry) {
    std::string text = (is_empty_ ? "\n" : ",\n") + json::serialize(redaction_.entry(std::move(entry)));
    std::string line = text + std::string(kEnd);
    // A full disk loses the entry and keeps the earlier ones.
    if (::pwrite(output_.get(), line.data(), line.size(), end_) != static_cast<ssize_t>(line.size())) {
        (void)::pwrite(output_.get(), kEnd.data(), kEnd.size(), end_);
        (void)::ftruncate(output_.get(), end_ + static_cast<std::int64_t>(kEnd.size()));
        return;
    }
    end_ += static_cast<std::int64_t>(text.size());
    is_empty_ = false;
}

Task<> Har::until_idle() {
    if (under_way_ == 0) co_return;
    Completion<bool> idle(loop_);
    waiting_.push_back(idle);
    co_await idle;
}

Task<> Har::finish(Deadline deadline) {
    co_await with_deadline(loop_, until_idle(), deadline, "Finishing the HAR file");
}

}  // namespace session
