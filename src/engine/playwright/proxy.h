// A private DevTools endpoint: the browser as the code of one session may see it.
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

// What of a browser context is the session's.
enum class Scope {
    Context,  // every page
    OwnPages  // those that were shown, and what these open; the others are other sessions'
};

// Shows a helper the pages of one session and nothing else, over a line of its own to the browser. Every
// command is checked by its Rule; targets and sessions that the helper may name are those it was shown. Lives
// on the main loop.
class Proxy : public std::enable_shared_from_this<Proxy> {
public:
    using Send = std::function<void(const json::object& message)>;

    // `context` is the browser's id of the session's context, empty for its default one. `send` gets what is
    // for the helper; `lost` is called when the browser is gone.
    static std::shared_ptr<Proxy> create(std::shared_ptr<cdp::Connection> connection, std::string context,
                                         Scope scope, Send send, std::function<void()> lost);
    // Lets go of everything: no page waits for the helper any more.
    ~Proxy();

    // A message of the helper.
    void take(const json::object& message);
    // The helper has hung up: it will start from the beginning.
    void reset();
    // Shows a page that is there. Pages that open while the helper is connected come by themselves, through
    // take_new_page.
    void show_page(const std::string& target);
    // The page is the session's no longer.
    void hide_page(const std::string& target);
    // A page of the session that has not run yet. True when the helper gets to see it first; it runs when the
    // helper says so, at the latest after two seconds.
    bool take_new_page(const std::shared_ptr<cdp::Session>& session, const json::object& target);

    // A download of a page began or ended. The helper finds a copy of the file in its directory of artifacts.
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
        std::string parent;  // the helper's session that was told of it
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
    std::shared_ptr<cdp::Session> line_;  // our second line to the browser, once it is there
    std::uint64_t line_number_ = 0;
    cdp::Subscription line_closed_;
    std::deque<Request> waiting_;  // for the line
    bool auto_attach_ = false;
    std::uint64_t last_browser_session_ = 0;
    std::set<std::string> browser_sessions_;     // ids that we made up
    std::map<std::string, Attached> sessions_;   // the helper's sessions with targets
    std::map<std::string, json::object> infos_;  // of targets, by the session that is being attached
    std::set<std::string> pages_;                // the session's pages
    std::set<std::string> children_;             // frames and workers in them
    std::set<std::string> shown_;                // pages that the helper was told of
    std::map<std::string, Held> held_;
    std::map<std::string, std::function<void()>> awaited_;  // pages that a command of the helper makes
    std::set<std::int64_t> windows_;
    std::map<std::uint64_t, std::string> downloads_;  // under way, and what the helper calls them
    std::vector<std::filesystem::path> copies_;       // of downloads, for the helper
};

}  // namespace playwright
