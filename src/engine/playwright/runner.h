// Runs Playwright code on the pages of a context that we drive ourselves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cdp/context.h"
#include "engine/code_runner.h"
#include "engine/playwright/helper.h"

namespace playwright {

// Returns the session's pages if the context is shared. Empty: all pages are the session's.
using OwnPages = std::function<std::vector<std::shared_ptr<engine::Page>>()>;

// Starts a helper on first use and keeps it, so that the code's routes, listeners and init scripts stay. The
// next call replaces a helper that hangs or crashes. Ends with the runner.
std::shared_ptr<engine::CodeRunner> make_runner(Loop& loop, const std::shared_ptr<cdp::Context>& context,
                                                OwnPages own_pages, HelperOptions options, Log& log);

}  // namespace playwright
