// One row of the table of options: what it is called everywhere and what a value may look like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace config {

enum class Type {
    Bool,
    Integer,   // from `least` to `most`
    Number,    // from `least`, with a fraction
    Duration,  // whole milliseconds, from `least` to `most`
    String,
    Path,    // relative to the working directory
    Choice,  // one of `choices`
    List,    // strings; outside of JSON parted by `separator`, where it has one
    Paths,   // a List; relative to the file that names them
    Size,    // 1280x720
    Map,     // names to strings; outside of JSON one "name<separator>value"
    Json,    // whatever JSON has the type that `choices` names
    Open,    // a section that keeps the keys nobody declared
};

// Who invented the option. Those of @playwright/mcp are read from PLAYWRIGHT_MCP_* as well.
enum class Source { Playwright, Troupe };

struct KeyValue {
    std::string_view key;
    json::value value;
};
// What a flag without a key of its own stands for. Relative paths start at `directory`.
using Expand = Result<std::vector<KeyValue>> (*)(const json::value& given,
                                                 const std::filesystem::path& directory);

struct Option {
    std::string_view key;  // in a file: "server.port"; empty: flag and environment only
    Type type = Type::String;
    std::string_view flag = {};        // without its dashes; Bool flags also have a --no- form
    std::string_view also = {};        // a second name of the flag
    std::string_view value = {};       // what --help shows behind the flag; "<hosts...>" takes several
    std::string_view playwright = {};  // its PLAYWRIGHT_MCP_* name, where that is not the flag's
    std::string_view choices = {};     // "full|none"; for Json its types: "string|object"
    std::string_view fallback = {};    // the default, written as behind the flag; empty: unset
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    char separator = ',';   // 0: none
    bool nullable = false;  // null says something of its own
    bool secret = false;    // never printed or logged
    bool hidden = false;    // not in --help
    std::string_view help = {};
    Expand expand = nullptr;
    // Filled in from the group the row stands in.
    std::string_view group = {};
    Source source = Source::Troupe;
};

}  // namespace config
