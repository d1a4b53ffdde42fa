// Times as people and programs write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/records.h"
#include "util/time_text.h"

namespace store {

// "2026-07-28T12:00:00.123Z".
inline std::string to_text(Time time) { return utc_text(time); }
// Parses the same with fewer parts ("2026-07-28", "2026-07-28T12:00Z"; always UTC), milliseconds since 1970,
// or the time before `now`: "90s", "30m", "2h", "7d".
std::optional<Time> parse_time(std::string_view text, Time now);

}  // namespace store
