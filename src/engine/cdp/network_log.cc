#include "engine/cdp/network_log.h"

#include <cmath>

#include "engine/cdp/batch.h"
#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {
namespace {

constexpr std::size_t kMaxDetailed = 500;
constexpr std::size_t kMaxEntries = 10'000;
constexpr std::size_t kMaxPostData = 1 << 20;

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

RequestGate::MayRequest judge_for(const std::shared_ptr<engine::Way>& way, const std::string& page,
                                  std::string opener) {
    if (!way || !way->may_request) return {};
    return [way, page, opener = std::move(opener)](const std::string& url) {
        return way->may_request(url, way->holder_of(page, opener));
    };
}

// A frame or worker that goes meanwhile does not matter.
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
      gate_(judge_for(options.way, main_frame_, std::move(opener)), options.http_credentials) {}

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
                    [this](const json::object& params) { real_headers_.take_sent(entries_, params); }));
    source.subscriptions.push_back(
        session->on("Network.responseReceivedExtraInfo",
                    [this](const json::object& params) { real_headers_.take_received(entries_, params); }));
    source.subscriptions.push_back(session->on_closed([this, line = session.get()] {
        end_all([line](const RequestUnderWay& request) { return request.session.get() == line; });
    }));
    session->post("Network.enable");
    gate_.attach(session, kind);
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
    // Both the parent's and the frame's own session may tell of a frame's document.
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
    record = {.session = source.session, .started = number_of(params, "timestamp")};
    add_entry(record, std::move(entry));
    if (!goes_on && observer_.started) observer_.started(under_way);
}

void NetworkLog::add_entry(Record& record, engine::RequestEntry entry) {
    if (entries_.size() == kMaxEntries) drop_oldest(kMaxEntries / 10);
    record.entry = entries_.size();
    entries_.push_back(std::move(entry));
    if (entries_.size() > kMaxDetailed) {
        engine::RequestEntry& old = entries_[entries_.size() - kMaxDetailed - 1];
        old.request_headers = {};
        old.response_headers = {};
        old.post_data = {};
    }
}

void NetworkLog::drop_oldest(std::size_t count) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
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
    // Of an answer from the cache the browser says that there are more, but they never come.
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
    if (request->second.is_navigation && request->second.frame == main_frame_)
        document_status_ = {.status = integer_of(*response, "status"),
                            .text = text_of(*response, "statusText")};
    if (observer_.responded) observer_.responded(RequestUnderWay(request->second));
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
    if (engine::RequestEntry* entry = entry_of(record)) {
        entry->finished = true;
        entry->failure = std::move(failure);
        if (entry->status)
            entry->duration = std::chrono::milliseconds(std::llround((time - record.started) * 1000));
    }
    bool forgotten = record.entry == kNowhere;
    end(id);
    if (forgotten) records_.erase(id);
}

void NetworkLog::end(const std::string& id) {
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

void NetworkLog::take_commit(const std::string& frame, const std::string& loader) {
    end_all([&](const RequestUnderWay& request) {
        return request.frame == frame && request.loader != loader && !request.is_navigation;
    });
}

void NetworkLog::take_detached_frame(const std::string& frame) {
    end_all([&](const RequestUnderWay& request) { return request.frame == frame; });
}

void NetworkLog::clear_entries() {
    entries_.clear();
    real_headers_.clear();
    std::erase_if(records_, [this](const auto& record) { return !under_way_.contains(record.first); });
    for (auto& [id, record] : records_) record.entry = kNowhere;
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
