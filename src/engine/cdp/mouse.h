// The mouse pointer of a page, including drag and drop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/cdp/keyboard.h"
#include "engine/types.h"

namespace cdp {

// Moves, clicks and drags with the keyboard's modifiers. Points are CSS pixels of the viewport. Lives on the
// main loop.
class Mouse {
public:
    // Runs an expression in our world of every frame, awaiting promises; a frame that cannot answer gives
    // null.
    using RunInFrames = std::function<Task<std::vector<json::value>>(std::string expression)>;

    // The keyboard must outlive the mouse.
    Mouse(std::shared_ptr<Session> session, Keyboard& keyboard, RunInFrames run_in_frames);
    Mouse(const Mouse&) = delete;
    ~Mouse() { keyboard_.on_escape = nullptr; }

    // With the left button down, a move may start a drag in the page, which later calls carry on.
    Task<> move(engine::Point to, int steps = 1);
    Task<> down(engine::MouseButton button = engine::MouseButton::Left, int click_count = 1);
    // Drops the dragged data, if any.
    Task<> up(engine::MouseButton button = engine::MouseButton::Left, int click_count = 1);
    // Moves there and clicks. Sends everything at once; completes when the page has handled the last event.
    Task<> click(engine::Point at, engine::ClickOptions options);
    Task<> wheel(double delta_x, double delta_y);

    engine::Point position() const { return position_; }
    bool is_dragging() const { return dragged_.has_value(); }

private:
    Pending begin(std::string_view type, std::string_view button, int click_count);
    Pending begin_drag_event(std::string_view type, const json::object& data);
    Pending begin_down(engine::MouseButton button, int click_count);
    Pending begin_up(engine::MouseButton button, int click_count);
    Task<> move_once();
    Task<> move_and_catch_drag();
    bool cancel_drag();

    std::shared_ptr<Session> session_;
    Keyboard& keyboard_;
    RunInFrames run_in_frames_;
    engine::Point position_;
    int buttons_ = 0;                      // the protocol's mask of pressed buttons
    std::string last_button_ = "none";     // the last pressed button that is still down
    std::optional<json::object> dragged_;  // the drag data from the page
};

}  // namespace cdp
