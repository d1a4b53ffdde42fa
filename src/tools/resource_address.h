// Parses the URIs of a session's resources: playwright:///page/default/ABC/snapshot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tools {

inline constexpr std::string_view kResourceScheme = "playwright:///";
// The session of a caller that names none.
inline constexpr std::string_view kOwnSession = "default";
// The timestamp of a screenshot that is taken when it is read.
inline constexpr std::string_view kScreenshotNow = "now";

enum class ResourceKind { Session, Page, Snapshot, Element, Screenshot, NetworkLog, Download, Content };

struct ResourceAddress {
    ResourceKind kind = ResourceKind::Session;
    std::string session = {};  // the session's name; empty: the caller's own
    std::string page = {};     // the id of a tab
    std::string item = {};     // an element's ref, a screenshot's time, a file's name or a call's ref_id
};

// A resource larger than the limit of one message is read in parts: "<uri>?part=1".
struct PartOfResource {
    std::string uri;                       // of the whole resource
    std::optional<std::size_t> part = {};  // from 1; nothing: the whole
};
PartOfResource part_of(std::string_view uri);

// Nothing for other URIs. For a part, the address of the whole resource.
std::optional<ResourceAddress> parse_address(std::string_view uri);
std::string to_uri(const ResourceAddress& address);

}  // namespace tools
