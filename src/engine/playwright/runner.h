// Playwright code on the pages of a context that we drive ourselves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cdp/context.h"
#include "engine/code_runner.h"
#include "engine/playwright/helper.h"

namespace playwright {

// The pages that are the session's, where others have pages in the same context. Empty: all of them are.
using OwnPages = std::function<std::vector<std::shared_ptr<engine::Page>>()>;

// Starts a helper on first use and keeps it, so that routes, listeners and init scripts of the code stay. A
// helper that hangs or crashes is replaced by the next call. Ends with the runner.
std::shared_ptr<engine::CodeRunner> make_runner(Loop& loop, const std::shared_ptr<cdp::Context>& context,
                                                OwnPages own_pages, HelperOptions options, Log& log);

}  // namespace playwright
