#include "engine/cdp/mouse.h"

#include "engine/cdp/fields.h"

namespace cdp {
namespace {

using engine::MouseButton;

std::string_view name_of(MouseButton button) {
    switch (button) {
        case MouseButton::Left:
            return "left";
        case MouseButton::Right:
            return "right";
        case MouseButton::Middle:
            return "middle";
    }
    return "none";
}

int mask_of(MouseButton button) {
    switch (button) {
        case MouseButton::Left:
            return 1;
        case MouseButton::Right:
            return 2;
        case MouseButton::Middle:
            return 4;
    }
    return 0;
}

// Watches for the next mouse move to start a drag that the page allows. The move's answer and the drag event
// arrive on different channels, so only the page can tell whether to wait for an event.
constexpr std::string_view kWatchForDrag = R"js((() => {
  let begun = Promise.resolve(false);
  let event = null;
  const on_drag = e => { event = e; };
  const on_move = () => {
    window.addEventListener('dragstart', on_drag, { once: true, capture: true });
    begun = new Promise(done => setTimeout(() => done(!!event && !event.defaultPrevented), 0));
  };
  window.addEventListener('mousemove', on_move, { once: true, capture: true });
  globalThis.troupe_drag_begun = async () => {
    const result = await begun;
    window.removeEventListener('mousemove', on_move, { capture: true });
    window.removeEventListener('dragstart', on_drag, { capture: true });
    delete globalThis.troupe_drag_begun;
    return result;
  };
})())js";
constexpr std::string_view kHasDragBegun = "globalThis.troupe_drag_begun?.() ?? false";

}  // namespace

Mouse::Mouse(std::shared_ptr<Session> session, Keyboard& keyboard, RunInFrames run_in_frames)
    : session_(std::move(session)), keyboard_(keyboard), run_in_frames_(std::move(run_in_frames)) {
    keyboard_.on_escape = [this] { return cancel_drag(); };
}

Pending Mouse::begin(std::string_view type, std::string_view button, int click_count) {
    json::object params{{"type", type},
                        {"x", position_.x},
                        {"y", position_.y},
                        {"button", button},
                        {"buttons", buttons_},
                        {"modifiers", keyboard_.modifiers()},
                        {"force", buttons_ != 0 && type != "mouseReleased" ? 0.5 : 0.0}};
    if (click_count > 0) params["clickCount"] = click_count;
    return session_->begin("Input.dispatchMouseEvent", params);
}

Pending Mouse::begin_drag_event(std::string_view type, const json::object& data) {
    return session_->begin("Input.dispatchDragEvent", {{"type", type},
                                                       {"x", position_.x},
                                                       {"y", position_.y},
                                                       {"data", data},
                                                       {"modifiers", keyboard_.modifiers()}});
}

Pending Mouse::begin_down(MouseButton button, int click_count) {
    last_button_ = name_of(button);
    buttons_ |= mask_of(button);
    return begin("mousePressed", last_button_, click_count);
}

Pending Mouse::begin_up(MouseButton button, int click_count) {
    last_button_ = "none";
    buttons_ &= ~mask_of(button);
    return begin("mouseReleased", name_of(button), click_count);
}

Task<> Mouse::move(engine::Point to, int steps) {
    engine::Point from = position_;
    for (int i = 1; i <= steps; ++i) {
        double part = static_cast<double>(i) / steps;
        position_ = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
        co_await move_once();
    }
}

Task<> Mouse::move_once() {
    if (dragged_) {
        co_await (co_await begin_drag_event("dragOver", *dragged_));
    } else if (last_button_ == "left" && run_in_frames_) {
        co_await move_and_catch_drag();
    } else {
        co_await (co_await begin("mouseMoved", last_button_, 0));
    }
}

Task<> Mouse::move_and_catch_drag() {
    Completion<json::object> caught(session_->loop());
    Subscription watch = session_->on("Input.dragIntercepted", [caught](const json::object& params) {
        const json::object* data = json::find_object(params, "data");
        caught.set(data ? *data : json::object());
    });
    // However this ends, the browser handles drags itself again.
    struct Interception {
        std::shared_ptr<Session> session;
        ~Interception() { session->post("Input.setInterceptDrags", {{"enabled", false}}); }
    };
    co_await run_in_frames_(std::string(kWatchForDrag));
    bool begun = false;
    {
        Interception interception{session_};
        session_->post("Input.setInterceptDrags", {{"enabled", true}});
        co_await (co_await begin("mouseMoved", last_button_, 0));
        for (const json::value& answer : co_await run_in_frames_(std::string(kHasDragBegun)))
            begun = begun || (answer.is_bool() && answer.as_bool());
    }
    if (!begun) co_return;
    dragged_ = co_await caught;
    co_await (co_await begin_drag_event("dragEnter", *dragged_));
}

Task<> Mouse::down(MouseButton button, int click_count) {
    if (dragged_) co_return;
    co_await (co_await begin_down(button, click_count));
}

Task<> Mouse::up(MouseButton button, int click_count) {
    if (!dragged_) {
        co_await (co_await begin_up(button, click_count));
        co_return;
    }
    last_button_ = "none";
    buttons_ &= ~mask_of(button);
    Pending dropped = begin_drag_event("drop", *dragged_);
    dragged_.reset();
    co_await (co_await dropped);
}

Task<> Mouse::click(engine::Point at, engine::ClickOptions options) {
    position_ = at;
    bool with_modifiers = !options.modifiers.empty();
    std::vector<engine::Modifier> before;
    if (with_modifiers) before = keyboard_.hold(options.modifiers);
    Pending last = begin("mouseMoved", last_button_, 0);
    for (int count = 1; count <= options.count; ++count) {
        Pending pressed = begin_down(options.button, count);
        if (options.delay.count() > 0) {
            co_await (co_await pressed);
            co_await sleep_for(session_->loop(), options.delay);
        }
        last = begin_up(options.button, count);
    }
    if (with_modifiers) keyboard_.hold(before);
    co_await (co_await last);
}

Task<> Mouse::wheel(double delta_x, double delta_y) {
    co_await session_->send("Input.dispatchMouseEvent", {{"type", "mouseWheel"},
                                                         {"x", position_.x},
                                                         {"y", position_.y},
                                                         {"modifiers", keyboard_.modifiers()},
                                                         {"deltaX", delta_x},
                                                         {"deltaY", delta_y}});
}

bool Mouse::cancel_drag() {
    if (!dragged_) return false;
    begin_drag_event("dragCancel", {{"items", json::array()}, {"dragOperationsMask", 0xFFFF}});
    dragged_.reset();
    return true;
}

}  // namespace cdp
