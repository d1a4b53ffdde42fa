#include "engine/cdp/keyboard.h"

#include <algorithm>

#include "util/strings.h"

namespace cdp {
namespace {

// A key of the US layout. `shifted` is its second character, if any.
struct Key {
    std::string_view code;
    std::string_view key;
    int key_code;
    std::string_view shifted = "";
    int location = 0;
    std::string_view text = "";
};

constexpr Key kKeys[] = {
    {"Escape", "Escape", 27},
    {"F1", "F1", 112},
    {"F2", "F2", 113},
    {"F3", "F3", 114},
    {"F4", "F4", 115},
    {"F5", "F5", 116},
    {"F6", "F6", 117},
    {"F7", "F7", 118},
    {"F8", "F8", 119},
    {"F9", "F9", 120},
    {"F10", "F10", 121},
    {"F11", "F11", 122},
    {"F12", "F12", 123},
    {"Backquote", "`", 192, "~"},
    {"Digit1", "1", 49, "!"},
    {"Digit2", "2", 50, "@"},
    {"Digit3", "3", 51, "#"},
    {"Digit4", "4", 52, "$"},
    {"Digit5", "5", 53, "%"},
    {"Digit6", "6", 54, "^"},
    {"Digit7", "7", 55, "&"},
    {"Digit8", "8", 56, "*"},
    {"Digit9", "9", 57, "("},
    {"Digit0", "0", 48, ")"},
    {"Minus", "-", 189, "_"},
    {"Equal", "=", 187, "+"},
    {"Backslash", "\\", 220, "|"},
    {"Backspace", "Backspace", 8},
    {"Tab", "Tab", 9},
    {"BracketLeft", "[", 219, "{"},
    {"BracketRight", "]", 221, "}"},
    {"CapsLock", "CapsLock", 20},
    {"Semicolon", ";", 186, ":"},
    {"Quote", "'", 222, "\""},
    {"Enter", "Enter", 13, "", 0, "\r"},
    {"ShiftLeft", "Shift", 16, "", 1},
    {"Comma", ",", 188, "<"},
    {"Period", ".", 190, ">"},
    {"Slash", "/", 191, "?"},
    {"ShiftRight", "Shift", 16, "", 2},
    {"ControlLeft", "Control", 17, "", 1},
    {"MetaLeft", "Meta", 91, "", 1},
    {"AltLeft", "Alt", 18, "", 1},
    {"Space", " ", 32},
    {"AltRight", "Alt", 18, "", 2},
    {"AltGraph", "AltGraph", 225},
    {"MetaRight", "Meta", 92, "", 2},
    {"ContextMenu", "ContextMenu", 93},
    {"ControlRight", "Control", 17, "", 2},
    {"PrintScreen", "PrintScreen", 44},
    {"ScrollLock", "ScrollLock", 145},
    {"Pause", "Pause", 19},
    {"PageUp", "PageUp", 33},
    {"PageDown", "PageDown", 34},
    {"Insert", "Insert", 45},
    {"Delete", "Delete", 46},
    {"Home", "Home", 36},
    {"End", "End", 35},
    {"ArrowLeft", "ArrowLeft", 37},
    {"ArrowUp", "ArrowUp", 38},
    {"ArrowRight", "ArrowRight", 39},
    {"ArrowDown", "ArrowDown", 40},
    {"AudioVolumeMute", "AudioVolumeMute", 173},
    {"AudioVolumeDown", "AudioVolumeDown", 174},
    {"AudioVolumeUp", "AudioVolumeUp", 175},
    {"MediaTrackNext", "MediaTrackNext", 176},
    {"MediaTrackPrevious", "MediaTrackPrevious", 177},
    {"MediaPlayPause", "MediaPlayPause", 179},
    {"NumLock", "NumLock", 144},
    {"NumpadDivide", "/", 111, "", 3},
    {"NumpadMultiply", "*", 106, "", 3},
    {"NumpadSubtract", "-", 109, "", 3},
    {"NumpadAdd", "+", 107, "", 3},
    {"NumpadEnter", "Enter", 13, "", 3, "\r"},
    {"NumpadDecimal", "Delete", 46, ".", 3},
    {"Numpad0", "Insert", 45, "0", 3},
    {"Numpad1", "End", 35, "1", 3},
    {"Numpad2", "ArrowDown", 40, "2", 3},
    {"Numpad3", "PageDown", 34, "3", 3},
    {"Numpad4", "ArrowLeft", 37, "4", 3},
    {"Numpad5", "Clear", 12, "5", 3},
    {"Numpad6", "ArrowRight", 39, "6", 3},
    {"Numpad7", "Home", 36, "7", 3},
    {"Numpad8", "ArrowUp", 38, "8", 3},
    {"Numpad9", "PageUp", 33, "9", 3},
};

constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"Shift", "ShiftLeft"},
    {"Control", "ControlLeft"},
    {"Alt", "AltLeft"},
    {"Meta", "MetaLeft"},
#ifdef __APPLE__
    {"ControlOrMeta", "MetaLeft"},
#else
    {"ControlOrMeta", "ControlLeft"},
#endif
    {"\n", "Enter"},
    {"\r", "Enter"},
};

