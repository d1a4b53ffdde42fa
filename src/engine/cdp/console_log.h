// A page's log: console calls, the browser's own warnings, and uncaught errors.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/cdp/session_kind.h"
#include "engine/types.h"

namespace cdp {

// Keeps the last entries of one page over all its sessions. Lives on the main loop.
class ConsoleLog {
public:
    // `on_entry` is called for each new entry.
    explicit ConsoleLog(std::function<void(const engine::ConsoleEntry&)> on_entry = {})
        : on_entry_(std::move(on_entry)) {}
    ConsoleLog(const ConsoleLog&) = delete;

    // Listens on a session. Call before the session's Runtime.enable, which the page sends.
    void attach(const std::shared_ptr<Session>& session, SessionKind kind);

    // Oldest first.
    const std::vector<engine::ConsoleEntry>& entries() const { return entries_; }
    // The index where the current document begins.
    std::size_t since_navigation() const { return since_navigation_; }
    // Call when the main frame has a new document.
    void mark_navigation() { since_navigation_ = entries_.size(); }
    void clear();
    // Adds an entry of our own, as an uncaught error.
    void add_error(std::string text);

private:
    struct Source {
        std::shared_ptr<Session> session;
        std::vector<Subscription> subscriptions;
        int held_objects = 0;
    };

    void take_call(Source& source, const json::object& params);
    void take_exception(Source& source, const json::object& params);
    void take_log_entry(Source& source, const json::object& params);
    void hold_object(Source& source);
    void add(engine::ConsoleEntry entry);
    void drop_oldest(std::size_t count);

    std::function<void(const engine::ConsoleEntry&)> on_entry_;
    std::vector<engine::ConsoleEntry> entries_;
    std::size_t since_navigation_ = 0;
    std::size_t bytes_ = 0;  // total size of the entries' texts
    std::vector<std::unique_ptr<Source>> sources_;
};

// The arguments of a console call as one line: `hello 5 {foo: bar}`. Format specifiers stay as they are.
std::string console_text(const json::array& arguments);
// The thrown value, with its stack if it has one, from Runtime.ExceptionDetails.
std::string exception_text(const json::object& details);

}  // namespace cdp
