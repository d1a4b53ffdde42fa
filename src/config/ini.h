// INI files: `key = value` lines under [sections].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace config {

struct IniEntry {
    std::string key;    // includes its section: "server.port"
    std::string value;  // without quotes and comments
    bool quoted = false;
    int line = 0;
};

// # and ; begin a comment at the start of a line or after a space. "…" supports JSON's escapes, '…' none.
// The error's message begins with the line's number.
Result<std::vector<IniEntry>> parse_ini(std::string_view text);

}  // namespace config
