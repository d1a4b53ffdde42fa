// Starting Chromium, and making sure that it ends.
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
    // The end of what it printed, for a person to read.
    virtual std::string printed() const = 0;
    virtual bool is_headless_shell() const = 0;
    virtual int id() const = 0;
    // Asks it to end, then insists: Browser.close, SIGTERM, SIGKILL.
    virtual Task<> close(Deadline deadline) = 0;
};

// Gives the browser once it answers. Errors carry what it printed.
Task<std::unique_ptr<BrowserProcess>> launch(Loop& loop, engine::LaunchOptions options, Log& log);

}  // namespace cdp
