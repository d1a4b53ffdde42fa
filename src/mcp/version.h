// The protocol's revisions.
#pragma once

#include <array>
#include <string_view>

namespace mcp {

// Revisions that open with `initialize`, oldest first.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                    "2025-11-25"};
inline constexpr std::string_view kNewestLegacyVersion = kLegacyVersions.back();
// The version assumed for an HTTP client that does not send one.
inline constexpr std::string_view kDefaultHttpVersion = "2025-03-26";
// The stateless revision: every request carries its sender and version.
inline constexpr std::string_view kModernVersion = "2026-07-28";

bool is_legacy_version(std::string_view version);
// Whether this is a date from 2026-07-28 on: a revision without a handshake, known to us or not.
bool is_modern_version(std::string_view version);

}  // namespace mcp
