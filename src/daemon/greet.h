// The daemon's side of the first lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/hello.h"

namespace daemons {

// Who has connected, and what to answer.
struct Greeted {
    Hello hello;
    Welcome welcome;
};

// Nothing when the line is no greeting, or comes from another user's process.
std::optional<Greeted> greet(int descriptor, std::string_view line, std::size_t others,
                             const std::string& version);

}  // namespace daemons
