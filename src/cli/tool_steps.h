// What the calls of each tool become in a Playwright test.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "util/json.h"

namespace cli {

// The variables of blocks of resources, by their arguments.
using Handlers = std::map<std::string, std::string, std::less<>>;

// A recorded call, for the code that repeats it.
struct WrittenCall {
    const json::object& params;
    const json::value& data;  // of an answer in JSON
    std::string_view code;    // that the answer shows, of a page named `page`
    std::string_view answer;  // the whole text
    std::string_view page;    // the variable of the test
    Handlers& handlers;
    std::function<std::string(std::string_view ref)> locator_of;  // empty: unknown
    std::function<std::string(std::string_view name)> numbered;   // a name that is not used yet
};

enum class Part {
    Action,   // changes the page
    Wait,     // waits for effects of the action before
    Check,    // checks effects of the action before
    Read,     // becomes a check when nothing happens after it
    Nothing,  // leaves the page as it is
    Dialog,   // answers the dialog of the action before
    Files,    // answers the file chooser of the action before
    Tabs,
};

struct ToolSteps {
    std::string_view tool;
    Part part = Part::Action;
    // The code for the test. Nothing: a test cannot repeat the call. Null: the code that the answer shows.
    std::optional<std::string> (*write)(const WrittenCall& call) = nullptr;
    bool goes = false;  // navigates explicitly
};

std::span<const ToolSteps> all_tool_steps();
// The calls of unknown tools, such as those of pages, are actions.
ToolSteps steps_of(std::string_view tool);
// The argument that names the call's element; empty: none does.
std::string_view target_of(const json::object& params);
// Whether the target is a ref: e12, f1e2.
bool is_ref(std::string_view target);

}  // namespace cli
