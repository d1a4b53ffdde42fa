// The owner and session that the record assigns a call to.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/client.h"

namespace tools {

struct RecordIdentity {
    std::string owner;       // does not reveal who that is; never empty
    std::string session_id;  // in the record, unique among all owners
    std::string name;        // the session's name, as its owner knows it; empty: the owner's own session
    std::string reader;      // the key under which the read cursor is kept
    std::vector<std::string> also_reads = {};  // other owners whose calls it may read
    std::string state_id = {};  // the key of the session's saved state; empty: unknown, or not saved

    bool may_read(std::string_view other) const {
        return other == owner || std::ranges::find(also_reads, other) != also_reads.end();
    }
};

using IdentifyCaller = std::function<RecordIdentity(const Caller& caller)>;

// The hash that stands for an owner in the record.
std::string owner_tag(std::string_view owner);
// The session of this name; with an empty name, the owner's own. `owner` may read it; `key_owner` separates
// it from others' sessions of the same name and is empty when no separation is needed.
RecordIdentity record_identity(std::string_view owner, std::string_view key_owner, std::string_view name);
// The name under which its owner knows the session of this id.
std::string shown_session(std::string_view session_id);

}  // namespace tools
