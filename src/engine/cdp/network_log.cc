#include "engine/cdp/network_log.h"

#include <algorithm>
#include <cmath>

#include "engine/cdp/batch.h"
#include "engine/cdp/fields.h"
#include "util/shorten.h"
#include "util/strings.h"

namespace cdp {
namespace {

constexpr std::size_t kMaxDetailed = 500;
constexpr std::size_t kMaxEntries = 10'000, kMaxEarlier = 1'000;
constexpr std::size_t kMaxPostData = 1 << 20;
// data: URLs are as long as their data.
constexpr std::size_t kMaxUrl = 256 << 10, kMaxOldUrl = 4 << 10;

std::string resource_type_of(std::string_view type) {
    static constexpr std::string_view kOthers[] = {"Prefetch", "SignedExchange", "Preflight", "FedCM", ""};
    if (type == "CSPViolationReport") return "cspreport";
    for (std::string_view other : kOthers) {
        if (type == other) return "other";
    }
    return to_lower(type);
}

std::string post_data_of(const json::object& request) {
    std::string data;
    const json::array* parts = json::find_array(request, "postDataEntries");
    for (const json::value& part : parts ? *parts : json::array()) {
        auto bytes = json::find_string(part.as_object(), "bytes");
        if (bytes) data += base64_decode(*bytes).value_or("");
    }
    if (data.size() > kMaxPostData) {
        std::size_t rest = data.size() - kMaxPostData;
        data.resize(kMaxPostData);
        data += "... (" + std::to_string(rest) + " more bytes)";
    }
    return data;
}

// Keeps only the fields that a list shows.
void forget_details(engine::RequestEntry& old) {
    old.request_headers = {};
    old.response_headers = {};
    old.post_data = {};
    old.url = shortened(std::move(old.url), kMaxOldUrl);
}

bool is_favicon(std::string_view url) { return url.ends_with("/favicon.ico"); }

Error no_body(const engine::RequestEntry& request, std::string details) {
    return {
        .code = ErrorCode::NotFound,
        .message = "The browser no longer has the body of " + request.url + ".",
        .hint = "Bodies go with their document, the largest and oldest first. Ask right after the request.",
        .details = std::move(details)};
}

// `session` is null when the request is no longer known.
Task<engine::Body> read_body(std::shared_ptr<Session> session, engine::RequestEntry request) {
    if (request.redirected) {
        co_await Error{.code = ErrorCode::NotFound,
                       .message = "Response body is unavailable for redirect responses",
                       .hint = "Ask for the request that it led to."};
    }
    if (!session) co_await no_body(request, "");
    Result<json::value> result =
        co_await session->begin("Network.getResponseBody", {{"requestId", request.id}});
    if (!result && result.error().code == ErrorCode::BrowserCrashed) co_await result.error();
    if (!result) co_await no_body(request, result.error().message);
    const json::object& answer = result->as_object();
    engine::Body body{.mime_type = request.mime_type};
    for (const auto& [name, value] : request.response_headers) {
        if (name == "content-type") body.mime_type = trim(split(value, ';').front());
    }
    body.is_text = is_textual(body.mime_type);
    body.bytes = text_of(answer, "body");
    if (flag_of(answer, "base64Encoded")) body.bytes = co_await base64_decode(body.bytes);
    co_return body;
}

RequestInterceptor::MayRequest judge_for(const std::shared_ptr<engine::NetworkAccess>& network_access,
                                         const std::string& page, std::string opener) {
    if (!network_access || !network_access->may_request) return {};
    return [network_access, page, opener = std::move(opener)](const std::string& url) {
        return network_access->may_request(url, network_access->identity_of(page, opener));
    };
}

// Ignores errors of frames and workers, which may be gone meanwhile.
Batch::Explain unless_page(SessionKind kind) {
    if (kind == SessionKind::Page) return {};
    return [](Error) { return std::optional<Error>(); };
}

}  // namespace

bool is_textual(std::string_view content_type) {
    std::string type = to_lower(trim(content_type.substr(0, content_type.find(';'))));
    if (type.starts_with("text/") || type.starts_with("image/svg")) return true;
    if (!type.starts_with("application/")) return false;
    static constexpr std::string_view kTextual[] = {"json",       "javascript", "x-javascript",
                                                    "ecmascript", "graphql",    "x-www-form-urlencoded"};
    std::string_view subtype = std::string_view(type).substr(12);
    return std::find(std::begin(kTextual), std::end(kTextual), subtype) != std::end(kTextual) ||
           subtype.starts_with("xml") || subtype.ends_with("+json") || subtype.ends_with("+xml");
}

NetworkLog::NetworkLog(std::string main_frame, const engine::ContextOptions& options, std::string opener)
    : main_frame_(std::move(main_frame)),
      offline_(options.offline),
      throttling_(options.throttling),
      extra_headers_(options.extra_headers),
      interceptor_(judge_for(options.network_access, main_frame_, std::move(opener)),
                   options.http_credentials, options.proxy_credentials) {}

void NetworkLog::attach(const std::shared_ptr<Session>& session, SessionKind kind) {
    std::erase_if(sources_, [](const auto& source) { return source->session->is_closed(); });
    Source& source = *sources_.emplace_back(std::make_unique<Source>(session, kind));
    auto listen = [&](std::string event, void (NetworkLog::*take)(const Source&, const json::object&)) {
        source.subscriptions.push_back(session->on(
            std::move(event),
            [this, &source, take](const json::object& params) { (this->*take)(source, params); }));
    };
    listen("Network.requestWillBeSent", &NetworkLog::take_request);
    listen("Network.requestServedFromCache", &NetworkLog::take_from_cache);
    listen("Network.responseReceived", &NetworkLog::take_response);
    listen("Network.loadingFinished", &NetworkLog::take_finished);
    listen("Network.loadingFailed", &NetworkLog::take_failed);
    source.subscriptions.push_back(
        session->on("Network.requestWillBeSentExtraInfo",
                    [this](const json::object& params) { take_sent_headers(params); }));
    source.subscriptions.push_back(
        session->on("Network.responseReceivedExtraInfo",
                    [this](const json::object& params) { take_received_headers(params); }));
    source.subscriptions.push_back(session->on_closed([this, line = session.get()] {
        end_all([line](const RequestUnderWay& request) { return request.session.get() == line; });
    }));
    session->post("Network.enable");
    interceptor_.attach(session, kind);
    // A worker follows its page.
    bool changed = offline_ || throttling_ != engine::Throttling();
    if (changed && kind != SessionKind::Worker) send_conditions(*session);
    if (!extra_headers_.empty()) send_extra_headers(*session);
}

Pending NetworkLog::send_conditions(Session& session) const {
    return session.begin("Network.emulateNetworkConditions",
                         {{"offline", offline_},
                          {"latency", throttling_.latency.count()},
                          {"downloadThroughput", throttling_.download.value_or(-1)},
                          {"uploadThroughput", throttling_.upload.value_or(-1)}});
}

Pending NetworkLog::send_extra_headers(Session& session) const {
    json::object headers;
    for (const auto& [name, value] : extra_headers_) headers[name] = value;
    return session.begin("Network.setExtraHTTPHeaders", {{"headers", std::move(headers)}});
}

Task<> NetworkLog::set_offline(bool offline) {
    offline_ = offline;
    return apply_conditions();
}

Task<> NetworkLog::set_throttling(engine::Throttling throttling) {
    throttling_ = throttling;
    return apply_conditions();
}

Task<> NetworkLog::apply_conditions() {
    Batch batch;
    for (const auto& source : sources_) {
        if (source->kind == SessionKind::Worker) continue;
        batch.add(send_conditions(*source->session), unless_page(source->kind));
    }
    co_await Batch::finish(std::move(batch));
}

Task<> NetworkLog::set_extra_headers(Headers headers) {
    extra_headers_ = std::move(headers);
    Batch batch;
    for (const auto& source : sources_)
        batch.add(send_extra_headers(*source->session), unless_page(source->kind));
    co_await Batch::finish(std::move(batch));
}

void NetworkLog::take_request(const Source& source, const json::object& params) {
    const json::object* request = json::find_object(params, "request");
    if (!request) return;
    std::string url = text_of(*request, "url");
    std::string frame = text_of(params, "frameId");
    bool in_worker = source.kind == SessionKind::Worker || source.kind == SessionKind::ServiceWorker;
    if (url.starts_with("data:") || (frame.empty() && !in_worker)) return;
    std::string id = text_of(params, "requestId");
    const json::object* redirect = json::find_object(params, "redirectResponse");
    if (is_favicon(url) || (redirect && is_favicon(text_of(*redirect, "url")))) return;
    bool goes_on = under_way_.contains(id);
    // Both the parent's and the frame's own session may report a frame's document.
    if (goes_on && !redirect) return;
    Record& record = records_[id];
    if (goes_on) take_redirect(record, params);

    std::string type = text_of(params, "type");
    std::string loader = text_of(params, "loaderId");
    engine::RequestEntry entry{.id = id,
                               .method = text_of(*request, "method"),
                               .url = url.substr(0, url.find('#')),
                               .resource_type = resource_type_of(type),
                               .post_data = post_data_of(*request),
                               .is_navigation = type == "Document" && id == loader};
    if (double seconds = number_of(params, "wallTime"); seconds > 0) {
        auto since_epoch = std::chrono::duration<double>(seconds);
        entry.started = std::chrono::system_clock::time_point(
            std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
    }
    if (const json::object* headers = json::find_object(*request, "headers"))
        entry.request_headers = headers_of(*headers);
    RequestUnderWay under_way{.id = id,
                              .url = entry.url,
                              .frame = frame,
                              .loader = loader,
                              .resource_type = entry.resource_type,
                              .is_navigation = entry.is_navigation,
                              .session = source.session};
    under_way_[id] = under_way;
    if (entry.is_navigation && frame == main_frame_) requested_document_ = entry.url;
    record = {.session = source.session, .started = number_of(params, "timestamp")};
    add_entry(record, std::move(entry));
    if (!goes_on && observer_.started) observer_.started(under_way);
}

void NetworkLog::add_entry(Record& record, engine::RequestEntry entry) {
    if (entries_.size() == kMaxEntries) drop_oldest(kMaxEntries / 10);
    record.entry = entries_.size();
    entry.url = shortened(std::move(entry.url), kMaxUrl);
    entries_.push_back(std::move(entry));
    if (entries_.size() > kMaxDetailed) {
        forget_details(entries_[entries_.size() - kMaxDetailed - 1]);
    }
}

void NetworkLog::drop_oldest(std::size_t count) {
    keep_earlier(count);
    real_headers_.clear();
    for (auto& [id, record] : records_) {
        bool stays = record.entry != kNowhere && record.entry >= count;
        record.entry = stays ? record.entry - count : kNowhere;
    }
    std::erase_if(records_, [this](const auto& each) {
        return each.second.entry == kNowhere && !under_way_.contains(each.first);
    });
}

engine::RequestEntry* NetworkLog::entry_of(const Record& record) {
    return record.entry < entries_.size() ? &entries_[record.entry] : nullptr;
}

void NetworkLog::take_redirect(Record& record, const json::object& params) {
    describe_response(text_of(params, "requestId"), record, *json::find_object(params, "redirectResponse"),
                      flag_of(params, "redirectHasExtraInfo"));
    engine::RequestEntry* entry = entry_of(record);
    if (!entry) return;
    entry->redirected = true;
    entry->finished = true;
    entry->duration =
        std::chrono::milliseconds(std::llround((number_of(params, "timestamp") - record.started) * 1000));
    notify_ended(*entry);
}

// A copy: the callbacks may clear the list.
void NetworkLog::notify_ended(const engine::RequestEntry& entry) const {
    if (observer_.entry_ended) observer_.entry_ended(engine::RequestEntry(entry));
}

void NetworkLog::describe_response(const std::string& id, Record& record, const json::object& response,
                                   bool has_extra_headers) {
    engine::RequestEntry* entry = entry_of(record);
    if (!entry) return;
    entry->status = integer_of(response, "status");
    entry->status_text = text_of(response, "statusText");
    entry->mime_type = text_of(response, "mimeType");
    if (const json::object* headers = json::find_object(response, "headers"))
        entry->response_headers = headers_of(*headers);
    // For a cached answer the browser announces extra headers that never arrive.
    if (has_extra_headers && !record.from_cache) real_headers_.expect(entries_, id, record.entry);
}

void NetworkLog::take_from_cache(const Source&, const json::object& params) {
    auto it = records_.find(text_of(params, "requestId"));
    if (it != records_.end()) it->second.from_cache = true;
}

void NetworkLog::take_response(const Source&, const json::object& params) {
    std::string id = text_of(params, "requestId");
    auto it = records_.find(id);
    const json::object* response = json::find_object(params, "response");
    if (it == records_.end() || !response) return;
    describe_response(id, it->second, *response, flag_of(params, "hasExtraInfo"));
    auto request = under_way_.find(id);
    if (request == under_way_.end()) return;
    request->second.answered = Deadline::Clock::now();
    if (request->second.is_navigation && request->second.frame == main_frame_)
        keep_status(request->second.loader,
                    {.status = integer_of(*response, "status"), .text = text_of(*response, "statusText")});
    if (observer_.responded) observer_.responded(RequestUnderWay(request->second));
}

void NetworkLog::take_sent_headers(const json::object& params) {
    real_headers_.take_sent(entries_, params);
    const json::object* headers = json::find_object(params, "headers");
    auto purpose = headers ? json::find_string(*headers, "Sec-Fetch-Dest") : std::nullopt;
    if (purpose == "sharedworker" || purpose == "serviceworker")
        background_scripts_.insert(text_of(params, "requestId"));
}

// A shared or service worker's script request begins on its page's session, which gets no further events than
// the answer's headers.
void NetworkLog::take_received_headers(const json::object& params) {
    real_headers_.take_received(entries_, params);
    std::string id = text_of(params, "requestId");
    int status = integer_of(params, "statusCode");
    bool is_redirect = status >= 300 && status < 400 && status != 304;
    if (is_redirect || background_scripts_.erase(id) == 0) return;
    auto it = records_.find(id);
    if (engine::RequestEntry* entry = it == records_.end() ? nullptr : entry_of(it->second)) {
        entry->status = status;
        entry->finished = true;
    }
    end(id);
}

void NetworkLog::take_refused_worker(const std::string& url) {
    end_all([&](const RequestUnderWay& request) {
        return request.url == url && request.resource_type == "script";
    });
}

void NetworkLog::take_finished(const Source& source, const json::object& params) {
    end_entry(text_of(params, "requestId"), source, number_of(params, "timestamp"), "");
}

void NetworkLog::take_failed(const Source& source, const json::object& params) {
    std::string reason = text_of(params, "errorText");
    if (reason.empty()) reason = text_of(params, "blockedReason");
    end_entry(text_of(params, "requestId"), source, number_of(params, "timestamp"),
              reason.empty() ? "net::ERR_FAILED" : reason);
}

void NetworkLog::end_entry(const std::string& id, const Source& source, double time, std::string failure) {
    auto it = records_.find(id);
    if (it == records_.end()) return;
    Record& record = it->second;
    // A frame's document and a worker's script begin on the parent's session and end on their own.
    if (source.kind != SessionKind::Page) record.session = source.session;
    engine::RequestEntry* entry = entry_of(record);
    // For a document that failed, the browser also reports that its own error page was loaded.
    if (entry && !entry->failure.empty()) return;
    auto request = under_way_.find(id);
    if (!failure.empty() && request != under_way_.end() && request->second.is_navigation &&
        request->second.frame == main_frame_)
        failed_document_ = {request->second.url, failure, failed_document_.number + 1};
    if (entry) {
        entry->finished = true;
        entry->failure = std::move(failure);
        if (entry->status)
            entry->duration = std::chrono::milliseconds(std::llround((time - record.started) * 1000));
        notify_ended(*entry);
        if (!records_.contains(id)) return;
    }
    bool forgotten = record.entry == kNowhere;
    end(id);
    if (forgotten) records_.erase(id);
}

void NetworkLog::end(const std::string& id) {
    background_scripts_.erase(id);
    auto request = under_way_.extract(id);
    if (request && observer_.finished) observer_.finished(request.mapped());
}

void NetworkLog::end_all(const std::function<bool(const RequestUnderWay&)>& matching) {
    std::vector<std::string> ended;
    for (const auto& [id, request] : under_way_) {
        if (matching(request)) ended.push_back(id);
    }
    for (const std::string& id : ended) end(id);
}

bool NetworkLog::awaits_document() const {
    return std::ranges::any_of(under_way_, [this](const auto& each) {
        return each.second.is_navigation && each.second.frame == main_frame_;
    });
}

void NetworkLog::keep_status(const std::string& loader, engine::DocumentStatus status) {
    constexpr std::size_t kMaxStatuses = 50;
    if (loader == document_ || document_.empty()) document_status_ = status;
    if (statuses_.size() == kMaxStatuses) statuses_.pop_front();
    statuses_.emplace_back(loader, std::move(status));
}

void NetworkLog::take_commit(const std::string& frame, const std::string& loader) {
    if (frame == main_frame_) {
        document_ = loader;
        auto known = std::find_if(statuses_.rbegin(), statuses_.rend(),
                                  [&](const auto& each) { return each.first == loader; });
        document_status_ = known == statuses_.rend() ? std::nullopt : std::optional(known->second);
    }
    end_all([&](const RequestUnderWay& request) {
        return request.frame == frame && request.loader != loader && !request.is_navigation;
    });
}

void NetworkLog::take_detached_frame(const std::string& frame) {
    end_all([&](const RequestUnderWay& request) { return request.frame == frame; });
}

// Moves the first `count` entries to the earlier ones, without details.
void NetworkLog::keep_earlier(std::size_t count) {
    before_ += count;
    for (std::size_t i = 0; i < count; ++i) {
        forget_details(entries_[i]);
        earlier_.push_back(std::move(entries_[i]));
    }
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
    if (earlier_.size() > kMaxEarlier)
        earlier_.erase(earlier_.begin(), earlier_.end() - static_cast<std::ptrdiff_t>(kMaxEarlier));
}

void NetworkLog::forget_records() {
    real_headers_.clear();
    std::erase_if(records_, [this](const auto& record) { return !under_way_.contains(record.first); });
    for (auto& [id, record] : records_) record.entry = kNowhere;
}

void NetworkLog::clear_entries() {
    entries_.clear();
    earlier_.clear();
    before_ = 0;
    forget_records();
}

void NetworkLog::begin_document() {
    keep_earlier(entries_.size());
    forget_records();
    document_status_.reset();
}

void NetworkLog::clear() {
    clear_entries();
    document_status_.reset();
}

Task<engine::Body> NetworkLog::body(const engine::RequestEntry& request) const {
    auto it = records_.find(request.id);
    return read_body(it == records_.end() ? nullptr : it->second.session, request);
}

}  // namespace cdp
