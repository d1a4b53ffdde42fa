// The table, part five: options that have their name and place already and do nothing yet. Whoever builds
// what one of them promises moves its row into a group with Status::Now.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kLaterOptions[] = {

    {.key = "security.maxScreenshotSize", .type = Type::Integer, .help = "Largest screenshot in bytes."},
    {.key = "security.markUntrusted",
     .type = Type::Bool,
     .flag = "mark-untrusted",
     .fallback = "false",
     .help = "Fence what pages say in answers, so that it cannot pass for instructions."},
};

}  // namespace config
