// Whose session a call is for, and whose calls the record keeps.
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

// Tells callers apart. Sessions belong to whoever was authenticated. Where nobody has to be and only this
// user's programs can connect (standard input, a Unix socket, a loopback address that no proxy leads to), all
// callers are that user: a name means the same session to each of them, also after a restart. Elsewhere names
// belong to their connection, and those of callers without one to whoever knows them.
class Owners {
public:
    explicit Owners(const config::ServerConfig& server);

    // Whether there is one client, on standard input.
    bool is_alone() const { return is_alone_; }
    std::string owner_of(const tools::Caller& caller) const;
    // A connection's own session is nobody else's, whoever was authenticated on it. "default" is another name
    // for it.
    session::SessionKey key_of(const tools::Caller& caller) const;
    // Who a caller is in the record. Where only this user can connect, calls in named sessions are the
    // user's; `continues` says that one client on standard input goes on reading where the one before it was.
    // `kept_apart` is set for a session whose name another server has at the same time.
    tools::RecordIdentity identity_of(const tools::Caller& caller, const session::SessionKey& key,
                                      bool continues, const std::string& kept_apart = {}) const;

    // Whether a caller is told of its owner's session of this name without having named it. Somebody who was
    // authenticated is, and this user's own programs on standard input or a Unix socket. Others are told of
    // those that their call or their connection has named: who holds a session's id sees the session.
    bool sees(const tools::Caller& caller, const std::string& name) const;
    // The names that such a caller sees; nothing when it sees all of its owner's.
    std::optional<std::vector<std::string>> seen_names(const tools::Caller& caller) const;
    // The caller has named a session.
    void note_named(const tools::Caller& caller);
    void forget_connection(const std::string& connection) { named_.erase(connection); }

private:
    bool sees_all(const tools::Caller& caller) const;

    bool has_port_, is_alone_, is_one_user_;
    std::map<std::string, std::set<std::string>> named_;  // sessions, by connection
};
