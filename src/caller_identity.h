// Determines the session that a call is for, and its owner in the record.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "session/sessions.h"
#include "tools/record_identity.h"
#include "tools/tool.h"

// Tells callers apart. Sessions belong to the authenticated principal. When no authentication is required and
// only this user's programs can connect (standard input, a Unix socket, a loopback address without a proxy),
// all callers are that user: a name means the same session to each of them, also after a restart. Otherwise
// names belong to their connection, and names of callers without a connection to every such caller that knows
// them.
class CallerIdentity {
public:
    explicit CallerIdentity(const config::ServerConfig& server);

    // Whether there is one client, on standard input.
    bool is_alone() const { return is_alone_; }
    std::string owner_of(const tools::Caller& caller) const;
    // The session that belongs to a connection is separate from all others, whichever principal it has.
    // "default" is another name for it.
    session::SessionKey key_of(const tools::Caller& caller) const;
    // Why a call cannot have a session: on a network without tokens, callers without a connection that name
    // no session cannot be told apart, and would have one session together.
    std::optional<Error> refusal(const tools::Caller& caller) const;
    // The caller's identity in the record. When only this user can connect, calls in named sessions belong to
    // the user; `continues` says that one client on standard input resumes the read cursor of the previous
    // one. `kept_apart` is set for a session whose name another server uses at the same time.
    tools::RecordIdentity identity_of(const tools::Caller& caller, const session::SessionKey& key,
                                      bool continues, const std::string& kept_apart = {}) const;

    // Whether a caller sees its owner's session of this name without having named it. An authenticated caller
    // does, and this user's own programs on standard input or a Unix socket. Other callers see the sessions
    // that their call or their connection has named: knowing a session's id is enough to see it.
    bool sees(const tools::Caller& caller, const std::string& name) const;
    // The names that such a caller sees; nothing when it sees all sessions of its owner.
    std::optional<std::vector<std::string>> seen_names(const tools::Caller& caller) const;
    // Remembers that the caller has named a session.
    void note_named(const tools::Caller& caller);
    void forget_connection(const std::string& connection) { named_.erase(connection); }

private:
    bool sees_all(const tools::Caller& caller) const;

    bool has_port_, is_alone_, is_one_user_;
    std::map<std::string, std::set<std::string>> named_;  // session names, by connection
};
