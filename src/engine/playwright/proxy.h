// A private DevTools endpoint that shows the code of one session only its part of the browser.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "engine/cdp/connection.h"
#include "engine/types.h"

namespace playwright {

// Which pages of a browser context belong to the session.
enum class Scope {
    Context,  // every page
    OwnPages  // pages shown explicitly, and their popups; the others belong to other sessions
};

// Shows a helper the pages of one session and nothing else, over its own browser session. Each command is
// checked by its Rule; the helper may name only targets and sessions that were shown to it. Lives on the main
// loop.
class Proxy : public std::enable_shared_from_this<Proxy> {
public:
    using Send = std::function<void(const json::object& message)>;

    // `context` is the browser's id of the session's context, empty for the default one. `send` receives
    // messages for the helper; `lost` is called when the browser is gone.
    static std::shared_ptr<Proxy> create(std::shared_ptr<cdp::Connection> connection, std::string context,
                                         Scope scope, Send send, std::function<void()> lost);
    // Releases everything: no page waits for the helper any more.
    ~Proxy();

    // Handles a message from the helper.
    void take(const json::object& message);
    // Call when the helper has disconnected: it will start from the beginning.
    void reset();
    // Shows an existing page. Pages that open while the helper is connected are shown by take_new_page.
    void show_page(const std::string& target);
    // Call when the page no longer belongs to the session.
    void hide_page(const std::string& target);
    // Offers a page of the session that has not run yet. Returns true if the helper sees it first; then the
    // page runs when the helper says so, or after two seconds.
    bool take_new_page(const std::shared_ptr<cdp::Session>& session, const json::object& target);

    // Call when a download of a page began or ended. The helper finds a copy of the file in its artifacts
    // directory.
    // proxy_downloads.cc
    void take_download(const std::string& page, const engine::Download& download,
                       const std::filesystem::path& artifacts);

private:
    struct Request {
        std::int64_t id = 0;
        std::string session;
        std::string method;
        json::object params;
    };
    struct Attached {
        std::string parent;  // the helper's session that received the attach event
        std::string target;
    };
    struct Held {
        std::shared_ptr<cdp::Session> session;
        std::unique_ptr<boost::asio::steady_timer> limit;
    };
    using Done = std::function<void(const json::object& answer)>;

    Proxy(std::shared_ptr<cdp::Connection> connection, std::string context, Scope scope, Send send,
          std::function<void()> lost);
    void open_line();
    void close_line();
    void take_line(const json::object& answer);
    void take_line_event(std::string_view method, const json::object& params);
    void take_event(const std::string& session, std::string_view method, const json::object& params);
    void carry_out(Request request);
    void forward(const Request& request);
    void take_answer(const Request& request, const json::object& answer);
    void auto_attach(const Request& request);
    void create_target(const Request& request);
    void list_targets(const Request& request);
    void attach(const std::string& target, const std::string& parent, Done done);
    void enlist(const std::string& session, Attached attached);
    void drop(const std::string& session);
    void show_unseen(std::function<void()> done);
    void release(const std::string& target);
    bool owns_target(const json::object& params) const;
    cdp::Session& line_of(const std::string& session) const;
    void reply(const Request& request, json::object answer);
    void refuse(const Request& request, std::string why);
    void emit(const std::string& session, std::string_view method, json::object params);

    std::shared_ptr<cdp::Connection> connection_;
    std::string context_;
    Scope scope_;
    Send send_;
    std::function<void()> lost_;
    std::shared_ptr<cdp::Session> line_;  // our second session with the browser, once attached
    std::uint64_t line_number_ = 0;
    cdp::Subscription line_closed_;
    std::deque<Request> waiting_;  // until line_ is attached
    bool auto_attach_ = false;
    std::uint64_t last_browser_session_ = 0;
    std::set<std::string> browser_sessions_;     // session ids that we made up
    std::map<std::string, Attached> sessions_;   // the helper's sessions with targets
    std::map<std::string, json::object> infos_;  // of targets, by the session that is being attached
    std::set<std::string> pages_;                // the session's pages
    std::set<std::string> children_;             // frames and workers in them
    std::set<std::string> shown_;                // pages that the helper has been shown
    std::map<std::string, Held> held_;
    std::map<std::string, std::function<void()>> awaited_;  // pages being created by a helper's command
    std::set<std::int64_t> windows_;
    std::map<std::uint64_t, std::string> downloads_;  // in progress, with the helper's names for them
    std::vector<std::filesystem::path> copies_;       // of downloads, for the helper
};

}  // namespace playwright
