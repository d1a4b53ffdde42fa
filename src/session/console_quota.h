// How much of what its pages log a session keeps in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace session {

// Counts the bytes of all console files of a session. Unset limit: none.
class ConsoleQuota {
public:
    explicit ConsoleQuota(std::optional<std::uint64_t> limit) : limit_(limit) {}

    // Whether the line still fits. One that does not is left out, and so are all after it.
    bool take(std::uint64_t bytes);
    // A sentence about the lines left out since the last call, with the option's key; empty when there are
    // none.
    std::string take_refusal();

private:
    std::optional<std::uint64_t> limit_;
    std::uint64_t used_ = 0, left_out_ = 0;
    bool is_full_ = false;
};

}  // namespace session
