// Sessions by name: creates, lists, closes and saves them.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "session/sessions.h"
#include "tools/tool.h"

namespace tools {

// The setup that a new session gets from its caller.
session::SessionSetup setup_of(const Caller& caller);

// Sessions that another engine serves.
class UpstreamSessions {
public:
    struct Info {
        std::string name;
        std::string_view state;
        std::chrono::system_clock::time_point created;
        std::chrono::milliseconds idle;
    };

    virtual ~UpstreamSessions() = default;

    virtual bool has(const session::SessionKey& key) const = 0;
    // The owner's sessions, by name.
    virtual std::vector<Info> list(const std::string& owner) const = 0;
    // Creates a session, and opens `url` in it unless empty; returns a description of the session.
    virtual Task<json::object> create(session::SessionKey key, session::SessionSetup setup, std::string url,
                                      Call call) = 0;
    // False when there was no such session.
    virtual bool close(const session::SessionKey& key) = 0;
    // The number of sessions that currently accept no calls.
    virtual std::size_t degraded_count() const = 0;
};

// The sessions, and the functions that map callers to them.
struct SessionCatalog {
    session::Sessions* sessions = nullptr;
    std::function<std::string(const Caller& caller)> owner_of = {};
    // The session of a caller that names none.
    std::function<session::SessionKey(const Caller& caller)> key_of = {};
    UpstreamSessions* upstream = nullptr;  // null: this server has no upstream engine
    bool upstream_by_default = false;      // the engine of a new session, unless the call chooses
    bool requires_tab_ids = false;         // calls without one are refused
    // Whether a caller sees its owner's session of this name. Unset: sees every one.
    std::function<bool(const Caller& caller, const std::string& name)> sees = {};

    bool shows(const Caller& caller, const std::string& name) const { return !sees || sees(caller, name); }

    // The session that a caller means by this name; "default" is its own.
    session::SessionKey named(Caller caller, const std::string& name) const;
};

// The name of a session in answers: "default" is the caller's own, which has no name.
std::string shown_name(const std::string& name);

// Describes a session to its owner.
json::object describe(const std::string& name, const session::Sessions::Entry& entry);

std::vector<Tool> named_session_tools(const SessionCatalog& catalog);
// Closes the session in whichever engine has it. False when there was none.
Task<bool> close_session(SessionCatalog catalog, session::SessionKey key);

}  // namespace tools
