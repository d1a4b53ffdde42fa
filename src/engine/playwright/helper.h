// The Node process that runs Playwright.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/cdp/connection.h"

namespace playwright {

// The script that it runs, embedded when we build.
std::string_view helper_script();

struct HelperOptions {
    std::string node = "node";                    // searched on PATH
    std::filesystem::path directory = {};         // working directory, searched first for playwright-core
    std::filesystem::path module = {};            // the package to use; empty: search for it
    std::filesystem::path server_directory = {};  // searched next for playwright-core
    std::filesystem::path artifacts = {};         // where Playwright writes its files
    std::string test_id_attribute = {};
};

// One process, connected by two pipes of its own. It leads a process group that is killed with this object,
// and by the kernel when we die. Lives on the main loop.
class Helper {
public:
    struct Handlers {
        std::function<void(const json::object& message)> devtools;  // a DevTools message from the helper
        std::function<void(const std::string& event)> event;        // "connected", "disconnected"
        std::function<void(const std::string& printed)> ended;      // with the end of its output
    };

    // Fails with an Error that says what to install if Node is missing.
    static Result<std::unique_ptr<Helper>> start(Loop& loop, const HelperOptions& options, Handlers handlers);
    virtual ~Helper() = default;

    virtual void send(const json::object& devtools) = 0;
    // Returns the helper's answer; an exception in the code is an InvalidArgument error with its text.
    // Dropping the Task ignores the answer.
    virtual Task<json::object> ask(json::object request) = 0;
    // Whether any answer is outstanding, including those that no caller awaits any more.
    virtual bool is_busy() const = 0;
    // Fails all pending requests with this error.
    virtual void fail(const Error& error) = 0;
};

// The tool's error if Playwright is not installed.
Error not_installed(const std::string& what);

}  // namespace playwright
