#include "engine/cdp/screenshot.h"

#include <algorithm>
#include <cmath>

#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;
using engine::Size;

constexpr double kMaxSide = 1568;
constexpr double kMaxPixels = 1.15 * 1024 * 1024;
constexpr auto kFontTimeout = 3s;

// Only a focused element shows a caret. Returns a function that restores it, or null.
constexpr std::string_view kPrepare = R"js((async () => {
  await document.fonts?.ready;
  let focused = document.activeElement;
  for (let inner = focused; inner; ) {
    focused = inner;
    inner = inner.shadowRoot?.activeElement ?? inner.contentDocument?.activeElement;
  }
  if (!focused?.style || !focused.matches('input, textarea, [contenteditable]')) return null;
  const style = focused.style;
  const color = style.getPropertyValue('caret-color');
  const priority = style.getPropertyPriority('caret-color');
  style.setProperty('caret-color', 'transparent', 'important');
  return () => style.setProperty('caret-color', color, priority);
})())js";

// Keeps the caret hidden while it lives.
class HiddenCaret {
public:
    HiddenCaret(std::shared_ptr<Session> page, std::string restore)
        : page_(std::move(page)), restore_(std::move(restore)) {}
    HiddenCaret(HiddenCaret&& other) noexcept
        : page_(std::move(other.page_)), restore_(std::exchange(other.restore_, "")) {}
    ~HiddenCaret() {
        if (restore_.empty()) return;
        page_->post(
            "Runtime.callFunctionOn",
            {{"objectId", restore_}, {"functionDeclaration", "function() { this(); }"}, {"silent", true}});
        page_->post("Runtime.releaseObject", {{"objectId", restore_}});
    }

private:
    std::shared_ptr<Session> page_;
    std::string restore_;  // the function's object id
};

Task<HiddenCaret> prepare(std::shared_ptr<Session> page, Deadline deadline) {
    auto answer = co_await as_result(with_deadline(
        page->loop(),
        page->send("Runtime.evaluate", {{"expression", kPrepare}, {"awaitPromise", true}, {"silent", true}}),
        Deadline::in(kFontTimeout).earlier(deadline), "Preparing the screenshot"));
    std::string restore;
    if (answer) {
        const json::object* result = json::find_object(answer->as_object(), "result");
        if (result && text_of(*result, "type") == "function") restore = text_of(*result, "objectId");
    }
    co_return HiddenCaret(std::move(page), std::move(restore));
}

// Rounds to whole pixels, ignoring small rounding errors.
Rectangle enclosing(const Rectangle& box) {
    double left = std::floor(box.x + 1e-3);
    double top = std::floor(box.y + 1e-3);
    return {left, top, std::ceil(box.x + box.width - 1e-3) - left,
            std::ceil(box.y + box.height - 1e-3) - top};
}

json::object capture_parameters(const ScreenshotRequest& request, const json::object& metrics) {
    const json::object& seen = metrics.at("cssVisualViewport").as_object();
    const json::object& content = metrics.at("cssContentSize").as_object();
    const json::object& device_content = metrics.at("contentSize").as_object();
    Rectangle shown{number_of(seen, "pageX"), number_of(seen, "pageY"), number_of(seen, "clientWidth"),
                    number_of(seen, "clientHeight")};
    double zoom = std::max(0.01, number_of(seen, "scale"));
    if (request.viewport) {
        shown.width = std::ceil(request.viewport->width / zoom - 1e-3);
        shown.height = std::ceil(request.viewport->height / zoom - 1e-3);
    }
    Rectangle clip = shown;
    double scale = zoom;
    if (request.element) {
        clip = *request.element;
        clip.x += shown.x;
        clip.y += shown.y;
        clip = enclosing(clip);
        scale = 1;
    } else if (request.options.full_page) {
        clip = {0, 0, number_of(content, "width"), number_of(content, "height")};
        scale = 1;
    }
    // The browser's measures ignore an emulated scale.
    double device_scale = number_of(device_content, "width") / std::max(1.0, number_of(content, "width"));
    if (request.viewport && request.device_scale_factor) device_scale = *request.device_scale_factor;
    if (device_scale <= 0) device_scale = 1;
    if (request.options.css_scale) scale /= device_scale;
    if (request.options.fit)
        scale *= fitting_scale(clip.width * scale * device_scale, clip.height * scale * device_scale);
    bool fits_viewport = clip.width <= shown.width && clip.height <= shown.height;
    json::object params{
        {"format", request.options.format},
        {"clip",
         json::object{
             {"x", clip.x}, {"y", clip.y}, {"width", clip.width}, {"height", clip.height}, {"scale", scale}}},
        {"captureBeyondViewport", !fits_viewport}};
    if (request.options.format == "jpeg") params["quality"] = request.options.quality.value_or(80);
    if (request.options.format == "webp") params["quality"] = request.options.quality.value_or(100);
    return params;
}

