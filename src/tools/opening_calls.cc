#include "tools/opening_calls.h"

namespace tools {

const json::value* address_to_open(std::string_view tool, const json::value& arguments) {
    if (!arguments.is_object()) return nullptr;
    for (const OpeningArgument& each : kOpeningArguments) {
        const json::value* given = each.tool == tool ? json::find(arguments, each.argument) : nullptr;
        if (given && !given->is_null()) return given;
    }
    return nullptr;
}

}  // namespace tools
