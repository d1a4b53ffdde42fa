// The head of a request as a browser sends it to a proxy, and of what a server answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace policy {

struct GateRequest {
    bool tunnel = false;  // CONNECT
    std::string host;     // without brackets
    std::string port;
    std::string url;         // as it was asked for
    std::string head;        // what to send to the server; empty for a tunnel
    std::uint64_t body = 0;  // bytes that follow the head
};

// `head` with its empty line. One request a connection: it is told to close.
Result<GateRequest> read_request(std::string_view head);

// The head of an answer to such a request, closing the connection after it. Unset for one that is not final
// (1xx) and goes on as it is.
std::optional<std::string> closing_head(std::string_view head);

}  // namespace policy
