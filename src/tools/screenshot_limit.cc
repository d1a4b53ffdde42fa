#include "tools/screenshot_limit.h"

namespace tools {

Result<void> check_screenshot(const session::Session& session, const engine::Screenshot& taken) {
    const auto& may_take = session.options().may_take_screenshot;
    if (!may_take) return ok();
    std::size_t padding = taken.base64.ends_with("==") ? 2 : taken.base64.ends_with('=') ? 1 : 0;
    return may_take(taken.base64.size() / 4 * 3 - padding);
}

}  // namespace tools
