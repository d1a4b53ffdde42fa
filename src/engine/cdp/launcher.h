// Starts Chromium, and makes sure that it ends.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/browser.h"
#include "engine/cdp/connection.h"

namespace cdp {

// A browser process with its pipe. Dropping it kills the whole process group and removes a temporary profile.
class BrowserProcess {
public:
    virtual ~BrowserProcess() = default;

    virtual const std::shared_ptr<Connection>& connection() const = 0;
    // The end of its output, for a person to read.
    virtual std::string printed() const = 0;
    virtual bool is_headless_shell() const = 0;
    virtual int id() const = 0;
    // Ends it with Browser.close, then SIGTERM, then SIGKILL.
    virtual Task<> close(Deadline deadline) = 0;
    // Kills it and its children at once, also if they are stopped.
    virtual void kill() = 0;
};

// The proxy bypass list for `bypass`. Loopback addresses use the proxy unless listed there.
std::string bypass_list(const std::string& bypass);

// Returns the browser once it answers. Errors contain its output.
Task<std::unique_ptr<BrowserProcess>> launch(Loop& loop, engine::LaunchOptions options, Log& log);

}  // namespace cdp
