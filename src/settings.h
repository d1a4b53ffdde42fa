// From the configuration to what each part of the program takes.
#pragma once

#include "config/load.h"
#include "engine/playwright/helper.h"
#include "session/browsers.h"
#include "transport/service.h"

transport::ServiceOptions service_options(const config::Config& config);
// Turns the service into the daemon that listens on `socket`; `stop` ends it.
void make_daemon(transport::ServiceOptions& options, const config::Config& config,
                 const std::filesystem::path& socket, std::function<void()> stop);
session::SessionOptions session_options(const config::Config& config, const std::filesystem::path& directory);
session::PoolOptions browser_options(const config::Config& config);
playwright::HelperOptions helper_options(const config::Config& config, const std::filesystem::path& directory,
                                         const std::filesystem::path& workspace);
