// The pointer of a page, and what it drags.
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

// Moves, presses, and drags; the keyboard's modifiers count. Points are CSS pixels of the viewport. Lives on
// the main loop.
class Mouse {
public:
    // Runs an expression in our own world of every frame, awaiting promises; a frame that cannot answer gives
    // null.
    using RunInFrames = std::function<Task<std::vector<json::value>>(std::string expression)>;

    // The keyboard must outlive the mouse.
    Mouse(std::shared_ptr<Session> session, Keyboard& keyboard, RunInFrames run_in_frames);
    Mouse(const Mouse&) = delete;
    ~Mouse() { keyboard_.on_escape = nullptr; }

    // With the left button down, this is where the page may begin a drag, which we then carry on.
    Task<> move(engine::Point to, int steps = 1);
    Task<> down(engine::MouseButton button = engine::MouseButton::Left, int click_count = 1);
    // Drops what is being dragged.
    Task<> up(engine::MouseButton button = engine::MouseButton::Left, int click_count = 1);
    // Moves there and clicks. Everything is sent at once; done when the page has dealt with the last of it.
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
    int buttons_ = 0;                      // the protocol's mask
    std::string last_button_ = "none";     // the one that went down last and is still down
    std::optional<json::object> dragged_;  // what the page gave us to drag
};

}  // namespace cdp
