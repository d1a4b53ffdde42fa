// The state of a call that waits for its client's answers: carried by the client, and not trusted.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "mcp/message.h"

namespace mcp {

// Seals answers into an opaque text that only this server can have made. It is valid for one request of one
// caller, for a limited time.
class RequestStateSealer {
public:
    using Clock = std::chrono::system_clock;
    static constexpr std::chrono::minutes kLifetime{15};

    RequestStateSealer();

    // Every sealed text is different.
    std::string seal(const Request& request, std::string_view principal, const json::object& answers,
                     Clock::time_point now) const;
    // Returns the answers; an Error when the text was changed, is too old, or was made for another request.
    Result<json::object> unseal(std::string_view state, const Request& request, std::string_view principal,
                                Clock::time_point now) const;

private:
    std::string digest(const Request& request, std::string_view principal) const;

    std::string key_;
};

}  // namespace mcp
