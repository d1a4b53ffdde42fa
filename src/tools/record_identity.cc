#include "tools/record_identity.h"

#include "tools/resource_address.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace tools {

// Connection ids are secrets, so the record stores and shows a hash.
std::string owner_tag(std::string_view owner) { return hex_encode(sha256(owner)).substr(0, 16); }

RecordIdentity record_identity(std::string_view owner, std::string_view key_owner, std::string_view name) {
    RecordIdentity identity{.owner = owner_tag(owner),
                            .session_id = std::string(name.empty() ? kOwnSession : name),
                            .name = std::string(name),
                            .reader = {}};
    // The last "@" begins the tag, so no name can imitate another owner's session.
    if (name.empty() || !key_owner.empty() || name.find('@') != name.npos)
        identity.session_id += "@" + owner_tag(key_owner);
    identity.reader = identity.owner + " " + identity.session_id;
    return identity;
}

std::string shown_session(std::string_view session_id) {
    std::size_t tag = session_id.rfind('@');
    return std::string(tag == session_id.npos || tag == 0 ? session_id : session_id.substr(0, tag));
}

}  // namespace tools