constexpr int kShift = 8;

int mask_of(std::string_view key) {
    if (key == "Alt") return 1;
    if (key == "Control") return 2;
    if (key == "Meta") return 4;
    if (key == "Shift") return kShift;
    return 0;
}

KeyStroke stroke_of(const Key& key, std::string_view character) {
    KeyStroke stroke{.code = std::string(key.code),
                     .key = std::string(character),
                     .text = std::string(key.text),
                     .key_code = key.key_code,
                     .location = key.location};
    if (character.size() == 1) stroke.text = character;
    return stroke;
}

// Letters follow a rule and need no table rows.
std::optional<KeyStroke> find_letter(std::string_view name, bool shift) {
    char letter = 0;
    if (name.size() == 1) letter = name.front();
    if (name.size() == 4 && name.starts_with("Key") && name[3] >= 'A' && name[3] <= 'Z')
        letter = static_cast<char>(shift ? name[3] : name[3] + 32);
    char upper = static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 32 : letter);
    if (upper < 'A' || upper > 'Z') return {};
    std::string text(1, letter);
    return KeyStroke{.code = std::string("Key") + upper, .key = text, .text = text, .key_code = upper};
}

}  // namespace

std::vector<std::string> split_keys(std::string_view keys) {
    std::vector<std::string> names(1);
    for (char c : keys) {
        if (c == '+' && !names.back().empty()) {
            names.emplace_back();
        } else {
            names.back() += c;
        }
    }
    return names;
}

std::optional<KeyStroke> find_key(std::string_view name, bool shift) {
    if (auto letter = find_letter(name, shift)) return letter;
    for (const auto& [alias, code] : kAliases) {
        if (alias == name) return find_key(code, false);
    }
    for (const Key& key : kKeys) {
        if (key.code == name) return stroke_of(key, shift && !key.shifted.empty() ? key.shifted : key.key);
        // Characters are typed on the main block, not on the number pad.
        if (name.size() != 1 || key.location != 0) continue;
        if (key.key == name || key.shifted == name) return stroke_of(key, name);
    }
    return {};
}

Result<KeyStroke> Keyboard::stroke(std::string_view name, int modifiers) const {
    auto found = find_key(name, (modifiers & kShift) != 0);
    if (!found) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "Unknown key: \"" + std::string(name) + "\"",
                     .hint = "Use a character, or a key's name such as Enter, ArrowLeft or Control+A."};
    }
    // A shortcut types no text.
    if ((modifiers & ~kShift) != 0) found->text.clear();
    return std::move(*found);
}

Pending Keyboard::begin_down(const KeyStroke& stroke) {
    modifiers_ |= mask_of(stroke.key);
    bool repeats = !down_.insert(stroke.code).second;
    json::object params{{"type", stroke.text.empty() ? "rawKeyDown" : "keyDown"},
                        {"modifiers", modifiers_},
                        {"windowsVirtualKeyCode", stroke.key_code},
                        {"code", stroke.code},
                        {"key", stroke.key},
                        {"autoRepeat", repeats},
                        {"location", stroke.location},
                        {"isKeypad", stroke.location == 3}};
    if (!stroke.text.empty()) {
        params["text"] = stroke.text;
        params["unmodifiedText"] = stroke.text;
    }
    return session_->begin("Input.dispatchKeyEvent", params);
}

