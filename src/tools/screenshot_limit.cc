#include "tools/screenshot_limit.h"

namespace tools {

Result<void> check_screenshot(const session::Session& session, const engine::Screenshot& taken) {
    const session::SessionOptions& options = session.options();
    std::size_t padding = taken.base64.ends_with("==") ? 2 : taken.base64.ends_with('=') ? 1 : 0;
    std::size_t bytes = taken.base64.size() / 4 * 3 - padding;
    if (!options.max_screenshot_size || bytes <= *options.max_screenshot_size) return ok();
    std::string size = std::to_string(bytes) + " bytes", rule = "security.maxScreenshotSize";
    if (options.denied) options.denied("a screenshot of " + size, rule);
    return Error{.code = ErrorCode::PolicyDenied,
                 .message = "A screenshot of " + size + " is denied by " + rule + ", which allows " +
                            std::to_string(*options.max_screenshot_size) + ".",
                 .hint =
                     "Take a single element, only what is in view, or a smaller window; jpeg takes less than "
                     "png."};
}

}  // namespace tools
