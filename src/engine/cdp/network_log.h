// What a page asks the network for, and what it gets.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/network_headers.h"
#include "engine/cdp/request_gate.h"
#include "engine/cdp/session_kind.h"

namespace cdp {

// A request under way. Redirects go on under the same id.
struct RequestUnderWay {
    std::string id;
    std::string url;
    std::string frame;   // empty for a worker's
    std::string loader;  // names the document that asked, or the one that is asked for
    std::string resource_type;
    bool is_navigation = false;
    std::shared_ptr<Session> session = nullptr;
};

// Keeps the requests of one page over all its sessions, and applies what the context says about them:
// extra headers, offline, credentials, and which may be made at all. Lives on the main loop.
class NetworkLog {
public:
    // Called as requests begin, get the head of their answer, and end, however they end. A redirect is
    // neither an end nor a beginning.
    struct Observer {
        std::function<void(const RequestUnderWay&)> started = {};
        std::function<void(const RequestUnderWay&)> responded = {};
        std::function<void(const RequestUnderWay&)> finished = {};
    };

    // `opener` is the page that opened this one, if one did.
    NetworkLog(std::string main_frame, const engine::ContextOptions& options, std::string opener = {});
    NetworkLog(const NetworkLog&) = delete;

    void observe(Observer observer) { observer_ = std::move(observer); }
    // Listens on a session and sets it up. Before the page runs.
    void attach(const std::shared_ptr<Session>& session, SessionKind kind);

    // Oldest first. The oldest of very many keep only their line, without headers and post data.
    const std::vector<engine::RequestEntry>& entries() const { return entries_; }
    void clear_entries();
    // Of the main document's last answer that was no redirect.
    const std::optional<engine::DocumentStatus>& document_status() const { return document_status_; }
    // Forgets the entries and the status: somebody asked for another page.
    void clear();
    Task<engine::Body> body(const engine::RequestEntry& request) const;

    const std::map<std::string, RequestUnderWay>& under_way() const { return under_way_; }
    // The frame has a new document: what the old one asked for will not be answered any more.
    void take_commit(const std::string& frame, const std::string& loader);
    void take_detached_frame(const std::string& frame);

    Task<> set_offline(bool offline);
    Task<> set_throttling(engine::Throttling throttling);
    Task<> set_extra_headers(Headers headers);
    Batch set_routes(std::shared_ptr<const Routes> routes) { return gate_.set_routes(std::move(routes)); }

private:
    static constexpr std::size_t kNowhere = -1;
    struct Source {
        std::shared_ptr<Session> session;
        SessionKind kind;
        std::vector<Subscription> subscriptions;
    };
    // What outlives the request itself, for its body.
    struct Record {
        std::shared_ptr<Session> session;
        std::size_t entry = kNowhere;
        double started = 0;  // seconds of the browser's clock
        bool from_cache = false;
    };

    void take_request(const Source& source, const json::object& params);
    void take_from_cache(const Source& source, const json::object& params);
    void take_response(const Source& source, const json::object& params);
    void take_finished(const Source& source, const json::object& params);
    void take_failed(const Source& source, const json::object& params);
    void take_redirect(Record& record, const json::object& params);
    void describe_response(const std::string& id, Record& record, const json::object& response,
                           bool has_extra_headers);
    void add_entry(Record& record, engine::RequestEntry entry);
    void drop_oldest(std::size_t count);
    engine::RequestEntry* entry_of(const Record& record);
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
    RequestGate gate_;
    Observer observer_;
    std::vector<engine::RequestEntry> entries_;
    std::optional<engine::DocumentStatus> document_status_;
    std::map<std::string, Record> records_;
    std::map<std::string, RequestUnderWay> under_way_;
    ExtraHeaders real_headers_;
    std::vector<std::unique_ptr<Source>> sources_;
};

// Whether bodies of this content type are shown as text.
bool is_textual(std::string_view content_type);

}  // namespace cdp
