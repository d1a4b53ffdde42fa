#include "tools/record_identity.h"

#include "util/crypto.h"
#include "util/strings.h"

namespace tools {
namespace {

// Connections are known by secrets, so what is stored and shown is a hash.
std::string tag(std::string_view text) { return hex_encode(sha256(text)).substr(0, 16); }

}  // namespace

RecordIdentity record_identity(std::string_view owner, std::string_view key_owner, std::string_view name) {
    RecordIdentity identity{.owner = tag(owner), .session_id = std::string(name), .name = std::string(name)};
    // The last "@" begins the tag, so no name can pass for another owner's session.
    if (name.empty() || !key_owner.empty() || name.find('@') != name.npos)
        identity.session_id += "@" + tag(key_owner);
    identity.reader = identity.owner + " " + identity.session_id;
    return identity;
}

}  // namespace tools
