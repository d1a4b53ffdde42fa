#include "owners.h"

#include <algorithm>

#include "settings.h"
#include "tools/resource_address.h"
#include "util/loopback.h"

namespace {

// Names cost a caller nothing.
constexpr std::size_t kMaxNames = 1000;

// Whoever can connect to the server is the user that it runs as. Names that are allowed beyond loopback ones
// mean a proxy, and with it callers from elsewhere.
bool is_one_user(const config::ServerConfig& server) {
    if (needs_token(server)) return false;
    if (!server.port) return true;
    auto is_local = [](const std::string& host) { return is_loopback(std::string_view(host)); };
    return is_local(server.host) && std::ranges::all_of(server.allowed_hosts, is_local);
}

}  // namespace

Owners::Owners(const config::ServerConfig& server)
    : has_port_(server.port.has_value()),
      is_alone_(!server.port && server.socket.empty() && !server.daemon),
      is_one_user_(is_one_user(server)) {}

std::string Owners::owner_of(const tools::Caller& caller) const {
    if (!caller.principal.empty()) return "principal " + caller.principal;
    if (is_one_user_) return "";
    return caller.connection.empty() ? std::string(session::kAnybody) : "connection " + caller.connection;
}

session::SessionKey Owners::key_of(const tools::Caller& caller) const {
    auto is_own = [](const std::string& name) { return name.empty() || name == tools::kOwnSession; };
    const std::string& name = is_own(caller.session_name) ? caller.path_name : caller.session_name;
    if (!is_own(name)) return {owner_of(caller), name};
    return {caller.connection.empty() ? owner_of(caller) : "connection " + caller.connection, ""};
}

tools::RecordIdentity Owners::identity_of(const tools::Caller& caller, const session::SessionKey& key,
                                          bool continues, const std::string& kept_apart) const {
    constexpr std::string_view kUser = "local";
    std::string owner = !has_port_ || (is_one_user_ && key.owner.empty()) ? std::string(kUser)
                        : is_one_user_                                    ? key.owner
                                                                          : owner_of(caller);
    tools::RecordIdentity identity =
        tools::record_identity(owner, kept_apart.empty() ? key.owner : kept_apart, key.name);
    if (has_port_ && is_one_user_) {
        // Earlier versions knew the user by no name at all.
        for (const std::string& other :
             {std::string(kUser), std::string(), "connection " + caller.connection})
            identity.also_reads.push_back(tools::owner_tag(other));
    }
    if (is_alone_ && continues && kept_apart.empty()) identity.reader = identity.owner + " " + key.name;
    return identity;
}

bool Owners::sees_all(const tools::Caller& caller) const {
    return is_alone_ || caller.same_user || !caller.principal.empty() ||
           owner_of(caller).starts_with("connection ");
}

bool Owners::sees(const tools::Caller& caller, const std::string& name) const {
    auto seen = seen_names(caller);
    return !seen || std::ranges::find(*seen, name) != seen->end();
}

std::optional<std::vector<std::string>> Owners::seen_names(const tools::Caller& caller) const {
    if (sees_all(caller)) return std::nullopt;
    std::vector<std::string> names;
    for (const std::string& name : {caller.session_name, caller.path_name})
        if (!name.empty()) names.push_back(name);
    auto known = named_.find(caller.connection);
    if (known != named_.end()) names.insert(names.end(), known->second.begin(), known->second.end());
    return names;
}

void Owners::note_named(const tools::Caller& caller) {
    if (caller.connection.empty() || caller.session_name.empty() || sees_all(caller)) return;
    std::set<std::string>& names = named_[caller.connection];
    if (names.size() < kMaxNames) names.insert(caller.session_name);
}
