// Keys of a US keyboard, pressed as a person would.
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

// What a key means to the page.
struct KeyStroke {
    std::string code;  // where it is: "KeyA"
    std::string key;   // what it says: "a"
    std::string text;  // what it types; may be empty
    int key_code = 0;  // Windows' number, the same for both Shift keys
    int location = 0;  // 1 left, 2 right, 3 number pad
};

// The key of a name: a position ("KeyA", "Numpad1"), a key ("Enter", "Shift", "ControlOrMeta") or a
// character of the layout. Positions mean another character while Shift is down.
std::optional<KeyStroke> find_key(std::string_view name, bool shift);

// "Control+Shift++" -> Control, Shift, +
std::vector<std::string> split_keys(std::string_view keys);

// The keyboard of one page: knows which keys are down. Lives on the main loop.
class Keyboard {
public:
    explicit Keyboard(std::shared_ptr<Session> session) : session_(std::move(session)) {}
    Keyboard(const Keyboard&) = delete;

    // "a", "Enter", "Control+Shift+T", "Shift++". Nothing is sent when a name is unknown.
    Task<> press(std::string keys);
    // The same without what the browser itself would do about them.
    Task<> press_without_effect(std::string keys);
    // Character by character; what the layout lacks is put in as if by an input method.
    Task<> type(std::string text);
    // Puts the text in as a whole, without key events.
    Task<> insert(std::string text);
    Task<> down(std::string key);
    Task<> up(std::string key);

    // Presses and releases modifier keys until these are down and no others; gives those that were before.
    // Sends at once: what is sent next finds them so.
    std::vector<engine::Modifier> hold(const std::vector<engine::Modifier>& modifiers);
    // The protocol's mask of the modifiers that are down.
    int modifiers() const { return modifiers_; }

    // Asked before Escape goes down; true means that it was used up.
    std::function<bool()> on_escape;

private:
    Result<std::vector<KeyStroke>> strokes(std::string_view keys) const;
    Task<> press(std::vector<KeyStroke> strokes);
    Pending begin_down(const KeyStroke& stroke);
    Pending begin_up(const KeyStroke& stroke);
    Result<KeyStroke> stroke(std::string_view name, int modifiers) const;

    std::shared_ptr<Session> session_;
    int modifiers_ = 0;
    std::set<std::string> down_;  // codes
};

}  // namespace cdp
