// OAuth 2.1: the accepted access tokens, and their principals.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kOAuthOptions[] = {
    {.key = "server.oauth.issuer",
     .flag = "oauth-issuer",
     .value = "<url>",
     .help =
         "Answer clients that send an access token (a signed JWT) of this OAuth 2.1 or OpenID Connect "
         "issuer, "
         "beside those with a token of --auth-token or server.authTokens. https, or http on this machine."},
    {.key = "server.oauth.resource",
     .flag = "oauth-resource",
     .value = "<url>",
     .help =
         "Where clients reach this server, without /mcp: https://troupe.example.com. Tokens must be issued "
         "for "
         "it, or for what is at /mcp, /sse, /ws or /api below it. Unless given, the loopback address that "
         "the client names."},
    {.key = "server.oauth.audience",
     .type = Type::List,
     .flag = "oauth-audience",
     .value = "<names...>",
     .help =
         "What tokens must be issued for instead, one of these, where the issuer has names of its own for "
         "what is behind server.oauth.resource."},
    {.key = "server.oauth.principalClaim",
     .flag = "oauth-principal-claim",
     .value = "<claim>",
     .default_value = "sub",
     .help =
         "The claim that says who sends a token. Sessions, files and security.rules go by it, with oauth: "
         "before: {\"principal\": \"oauth:ann\"}."},
    {.key = "server.oauth.scopes",
     .type = Type::List,
     .flag = "oauth-scopes",
     .value = "<scopes...>",
     .help = "Scopes that a token must have, all of them. Unless given, none."},
};

}  // namespace config
