#include "owners.h"

std::string owner_of(const tools::Caller& caller) {
    if (!caller.principal.empty()) return "principal " + caller.principal;
    return caller.connection.empty() ? "" : "connection " + caller.connection;
}

session::SessionKey key_of(const tools::Caller& caller) {
    const std::string& name = caller.session_name.empty() ? caller.path_name : caller.session_name;
    if (name.empty() && !caller.connection.empty()) return {"connection " + caller.connection, ""};
    return {owner_of(caller), name};
}

tools::RecordIdentity identity_of(const config::ServerConfig& server, const tools::Caller& caller,
                                  const session::SessionKey& key) {
    bool alone = !server.port && server.socket.empty() && !server.daemon;
    tools::RecordIdentity identity = tools::record_identity(
        server.port ? owner_of(caller) : "local", alone && !key.name.empty() ? "" : key.owner, key.name);
    if (alone) identity.reader = identity.owner + " " + key.name;
    return identity;
}
