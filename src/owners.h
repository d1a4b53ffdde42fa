// Whose session a call is for, and whose calls the record keeps.
#pragma once

#include "config/config.h"
#include "session/sessions.h"
#include "tools/record_identity.h"
#include "tools/tool.h"

// Sessions belong to whoever was authenticated, and else to the connection. Without either, a name is all
// there is.
std::string owner_of(const tools::Caller& caller);
// A connection's own session is nobody else's, whoever was authenticated on it.
session::SessionKey key_of(const tools::Caller& caller);
// Who a caller is in the record. Where only this user can connect, all calls are the user's; one client on
// standard input goes on where the one before it was.
tools::RecordIdentity identity_of(const config::ServerConfig& server, const tools::Caller& caller,
                                  const session::SessionKey& key);
