// Simulates a person typing on a US keyboard.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/types.h"

namespace cdp {

// The key event that the page gets.
struct KeyStroke {
    std::string code;  // physical position: "KeyA"
    std::string key;   // key value: "a"
    std::string text;  // typed text; may be empty
    int key_code = 0;  // the Windows key code, the same for both Shift keys
    int location = 0;  // 1 left, 2 right, 3 number pad
};

// Finds a key by name: a position ("KeyA", "Numpad1"), a key ("Enter", "Shift", "ControlOrMeta") or a
// character of the layout. A position means another character while Shift is down.
std::optional<KeyStroke> find_key(std::string_view name, bool shift);

// "Control+Shift++" -> Control, Shift, +
std::vector<std::string> split_keys(std::string_view keys);

// The keyboard of one page, with its pressed keys. Lives on the main loop.
class Keyboard {
public:
    explicit Keyboard(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    Keyboard(const Keyboard&) = delete;

    // `keys` is like "a", "Enter", "Control+Shift+T", "Shift++". Nothing is sent if a name is unknown.
    Task<> press(std::string keys);
    // The same without the browser's own reaction to the keys.
    Task<> press_without_effect(std::string keys);
    // Types character by character; characters not on the layout are inserted as if by an input method.
    Task<> type(std::string text);
    // Inserts the text as a whole, without key events.
    Task<> insert(std::string text);
    Task<> down(std::string key);
    Task<> up(std::string key);

    // Presses and releases modifier keys until exactly these are down; returns those that were down before.
    // Sends at once: later commands find the keys in this state.
    std::vector<engine::Modifier> hold(const std::vector<engine::Modifier>& modifiers);
    // The protocol's mask of pressed modifiers.
    int modifiers() const { return modifiers_; }

    // Called before Escape is pressed; returns true if the callback has handled it.
    std::function<bool()> on_escape;

private:
    Result<std::vector<KeyStroke>> strokes(std::string_view keys) const;
    Task<> press(std::vector<KeyStroke> strokes);
    Pending begin_down(const KeyStroke& stroke);
    Pending begin_up(const KeyStroke& stroke);
    Result<KeyStroke> stroke(std::string_view name, int modifiers) const;

    std::shared_ptr<Session> session_;
    int modifiers_ = 0;
    std::set<std::string> down_;  // codes of the pressed keys
};

}  // namespace cdp
