// How large a screenshot may be.
#pragma once

#include "session/session.h"

namespace tools {

// PolicyDenied for one that is larger than security.maxScreenshotSize.
Result<void> check_screenshot(const session::Session& session, const engine::Screenshot& taken);

}  // namespace tools
