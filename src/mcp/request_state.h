// The state of a call that waits for its client's answers, carried by the client and trusted by nobody.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "mcp/message.h"

namespace mcp {

// Seals answers into an opaque text that only this server can have made, for one request of one caller, for a
// while.
class RequestStateSealer {
public:
    using Clock = std::chrono::system_clock;
    static constexpr std::chrono::minutes kLifetime{15};

    RequestStateSealer();

    // No two are the same.
    std::string seal(const Request& request, std::string_view principal, const json::object& answers,
                     Clock::time_point now) const;
    // The answers; an Error when the text was changed, is too old, or was made for something else.
    Result<json::object> unseal(std::string_view state, const Request& request, std::string_view principal,
                                Clock::time_point now) const;

private:
    std::string digest(const Request& request, std::string_view principal) const;

    std::string key_;
};

}  // namespace mcp