Pending Keyboard::begin_up(const KeyStroke& stroke) {
    modifiers_ &= ~mask_of(stroke.key);
    down_.erase(stroke.code);
    return session_->begin("Input.dispatchKeyEvent", {{"type", "keyUp"},
                                                      {"modifiers", modifiers_},
                                                      {"windowsVirtualKeyCode", stroke.key_code},
                                                      {"code", stroke.code},
                                                      {"key", stroke.key},
                                                      {"location", stroke.location},
                                                      {"isKeypad", stroke.location == 3}});
}

Result<std::vector<KeyStroke>> Keyboard::strokes(std::string_view keys) const {
    std::vector<KeyStroke> strokes;
    int modifiers = modifiers_;
    for (const std::string& name : split_keys(keys)) {
        strokes.push_back(TRY(stroke(name, modifiers)));
        modifiers |= mask_of(strokes.back().key);
    }
    return strokes;
}

Task<> Keyboard::press(std::string keys) { co_await press(co_await strokes(keys)); }

Task<> Keyboard::press_without_effect(std::string keys) {
    std::vector<KeyStroke> all = co_await strokes(keys);
    // The browser recognizes its shortcuts by this number.
    all.back().key_code = 0;
    co_await press(std::move(all));
}

Task<> Keyboard::press(std::vector<KeyStroke> strokes) {
    // Send all at once: pressed keys must be released, whatever the page does about the first.
    bool used_up = strokes.back().code == "Escape" && on_escape && on_escape();
    for (const KeyStroke& each : strokes) {
        if (!used_up || &each != &strokes.back()) begin_down(each);
    }
    std::optional<Pending> last;
    for (auto each = strokes.rbegin(); each != strokes.rend(); ++each) last = begin_up(*each);
    co_await (co_await *last);
}

Task<> Keyboard::type(std::string text) {
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string character(rest.substr(0, std::max<std::size_t>(1, utf8_sequence_length(rest))));
        rest.remove_prefix(character.size());
        if (find_key(character, false)) {
            // Not press(): a "+" is a character here.
            KeyStroke key = co_await stroke(character, modifiers_);
            begin_down(key);
            co_await (co_await begin_up(key));
        } else {
            co_await insert(character);
        }
    }
}

Task<> Keyboard::insert(std::string text) {
    co_await session_->send("Input.insertText", {{"text", std::move(text)}});
}

Task<> Keyboard::down(std::string key) {
    KeyStroke found = co_await stroke(key, modifiers_);
    if (found.code == "Escape" && on_escape && on_escape()) co_return;
    co_await (co_await begin_down(found));
}

Task<> Keyboard::up(std::string key) {
    KeyStroke found = co_await stroke(key, modifiers_);
    co_await (co_await begin_up(found));
}

std::vector<engine::Modifier> Keyboard::hold(const std::vector<engine::Modifier>& modifiers) {
    using engine::Modifier;
    static constexpr std::pair<Modifier, std::string_view> kNames[] = {{Modifier::Alt, "Alt"},
                                                                       {Modifier::Control, "Control"},
                                                                       {Modifier::Meta, "Meta"},
                                                                       {Modifier::Shift, "Shift"}};
    auto wants = [&](Modifier modifier, std::string_view name) {
        return std::any_of(modifiers.begin(), modifiers.end(), [&](Modifier each) {
            if (each == Modifier::ControlOrMeta) return find_key("ControlOrMeta", false)->key == name;
            return each == modifier;
        });
    };
    std::vector<Modifier> before;
    for (const auto& [modifier, name] : kNames) {
        bool is_down = (modifiers_ & mask_of(name)) != 0;
        if (is_down) before.push_back(modifier);
        if (wants(modifier, name) == is_down) continue;
        if (is_down) {
            begin_up(*find_key(name, false));
        } else {
            begin_down(*find_key(name, false));
        }
    }
    return before;
}

}  // namespace cdp
