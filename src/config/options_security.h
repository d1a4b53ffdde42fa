// What pages and agents may do. Rules here are enforced, or the server does not start.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kSecurityOptions[] = {
    {.key = "security.allowedDomains",
     .type = Type::List,
     .help = "Domains that may be reached, with all below them; * and ? match. Unless given, all."},
    {.key = "security.blockedDomains",
     .type = Type::List,
     .help = "Domains that may not be reached, with all below them; * and ? match."},
    {.key = "security.denyPrivateNetworks",
     .type = Type::Bool,
     .fallback = "false",
     .help = "Keep pages from private and loopback addresses, whatever name leads there."},
    {.key = "security.enableScriptEvaluation",
     .type = Type::Bool,
     .fallback = "true",
     .help = "Let agents run scripts of their own in pages."},
    {.key = "security.enableFileUpload",
     .type = Type::Bool,
     .fallback = "true",
     .help = "Let agents hand files to pages."},
    {.key = "security.maxScreenshotSize",
     .type = Type::Integer,
     .help = "Largest screenshot that agents may have, in bytes of the picture. Unless given, any."},
    {.key = "security.allowedTools",
     .type = Type::List,
     .help = "Tools that may be called; * and ? match. Unless given, all."},
    {.key = "security.blockedTools",
     .type = Type::List,
     .help = "Tools that may not be called; * and ? match."},
    {.key = "security.auditLog",
     .type = Type::Path,
     .help = "File that every refusal is added to. Unless given, audit.log in the state directory."},
};

}  // namespace config