Task<engine::Screenshot> capture(std::shared_ptr<Session> page, ScreenshotRequest request,
                                 Deadline deadline) {
    Pending measured = page->begin("Page.getLayoutMetrics");
    HiddenCaret hidden = co_await prepare(page, deadline);
    json::value metrics = co_await (co_await measured);
    json::object params = capture_parameters(request, metrics.as_object());
    json::value answer = co_await page->send("Page.captureScreenshot", std::move(params));
    engine::Screenshot picture{.base64 = text_of(answer.as_object(), "data")};
    picture.size = image_size(picture.base64);
    co_return picture;
}

int byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }
int big_endian(std::string_view bytes, std::size_t at) {
    return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}
int little_endian(std::string_view bytes, std::size_t at) {
    return byte_at(bytes, at + 1) << 8 | byte_at(bytes, at);
}

Size jpeg_size(std::string_view bytes) {
    for (std::size_t at = 2; at + 9 < bytes.size() && byte_at(bytes, at) == 0xFF;) {
        int marker = byte_at(bytes, at + 1);
        bool is_frame =
            marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (is_frame) return {big_endian(bytes, at + 7), big_endian(bytes, at + 5)};
        at += 2 + static_cast<std::size_t>(big_endian(bytes, at + 2));
    }
    return {};
}

// https://developers.google.com/speed/webp/docs/riff_container
Size webp_size(std::string_view bytes) {
    std::string_view chunk = bytes.substr(12, 4);
    if (chunk == "VP8 ") return {little_endian(bytes, 26) & 0x3FFF, little_endian(bytes, 28) & 0x3FFF};
    if (chunk == "VP8X") {
        return {1 + (little_endian(bytes, 24) | byte_at(bytes, 26) << 16),
                1 + (little_endian(bytes, 27) | byte_at(bytes, 29) << 16)};
    }
    if (chunk != "VP8L") return {};
    unsigned bits = static_cast<unsigned>(little_endian(bytes, 21)) |
                    static_cast<unsigned>(little_endian(bytes, 23)) << 16;
    return {static_cast<int>(1 + (bits & 0x3FFF)), static_cast<int>(1 + (bits >> 14 & 0x3FFF))};
}

}  // namespace

double fitting_scale(double width, double height) {
    if (width <= 0 || height <= 0) return 1;
    return std::min({1.0, kMaxSide / width, kMaxSide / height, std::sqrt(kMaxPixels / (width * height))});
}

Size image_size(std::string_view base64) {
    // Headers are short, but a JPEG may have a colour profile before its frame.
    std::string bytes = base64_decode(base64.substr(0, 16 << 10)).value_or("");
    if (bytes.size() < 30) return {};
    if (bytes.starts_with("\x89PNG")) return {big_endian(bytes, 18), big_endian(bytes, 22)};
    if (bytes.starts_with("\xFF\xD8")) return jpeg_size(bytes);
    if (bytes.starts_with("RIFF")) return webp_size(bytes);
    return {};
}

Task<engine::Screenshot> take_screenshot(std::shared_ptr<Session> page, ScreenshotRequest request,
                                         Deadline deadline) {
    Loop& loop = page->loop();
    co_return co_await with_deadline(loop, capture(std::move(page), std::move(request), deadline), deadline,
                                     "Taking the screenshot");
}

}  // namespace cdp
