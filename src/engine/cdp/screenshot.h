// Screenshots of a page.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "engine/cdp/connection.h"
#include "engine/types.h"

namespace cdp {

// In CSS pixels.
struct Rectangle {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

struct ScreenshotRequest {
    engine::ScreenshotOptions options = {};
    // The emulated values (see Emulation); without a viewport the browser is asked for both.
    std::optional<engine::Size> viewport = {};
    std::optional<double> device_scale_factor = {};
    // Captures only this part, relative to the viewport's corner: an element that was scrolled into view.
    std::optional<Rectangle> element = {};
};

// Hides the caret and waits a moment for fonts. A page that does not answer fails at the deadline.
Task<engine::Screenshot> take_screenshot(std::shared_ptr<Session> page, ScreenshotRequest request,
                                         Deadline deadline);

// The factor, at most 1, that scales a picture down to 1568 pixels per side and 1.15 * 2^20 in all.
double fitting_scale(double width, double height);
// The size in the header of a PNG, JPEG or WebP; 0 x 0 if there is none.
engine::Size image_size(std::string_view base64);

}  // namespace cdp
