// The mouse by itself, wherever its user sends it.
#include "engine/cdp/page.h"

namespace cdp {

Task<> Page::move_mouse(engine::Point to, Deadline deadline) {
    return bounded(mouse_.move(to), deadline, "Moving the mouse");
}

Task<> Page::press_mouse(engine::MouseButton button, Deadline deadline) {
    return bounded(mouse_.down(button), deadline, "Pressing the mouse button");
}

Task<> Page::release_mouse(engine::MouseButton button, Deadline deadline) {
    return bounded(mouse_.up(button), deadline, "Releasing the mouse button");
}

Task<> Page::turn_wheel(double delta_x, double delta_y, Deadline deadline) {
    return bounded(mouse_.wheel(delta_x, delta_y), deadline, "Turning the wheel");
}

Task<> Page::click_at(engine::Point at, engine::ClickOptions options, Deadline deadline) {
    return bounded(mouse_.click(at, std::move(options)), deadline, "Clicking");
}

}  // namespace cdp
