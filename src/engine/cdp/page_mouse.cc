// Raw mouse input at given points.
#include "engine/cdp/context.h"
#include "engine/cdp/page.h"
#include "engine/cdp/primary_selection.h"

namespace cdp {

Task<> Page::move_mouse(engine::Point to, Deadline deadline) {
    return bounded(mouse_.move(to), deadline, "Moving the mouse");
}

Task<> Page::press_mouse(engine::MouseButton button, Deadline deadline) {
    co_await check_button(context_.lock().get(), button);
    co_await bounded(mouse_.down(button), deadline, "Pressing the mouse button");
}

Task<> Page::release_mouse(engine::MouseButton button, Deadline deadline) {
    return bounded(mouse_.up(button), deadline, "Releasing the mouse button");
}

Task<> Page::turn_wheel(double delta_x, double delta_y, Deadline deadline) {
    return bounded(mouse_.wheel(delta_x, delta_y), deadline, "Turning the wheel");
}

Task<> Page::click_at(engine::Point at, engine::ClickOptions options, Deadline deadline) {
    co_await check_button(context_.lock().get(), options.button);
    co_await bounded(mouse_.click(at, std::move(options)), deadline, "Clicking");
}

}  // namespace cdp
