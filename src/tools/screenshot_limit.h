// The size limit of screenshots.
#pragma once

#include "session/session.h"

namespace tools {

// PolicyDenied for a screenshot larger than security.maxScreenshotSize.
Result<void> check_screenshot(const session::Session& session, const engine::Screenshot& taken);

}  // namespace tools
