// The hash chain of an audit log's entries, and the end mark that shows that none is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "util/json.h"
#include "util/result.h"

namespace policy {

// An audit log and the means to verify it: the key that authenticates its entries, and the file of its end
// mark, which users with write access to the log should not be able to reach.
struct AuditPlace {
    std::filesystem::path file;
    std::filesystem::path end_mark;
    std::string key;
};

// The position of the last entry. Every entry authenticates its number and the entry before it.
struct AuditEnd {
    std::uint64_t count = 0;
    std::uint64_t size = 0;  // of the log in bytes, up to this entry
    std::string hash = std::string(64, '0');
};

// Appends `entry` to the chain and returns its line.
std::string append_entry(AuditEnd& end, json::object entry, std::string_view key);
// Accepts the line as the next entry; returns false when it is not.
bool follow_entry(AuditEnd& end, std::string_view line, std::string_view key);

// Format and parse the end mark. Reading returns nothing for a mark of another key.
std::string write_mark(const AuditEnd& end, std::string_view key);
std::optional<AuditEnd> read_mark(std::string_view text, std::string_view key);

// Returns the number of entries. Fails with the first line that does not follow from those before it, or with
// the number of entries missing at the end.
Result<std::size_t> verify_audit(const AuditPlace& place);

}  // namespace policy
