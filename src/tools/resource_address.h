// What the URIs of a session's resources name: playwright:///page/default/ABC/snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tools {

inline constexpr std::string_view kResourceScheme = "playwright:///";
// The session that a caller has without naming one.
inline constexpr std::string_view kOwnSession = "default";
// The screenshot that is taken when it is read.
inline constexpr std::string_view kScreenshotNow = "now";

enum class ResourceKind { Session, Page, Snapshot, Element, Screenshot, NetworkLog, Download, Content };

struct ResourceAddress {
    ResourceKind kind = ResourceKind::Session;
    std::string session = {};  // its name; empty: the caller's own
    std::string page = {};     // the id of a tab
    std::string item = {};     // an element's ref, a screenshot's time, a file's name or a call's ref_id
};

// Nothing for other URIs.
std::optional<ResourceAddress> parse_address(std::string_view uri);
std::string to_uri(const ResourceAddress& address);

}  // namespace tools
