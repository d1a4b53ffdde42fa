// The network requests of a page and their answers.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/network_headers.h"
#include "engine/cdp/request_interceptor.h"
#include "engine/cdp/session_kind.h"

namespace cdp {

// A pending request. Redirects keep the id.
struct RequestUnderWay {
    std::string id;
    std::string url;
    std::string frame;   // empty for a worker's
    std::string loader;  // id of the requesting document, or of the requested one
    std::string resource_type;
    bool is_navigation = false;
    std::shared_ptr<Session> session = nullptr;
    std::optional<Deadline::Clock::time_point> answered = {};  // when its answer's head arrived
};

// Records the requests of one page over all its sessions, and applies the context's network options: extra
// headers, offline, credentials, and which requests are allowed. Lives on the main loop.
class NetworkLog {
public:
    // Called when requests begin, get their answer's head, and end, successfully or not. A redirect is
    // neither an end nor a beginning.
    struct Observer {
        std::function<void(const RequestUnderWay&)> started = {};
        std::function<void(const RequestUnderWay&)> responded = {};
        std::function<void(const RequestUnderWay&)> finished = {};
        // A listed request has ended, or was redirected to a new entry.
        std::function<void(const engine::RequestEntry&)> entry_ended = {};
    };

    // `opener` is the page that opened this one, if any.
    NetworkLog(std::string main_frame, const engine::ContextOptions& options, std::string opener = {});
    NetworkLog(const NetworkLog&) = delete;

    void observe(Observer observer) { observer_ = std::move(observer); }
    // Listens on a session and sets it up. Call before the page runs.
    void attach(const std::shared_ptr<Session>& session, SessionKind kind);

    // Oldest first. Beyond a limit, the oldest lose their headers and post data.
    const std::vector<engine::RequestEntry>& entries() const { return entries_; }
    // Entries of earlier documents, without headers and post data.
    const std::vector<engine::RequestEntry>& earlier() const { return earlier_; }
    // How many requests came before the first of entries().
    std::size_t entries_before() const { return before_; }
    // Removes all entries and counts from one again.
    void clear_entries();
    // The status that the main document came with; nothing if it came without an answer.
    const std::optional<engine::DocumentStatus>& document_status() const { return document_status_; }
    // The last request for a main document that failed, and how many did.
    struct FailedDocument {
        std::string url;
        std::string failure;
        std::size_t number = 0;
    };
    const FailedDocument& failed_document() const { return failed_document_; }
    // The address that was last requested for the main document.
    const std::string& requested_document() const { return requested_document_; }
    // Whether a request for a main document is under way.
    bool awaits_document() const;
    // Call when a navigation is requested: entries become earlier ones, and the status is reset.
    void begin_document();
    // Removes the entries and the status.
    void clear();
    Task<engine::Body> body(const engine::RequestEntry& request) const;

    const std::map<std::string, RequestUnderWay>& under_way() const { return under_way_; }
    // Call when the frame has a new document: pending requests of the old one will not be answered.
    void take_commit(const std::string& frame, const std::string& loader);
    void take_detached_frame(const std::string& frame);
    // Call when a worker was ended before it ran: no event reports that its script arrived.
    void take_refused_worker(const std::string& url);

    Task<> set_offline(bool offline);
    Task<> set_throttling(engine::Throttling throttling);
    Task<> set_extra_headers(Headers headers);
    Batch set_routes(std::shared_ptr<const Routes> routes) {
        return interceptor_.set_routes(std::move(routes));
    }

private:
    static constexpr std::size_t kNowhere = -1;
    struct Source {
        std::shared_ptr<Session> session;
        SessionKind kind;
        std::vector<Subscription> subscriptions;
    };
    // Data kept after the request ended, to read its body.
    struct Record {
        std::shared_ptr<Session> session;
        std::size_t entry = kNowhere;
        double started = 0;  // in seconds of the browser's clock
        bool from_cache = false;
    };

    void take_request(const Source& source, const json::object& params);
    void take_from_cache(const Source& source, const json::object& params);
    void take_response(const Source& source, const json::object& params);
    void take_finished(const Source& source, const json::object& params);
    void take_failed(const Source& source, const json::object& params);
    void take_sent_headers(const json::object& params);
    void take_received_headers(const json::object& params);
    void take_redirect(Record& record, const json::object& params);
    void describe_response(const std::string& id, Record& record, const json::object& response,
                           bool has_extra_headers);
    void add_entry(Record& record, engine::RequestEntry entry);
    void drop_oldest(std::size_t count);
    void keep_earlier(std::size_t count);
    void forget_records();
    engine::RequestEntry* entry_of(const Record& record);
    void notify_ended(const engine::RequestEntry& entry) const;
    void keep_status(const std::string& loader, engine::DocumentStatus status);
    void end_entry(const std::string& id, const Source& source, double time, std::string failure);
    void end(const std::string& id);
    void end_all(const std::function<bool(const RequestUnderWay&)>& matching);
    Pending send_conditions(Session& session) const;
    Task<> apply_conditions();
    Pending send_extra_headers(Session& session) const;

    std::string main_frame_;
    bool offline_;
    engine::Throttling throttling_;
    Headers extra_headers_;
    RequestInterceptor interceptor_;
    Observer observer_;
    std::vector<engine::RequestEntry> entries_;
    std::vector<engine::RequestEntry> earlier_;
    std::size_t before_ = 0;
    std::optional<engine::DocumentStatus> document_status_;
    std::string document_;  // the main document's id
    // By the ids of main documents, the last ones: a document may come back from the back/forward cache.
    std::deque<std::pair<std::string, engine::DocumentStatus>> statuses_;
    FailedDocument failed_document_;
    std::string requested_document_;
    std::map<std::string, Record> records_;
    std::map<std::string, RequestUnderWay> under_way_;
    ExtraHeaders real_headers_;
    std::set<std::string> background_scripts_;  // pending script requests of shared and service workers
    std::vector<std::unique_ptr<Source>> sources_;
};

// Whether bodies of this content type are shown as text.
bool is_textual(std::string_view content_type);

}  // namespace cdp
