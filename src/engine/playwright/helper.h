// The Node process that has Playwright in it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/cdp/connection.h"

namespace playwright {

// Our script for it, embedded when we build.
std::string_view helper_script();

struct HelperOptions {
    std::string node = "node";                    // searched along PATH
    std::filesystem::path directory = {};         // where it runs, and looks for playwright-core first
    std::filesystem::path module = {};            // the package to use; empty: it is looked for
    std::filesystem::path server_directory = {};  // where it looks next
    std::filesystem::path artifacts = {};         // where Playwright keeps its files
    std::string test_id_attribute = {};
};

// One process, spoken to over two pipes of its own. It leads a process group that is killed with this object,
// and by the kernel when we die. Lives on the main loop.
class Helper {
public:
    struct Handlers {
        std::function<void(const json::object& message)> devtools;  // a DevTools message from it
        std::function<void(const std::string& event)> event;        // "connected", "disconnected"
        std::function<void(const std::string& printed)> ended;      // with the end of what it printed
    };

    // An Error says what to install where there is no Node.
    static Result<std::unique_ptr<Helper>> start(Loop& loop, const HelperOptions& options, Handlers handlers);
    virtual ~Helper() = default;

    virtual void send(const json::object& devtools) = 0;
    // Its answer; what the code threw is an InvalidArgument error with that text. Dropping the Task ignores
    // the answer.
    virtual Task<json::object> ask(json::object request) = 0;
    // Whether it still owes an answer, also to one who has stopped waiting.
    virtual bool is_busy() const = 0;
    // Ends all waiting for answers.
    virtual void fail(const Error& error) = 0;
};

// What the tool says where Playwright cannot be had.
Error not_installed(const std::string& what);

}  // namespace playwright
