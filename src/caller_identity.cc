#include "caller_identity.h"

#include <algorithm>

#include "settings.h"
#include "tools/resource_address.h"
#include "util/crypto.h"
#include "util/loopback.h"

namespace {

// Limits the names that a caller can use, because they cost it nothing.
constexpr std::size_t kMaxNames = 1000;

// Every caller that can connect is the user that the server runs as. Allowed names other than loopback ones
// indicate a proxy, and with it remote callers.
bool is_one_user(const config::ServerConfig& server) {
    if (needs_token(server)) return false;
    if (!server.port) return true;
    auto is_local = [](const std::string& host) { return is_loopback(std::string_view(host)); };
    return is_local(server.host) && std::ranges::all_of(server.allowed_hosts, is_local);
}

// Whether all callers that cannot be told apart would have this session.
bool is_nobodys(const session::SessionKey& key) { return key.owner == session::kAnybody && key.name.empty(); }

}  // namespace

CallerIdentity::CallerIdentity(const config::ServerConfig& server)
    : has_port_(server.port.has_value()),
      is_alone_(!server.port && server.socket.empty() && !server.daemon),
      is_one_user_(is_one_user(server)) {}

std::string CallerIdentity::owner_of(const tools::Caller& caller) const {
    if (!caller.principal.empty()) return "principal " + caller.principal;
    if (is_one_user_) return "";
    return caller.connection.empty() ? std::string(session::kAnybody) : "connection " + caller.connection;
}

session::SessionKey CallerIdentity::key_of(const tools::Caller& caller) const {
    auto is_own = [](const std::string& name) { return name.empty() || name == tools::kOwnSession; };
    const std::string& name = is_own(caller.session_name) ? caller.path_name : caller.session_name;
    std::string owner = owner_of(caller);
    if (!is_own(name)) return {owner, name};
    if (!caller.connection.empty()) return {"connection " + caller.connection, ""};
    return {owner == session::kAnybody && caller.same_user ? "" : owner, ""};
}

std::optional<Error> CallerIdentity::refusal(const tools::Caller& caller) const {
    if (!is_nobodys(key_of(caller))) return std::nullopt;
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "This call names no session, and the server cannot tell its clients apart.",
                 .hint =
                     "Give the call a sessionId that others cannot guess, such as a UUID, and repeat it in "
                     "every call; or use an address with it, /mcp/<id>."};
}

tools::RecordIdentity CallerIdentity::identity_of(const tools::Caller& caller, const session::SessionKey& key,
                                                  bool continues, const std::string& kept_apart) const {
    constexpr std::string_view kUser = "local";
    // Nobody can read later what such a call has said.
    if (is_nobodys(key)) return tools::record_identity(random_uuid(), key.owner, random_uuid());
    std::string owner = !has_port_ || (is_one_user_ && key.owner.empty()) ? std::string(kUser)
                        : is_one_user_                                    ? key.owner
                                                                          : owner_of(caller);
    tools::RecordIdentity identity =
        tools::record_identity(owner, kept_apart.empty() ? key.owner : kept_apart, key.name);
    if (has_port_ && is_one_user_) {
        // Earlier versions recorded the user with an empty name.
        for (const std::string& other :
             {std::string(kUser), std::string(), "connection " + caller.connection})
            identity.also_reads.push_back(tools::owner_tag(other));
    }
    if (is_alone_ && continues && kept_apart.empty()) identity.reader = identity.owner + " " + key.name;
    return identity;
}

bool CallerIdentity::sees_all(const tools::Caller& caller) const {
    return is_alone_ || caller.same_user || !caller.principal.empty() ||
           owner_of(caller).starts_with("connection ");
}

bool CallerIdentity::sees(const tools::Caller& caller, const std::string& name) const {
    auto seen = seen_names(caller);
    return !seen || std::ranges::find(*seen, name) != seen->end();
}

std::optional<std::vector<std::string>> CallerIdentity::seen_names(const tools::Caller& caller) const {
    if (sees_all(caller)) return std::nullopt;
    std::vector<std::string> names;
    for (const std::string& name : {caller.session_name, caller.path_name})
        if (!name.empty()) names.push_back(name);
    auto known = named_.find(caller.connection);
    if (known != named_.end()) names.insert(names.end(), known->second.begin(), known->second.end());
    return names;
}

void CallerIdentity::note_named(const tools::Caller& caller) {
    if (caller.connection.empty() || caller.session_name.empty() || sees_all(caller)) return;
    std::set<std::string>& names = named_[caller.connection];
    if (names.size() < kMaxNames) names.insert(caller.session_name);
}
