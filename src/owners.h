// Whose session a call is for, and whose calls the record keeps.
#pragma once

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

private:
    bool has_port_, is_alone_, is_one_user_;
};
