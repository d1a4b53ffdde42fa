// Parses the head of a request that a browser sends to a proxy, and of a server's answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace policy {

struct ProxyRequest {
    bool tunnel = false;  // CONNECT
    std::string host;     // without brackets
    std::string port;
    std::string url;         // as requested
    std::string head;        // what to send to the server; empty for a tunnel
    std::uint64_t body = 0;  // bytes that follow the head
};

// `head` includes its empty line. Each connection carries one request: it is told to close.
Result<ProxyRequest> read_request(std::string_view head);

// The head of an answer to such a request, with the connection closed after it. Unset for an interim answer
// (1xx), which is forwarded unchanged.
std::optional<std::string> closing_head(std::string_view head);

}  // namespace policy
