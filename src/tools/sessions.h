// Sessions by name: made, listed, closed, saved.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "session/sessions.h"
#include "tools/tool.h"

namespace tools {

// What a session that a caller makes has from it.
session::SessionSetup setup_of(const Caller& caller);

// Sessions that another engine answers for.
class OtherSessions {
public:
    struct Info {
        std::string name;
        std::string_view state;
        std::chrono::system_clock::time_point created;
        std::chrono::milliseconds idle;
    };

    virtual ~OtherSessions() = default;

    virtual bool has(const session::SessionKey& key) const = 0;
    // The owner's, by name.
    virtual std::vector<Info> list(const std::string& owner) const = 0;
    // Makes one, and opens `url` in it unless that is empty; gives what there is to say of it.
    virtual Task<json::object> create(session::SessionKey key, session::SessionSetup setup, std::string url,
                                      Call call) = 0;
    // False when there was none.
    virtual bool close(const session::SessionKey& key) = 0;
    // How many of all of them take no calls for now.
    virtual std::size_t degraded_count() const = 0;
};

// What the session tools need: the sessions, and whose a caller's are.
struct SessionCatalog {
    session::Sessions* sessions = nullptr;
    std::function<std::string(const Caller& caller)> owner_of = {};
    // The session that a caller has without naming one.
    std::function<session::SessionKey(const Caller& caller)> key_of = {};
    OtherSessions* upstream = nullptr;  // null: this server has no upstream engine
    bool upstream_by_default = false;   // a new session's engine, unless it is chosen
    // Whether a caller is told of its owner's session of this name. Unset: of each.
    std::function<bool(const Caller& caller, const std::string& name)> sees = {};

    bool shows(const Caller& caller, const std::string& name) const { return !sees || sees(caller, name); }

    // The session that a caller means by this name; "default" is its own.
    session::SessionKey named(Caller caller, const std::string& name) const;
};

// What an answer calls a session: "default" is the caller's own, which has no name.
std::string shown_name(const std::string& name);

// A session as its owner is told of it.
json::object describe(const std::string& name, const session::Sessions::Entry& entry);

std::vector<Tool> named_session_tools(const SessionCatalog& catalog);
// Whichever engine's it is. False when there was none.
Task<bool> close_session(SessionCatalog catalog, session::SessionKey key);

}  // namespace tools
