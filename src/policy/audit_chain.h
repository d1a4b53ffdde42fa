// How the entries of an audit log hang together, and where it is kept that the last one is the last.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "util/json.h"
#include "util/result.h"

namespace policy {

// An audit log and what proves it: the key that its entries are authenticated with, and the file of its end
// mark, which whoever can write the log is not meant to reach.
struct AuditPlace {
    std::filesystem::path file;
    std::filesystem::path end_mark;
    std::string key;
};

// The last entry so far. Every entry authenticates its number and the entry before it.
struct AuditEnd {
    std::uint64_t count = 0;
    std::uint64_t size = 0;  // of the log in bytes, up to there
    std::string hash = std::string(64, '0');
};

// Makes `entry` the next one and gives its line.
std::string append_entry(AuditEnd& end, json::object entry, std::string_view key);
// Takes the line as the next entry; false when it is not.
bool follow_entry(AuditEnd& end, std::string_view line, std::string_view key);

// The mark as a file holds it. Nothing when it is not one of this key.
std::string write_mark(const AuditEnd& end, std::string_view key);
std::optional<AuditEnd> read_mark(std::string_view text, std::string_view key);

// The number of entries. Fails by naming the first line that does not follow from those before it, or how
// many entries are missing at the end.
Result<std::size_t> verify_audit(const AuditPlace& place);

}  // namespace policy
