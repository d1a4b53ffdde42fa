// The pool: the number of browsers for all sessions, and the limits on further contexts.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kPoolOptions[] = {
    {.key = "pool.minBrowsers",
     .type = Type::Integer,
     .default_value = "0",
     .max = 1000,
     .help = "Browsers to start with the server and to keep running."},
    {.key = "pool.maxBrowsers",
     .type = Type::Integer,
     .default_value = "4",
     .min = 1,
     .max = 1000,
     .help = "Browsers that share the sessions' contexts at most; those with a browser of their own come on "
             "top."},
    {.key = "pool.idleTimeout",
     .type = Type::Duration,
     .help = "Time an unused browser above the minimum stays. Unless given, 60000 where the server listens, "
             "and 0 on stdio."},
    {.key = "pool.warmContexts",
     .type = Type::Integer,
     .max = 1000,
     .help = "Blank contexts to keep ready for new sessions once a browser runs. Unless given, 2 where the "
             "server listens and browsers are headless, and 0 else."},
    {.key = "pool.maxMemory",
     .type = Type::Integer,
     .help = "MiB that browsers may use together before new sessions wait; 0 is no limit. Unless given, 80 % "
             "of what is available when the server starts."},
    {.key = "pool.queueTimeout",
     .type = Type::Duration,
     .default_value = "30000",
     .help = "How long a call waits for a slot, over the limits on sessions and memory."},
    {.key = "pool.spareProcessor",
     .type = Type::Bool,
     .default_value = "true",
     .help =
         "Whether pages that do nothing but compute, and pages that are being opened, leave one processor "
         "to the sessions that work."},
};

}  // namespace config
