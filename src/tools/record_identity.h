// Whose a call is, in the record.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/client.h"

namespace tools {

struct RecordIdentity {
    std::string owner;       // says nothing about who that is; never empty
    std::string session_id;  // in the record, unique among all owners
    std::string name;        // of the session, as its owner knows it; empty: the owner's own
    std::string reader;      // whose place in what was read already is kept
    std::vector<std::string> also_reads = {};  // owners whose calls it may read beside its own
    std::string state_id = {};  // under which the session's state is saved; empty: not known, or nowhere

    bool may_read(std::string_view other) const {
        return other == owner || std::ranges::find(also_reads, other) != also_reads.end();
    }
};

using IdentifyCaller = std::function<RecordIdentity(const Caller& caller)>;

// An owner as the record names it.
std::string owner_tag(std::string_view owner);
// The session of this name, or with an empty one the owner's own. `owner` may read it; `key_owner` is what
// keeps it apart from others' sessions of the same name: empty where nobody has to be.
RecordIdentity record_identity(std::string_view owner, std::string_view key_owner, std::string_view name);

}  // namespace tools
