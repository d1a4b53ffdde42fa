// Restrictions on pages and agents. Rules here are enforced, or the server does not start.
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
     .default_value = "false",
     .help = "Keep pages from private and loopback addresses, whatever name leads there."},
    {.key = "security.enableScriptEvaluation",
     .type = Type::Bool,
     .default_value = "true",
     .help = "Let agents run scripts of their own in pages, and make up answers that may have some."},
    {.key = "security.enableFileUpload",
     .type = Type::Bool,
     .default_value = "true",
     .help = "Let agents hand files to pages."},
    {.key = "security.maxScreenshotSize",
     .type = Type::Integer,
     .min = 1,
     .help = "Largest screenshot that agents may take, in bytes. Unless given, any."},
    {.key = "security.writableDotNames",
     .type = Type::List,
     .default_value = ".auth",
     .help = "Names with a leading dot that tools may write in a workspace, directories or files; * is any. "
             "Others, such as .git and .vscode, have what runs by itself."},
    {.key = "security.allowedTools",
     .type = Type::List,
     .help = "Tools that may be called; * and ? match. Unless given, all."},
    {.key = "security.blockedTools",
     .type = Type::List,
     .help = "Tools that may not be called, nor others that do the same; * and ? match."},
    {.key = "security.rules",
     .type = Type::Json,
     .choices = "array",
     .help = "What callers may do, by the first rule that fits: {principal, session, scopes, tools, "
             "capabilities, deny, allowedDomains, blockedDomains, rate}. principal and session are patterns "
             "of who was authenticated and of the session's name; scopes are those that the caller's OAuth "
             "token must have, all of them; tools and capabilities (core: what needs none) are all that may "
             "be called, deny is what may not, nor any other tool that does the same; the domains hold for "
             "the session's pages beside those for everybody; rate is calls a minute of a principal. "
             "Resources and the JSON API count as the tools that tell the same, prompts as prompts/<name>."},
    {.key = "security.confirm",
     .type = Type::List,
     .help = "Tools that a person has to confirm each time, asked through the client, and others that do the "
             "same; * and ? match."},
    {.key = "security.confirmTimeout",
     .type = Type::Duration,
     .default_value = "120000",
     .min = 1,
     .help = "Time to answer in; no answer is a no."},
    {.key = "security.secretOrigins",
     .type = Type::Json,
     .choices = "object",
     .help = "Secrets by name, and the origins that each may be typed at, such as "
             "{\"PASSWORD\": [\"https://*.example.com\"]}. Others may be typed anywhere."},
    {.key = "security.secretsCommand",
     .type = Type::Json,
     .choices = "string|array",
     .help =
         "Program that prints NAME=value lines, secrets to add to the others; run when the server starts."},
    {.key = "security.markUntrusted",
     .type = Type::Bool,
     .flag = "mark-untrusted",
     .default_value = "false",
     .help = "Fence what answers show of pages with a random mark, so that it cannot pass for instructions."},
    {.key = "security.auditLog",
     .type = Type::Path,
     .help = "File that every refusal is added to. Unless given, audit.log in the state directory."},
};

}  // namespace config
