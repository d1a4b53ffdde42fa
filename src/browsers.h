// How this program starts and reaches browsers.
#pragma once

#include "engine/browser.h"
#include "engine/code_runner.h"
#include "engine/playwright/helper.h"
#include "util/metrics.h"

// Internal command, not for users: a server starts the process that cleans up after it this way.
inline constexpr std::string_view kRemoveProfile = "internal-remove-profile";

Task<std::shared_ptr<engine::Browser>> launch_browser(Loop& loop, engine::LaunchOptions options, Log& log);
Task<std::shared_ptr<engine::Browser>> connect_browser(Loop& loop, engine::ConnectOptions options, Log& log);
// Counts the browser when it stops answering. The counter outlives it.
Task<std::shared_ptr<engine::Browser>> counting_unresponsive(Task<std::shared_ptr<engine::Browser>> browser,
                                                             Counter& unresponsive);
// Null for a context that is not Chromium's.
std::shared_ptr<engine::CodeRunner> code_runner(Loop& loop, const std::shared_ptr<engine::Context>& context,
                                                playwright::HelperOptions options, Log& log);
