#include "policy/audit_chain.h"

#include <fstream>

#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace policy {
namespace {

std::string mac_of(const json::object& content, std::string_view key) {
    return hex_encode(hmac_sha256(key, json::serialize(content)));
}

// Checks the hash of an object against its other members; returns nothing when it does not match.
std::optional<json::object> authentic(std::string_view text, std::string_view key) {
    auto parsed = json::parse(text);
    json::object* content = parsed ? parsed->if_object() : nullptr;
    const json::value* hash = content ? content->if_contains("hash") : nullptr;
    if (!hash || !hash->is_string()) return std::nullopt;
    std::string given(hash->get_string());
    content->erase("hash");
    if (!equal_in_constant_time(mac_of(*content, key), given)) return std::nullopt;
    (*content)["hash"] = given;
    return std::move(*content);
}

std::uint64_t number(const json::object& content, std::string_view name) {
    const json::value* found = content.if_contains(name);
    auto value = found ? json::as_integer(*found) : std::nullopt;
    return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

std::string text(const json::object& content, std::string_view name) {
    return std::string(json::find_string(content, name).value_or(""));
}

}  // namespace

std::string append_entry(AuditEnd& end, json::object entry, std::string_view key) {
    entry["number"] = end.count + 1;
    entry["previous"] = end.hash;
    std::string hash = mac_of(entry, key);
    entry["hash"] = hash;
    std::string line = json::serialize(entry) + "\n";
    end = {.count = end.count + 1, .size = end.size + line.size(), .hash = std::move(hash)};
    return line;
}

bool follow_entry(AuditEnd& end, std::string_view line, std::string_view key) {
    auto entry = authentic(line, key);
    if (!entry || number(*entry, "number") != end.count + 1 || text(*entry, "previous") != end.hash)
        return false;
    end = {.count = end.count + 1, .size = end.size + line.size() + 1, .hash = text(*entry, "hash")};
    return true;
}

std::string write_mark(const AuditEnd& end, std::string_view key) {
    json::object mark{{"end", end.hash}, {"count", end.count}, {"size", end.size}};
    mark["hash"] = mac_of(mark, key);
    return json::serialize(mark) + "\n";
}

std::optional<AuditEnd> read_mark(std::string_view given, std::string_view key) {
    auto mark = authentic(given, key);
    // An entry must not pass for an end mark.
    if (!mark || !mark->if_contains("end")) return std::nullopt;
    return AuditEnd{
        .count = number(*mark, "count"), .size = number(*mark, "size"), .hash = text(*mark, "end")};
}

Result<std::size_t> verify_audit(const AuditPlace& place) {
    const std::string name = place.file.string();
    auto marked = read_file(place.end_mark);
    auto mark = marked ? read_mark(*marked, place.key) : std::nullopt;
    std::ifstream lines(place.file);
    if (!lines && mark && mark->count > 0)
        return Error{.code = ErrorCode::NotFound,
                     .message = name + " is gone; it had " + std::to_string(mark->count) + " entries."};
    if (!lines) return Error{.code = ErrorCode::NotFound, .message = "Cannot read " + name + "."};
    AuditEnd end;
    for (std::string line; std::getline(lines, line);) {
        if (follow_entry(end, line, place.key)) continue;
        return Error{.message = name + " was changed at line " + std::to_string(end.count + 1) + ".",
                     .hint = "Or it was written with another key: store.keyFile must be what it was then."};
    }
    if (!mark)
        return Error{.message = "Whether the end of " + name + " is missing is unknown: its mark " +
                                place.end_mark.string() + " cannot be read.",
                     .hint = "Verify the log where its server runs, with the same state directory and key."};
    if (end.count < mark->count)
        return Error{.message = name + " lacks its last " + std::to_string(mark->count - end.count) + " of " +
                                std::to_string(mark->count) + " entries."};
    return static_cast<std::size_t>(end.count);
}

}  // namespace policy
