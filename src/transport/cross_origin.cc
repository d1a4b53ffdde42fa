#include "transport/cross_origin.h"

#include "util/strings.h"

namespace transport {

bool is_preflight(const HttpExchange& exchange) {
    return exchange.method() == "OPTIONS" && exchange.header("Origin") &&
           exchange.header("Access-Control-Request-Method");
}

Headers cross_origin_headers(std::string origin) {
    return {{"Access-Control-Allow-Origin", std::move(origin)},
            {"Access-Control-Expose-Headers",
             "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After"},
            {"Vary", "Origin"}};
}

void answer_preflight(HttpExchange& exchange, std::string_view methods) {
    Headers headers{
        {"Access-Control-Allow-Methods", std::string(methods)},
        // The wildcard covers headers such as Mcp-Param-…, but never Authorization.
        {"Access-Control-Allow-Headers",
         "Authorization, Accept, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, "
         "Mcp-Session-Id, *"},
        {"Access-Control-Max-Age", "600"}};
    // Browsers ask this for a page from a less local network than ours.
    if (equals_ignoring_case(exchange.header("Access-Control-Request-Private-Network").value_or(""), "true"))
        headers.emplace_back("Access-Control-Allow-Private-Network", "true");
    exchange.respond(204, headers, {});
}

}  // namespace transport
