// One row of the table of options: its names, and the form of its values.
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
    Integer,   // from `min` to `max`
    Number,    // from `min`, with a fraction
    Duration,  // whole milliseconds, from `min` to `max`
    String,
    Path,         // relative to the working directory
    Choice,       // one of `choices`
    List,         // strings; outside of JSON split at `separator`, where it has one
    Paths,        // a List; relative to the file that names them
    Size,         // 1280x720
    Map,          // names to strings; outside of JSON one "name<separator>value"
    Json,         // any JSON of the types that `choices` names
    OpenSection,  // a section that keeps undeclared keys
};

// The project that defined the option. Options of @playwright/mcp are read from PLAYWRIGHT_MCP_* as well.
enum class Source { Playwright, Troupe };

struct KeyValue {
    std::string_view key;
    json::value value;
};
// Expands a flag without a key of its own into other options. Relative paths start at `directory`.
using Expand = Result<std::vector<KeyValue>> (*)(const json::value& given,
                                                 const std::filesystem::path& directory);

// Whether a .env file in the working directory may set an option. Such a file may come with a repository, so
// it must not start a program, open a file or loosen a rule.
enum class FromDotenv { ByType, Yes, No };  // ByType: switches, numbers and choices

struct Option {
    std::string_view key;  // in a file: "server.port"; empty: flag and environment only
    Type type = Type::String;
    std::string_view flag = {};        // without its dashes; Bool flags also have a --no- form
    std::string_view alias = {};       // a second name of the flag
    std::string_view value = {};       // placeholder in --help; "<hosts...>" takes several
    std::string_view playwright = {};  // its PLAYWRIGHT_MCP_* name, if not the flag's
    // Further names, separated by | and never shown.
    std::string_view other_keys = {};
    std::string_view other_variables = {};
    std::string_view last_variable = {};  // one of these, which takes precedence over flags
    std::string_view choices = {};        // "full|none"; for Json its types: "string|object"
    std::string_view default_value = {};  // the default, in the form of a flag's value; empty: unset
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    char separator = ',';   // 0: none
    bool nullable = false;  // null has a meaning of its own
    bool secret = false;    // never printed or logged
    bool hidden = false;    // not in --help
    FromDotenv dotenv = FromDotenv::ByType;
    std::string_view needs = {};  // only read with this flag, which chooses an engine; warned of without it
    std::string_view help = {};
    Expand expand = nullptr;
    // Copied from the row's group.
    std::string_view group = {};
    Source source = Source::Troupe;
};

}  // namespace config
