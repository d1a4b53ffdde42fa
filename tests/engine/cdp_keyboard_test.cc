#include "engine/cdp/keyboard.h"
#include "tests/engine/cdp_chromium.h"

using cdp::Keyboard;
using engine::Modifier;
using testing::ElementsAre;

namespace {

constexpr const char* kRecorder =
    "<textarea autofocus></textarea><script>keys = [];"
    "for (const type of ['keydown', 'keypress', 'keyup', 'input'])"
    "  addEventListener(type, e => keys.push(type === 'input' ? 'input ' + e.data :"
    "    [type, e.key, e.code, e.keyCode, e.location, [e.altKey && 'Alt', e.ctrlKey && 'Control', e.metaKey "
    "&& 'Meta',"
    "     e.shiftKey && 'Shift'].filter(Boolean).join('+'), e.repeat ? 'repeat' : ''].join(' ').trim()), "
    "true);"
    "document.querySelector('textarea').focus()</script>";

class CdpKeyboard : public ChromiumTest {
protected:
    void SetUp() override {
        ChromiumTest::SetUp();
        page = open_page();
        keyboard = std::make_unique<Keyboard>(page);
        show(page, kRecorder);
    }
    // What the page saw since the last call.
    std::vector<std::string> seen() {
        std::vector<std::string> all;
        json::value keys = evaluate(page, "keys.splice(0)");
        for (const json::value& each : keys.as_array()) all.emplace_back(each.as_string());
        return all;
    }
    std::string value() { return evaluate_text(page, "document.querySelector('textarea').value"); }

    SessionPtr page;
    std::unique_ptr<Keyboard> keyboard;
};

TEST_F(CdpKeyboard, PressesACharacter) {
    ASSERT_TRUE(run(keyboard->press("a")));

    EXPECT_THAT(seen(),
                ElementsAre("keydown a KeyA 65 0", "keypress a KeyA 97 0", "input a", "keyup a KeyA 65 0"));
}

TEST_F(CdpKeyboard, PressesNamedKeysAndCodes) {
    ASSERT_TRUE(run(keyboard->press("ArrowLeft")));
    ASSERT_TRUE(run(keyboard->press("Digit1")));
    ASSERT_TRUE(run(keyboard->press("NumpadSubtract")));

    EXPECT_THAT(seen(),
                ElementsAre("keydown ArrowLeft ArrowLeft 37 0", "keyup ArrowLeft ArrowLeft 37 0",
                            "keydown 1 Digit1 49 0", "keypress 1 Digit1 49 0", "input 1",
                            "keyup 1 Digit1 49 0", "keydown - NumpadSubtract 109 3",
                            "keypress - NumpadSubtract 45 3", "input -", "keyup - NumpadSubtract 109 3"));
}

TEST_F(CdpKeyboard, PressesCombinationsAndTypesNothingForShortcuts) {
    ASSERT_TRUE(run(keyboard->press("Control+Shift+T")));

    EXPECT_THAT(seen(), ElementsAre("keydown Control ControlLeft 17 1 Control",
                                    "keydown Shift ShiftLeft 16 1 Control+Shift",
                                    "keydown T KeyT 84 0 Control+Shift", "keyup T KeyT 84 0 Control+Shift",
                                    "keyup Shift ShiftLeft 16 1 Control", "keyup Control ControlLeft 17 1"));
    EXPECT_EQ(value(), "");
}

TEST_F(CdpKeyboard, ShiftsPositionsButNotCharacters) {
    ASSERT_TRUE(run(keyboard->press("Shift+KeyA")));
    ASSERT_TRUE(run(keyboard->press("Shift+a")));
    ASSERT_TRUE(run(keyboard->press("Shift++")));

    EXPECT_EQ(value(), "Aa+");
}

TEST_F(CdpKeyboard, EditsLikeAPerson) {
    ASSERT_TRUE(run(keyboard->type("hello world")));
    ASSERT_TRUE(run(keyboard->press("Backspace")));
    ASSERT_TRUE(run(keyboard->press("Shift+Home")));
    ASSERT_TRUE(run(keyboard->press("ControlOrMeta+c")));
    EXPECT_EQ(evaluate_text(page, "getSelection().toString()"), "hello worl");
    ASSERT_TRUE(run(keyboard->press("ControlOrMeta+A")));
    ASSERT_TRUE(run(keyboard->press("Delete")));

    EXPECT_EQ(value(), "");
}

TEST_F(CdpKeyboard, TypesWhatTheLayoutLacks) {
    ASSERT_TRUE(run(keyboard->type("a€ü😀\n+{B}")));

    EXPECT_EQ(value(), "a€ü😀\n+{B}");
}

TEST_F(CdpKeyboard, InsertsATextAtOnce) {
    ASSERT_TRUE(run(keyboard->insert("two words")));

    EXPECT_THAT(seen(), ElementsAre("input two words"));
}

TEST_F(CdpKeyboard, RefusesUnknownKeysBeforeAnyIsPressed) {
    auto pressed = run(keyboard->press("Control+Foo"));

    EXPECT_EQ(pressed.error().message, "Unknown key: \"Foo\"");
    EXPECT_EQ(run(keyboard->press("Control+")).error().message, "Unknown key: \"\"");
    EXPECT_EQ(run(keyboard->press("ä")).error().message, "Unknown key: \"ä\"");
    EXPECT_EQ(keyboard->modifiers(), 0);
    EXPECT_THAT(seen(), ElementsAre());
}

TEST_F(CdpKeyboard, RepeatsAKeyThatIsHeld) {
    ASSERT_TRUE(run(keyboard->down("ArrowUp")));
    ASSERT_TRUE(run(keyboard->down("ArrowUp")));
    ASSERT_TRUE(run(keyboard->up("ArrowUp")));

    EXPECT_THAT(seen(), ElementsAre("keydown ArrowUp ArrowUp 38 0", "keydown ArrowUp ArrowUp 38 0  repeat",
                                    "keyup ArrowUp ArrowUp 38 0"));
}

TEST_F(CdpKeyboard, HoldsExactlyTheModifiersThatAreWanted) {
    ASSERT_TRUE(run(keyboard->down("Shift")));

    EXPECT_THAT(keyboard->hold({Modifier::Alt, Modifier::ControlOrMeta}), ElementsAre(Modifier::Shift));
    EXPECT_EQ(keyboard->modifiers(), 1 | 2);
    EXPECT_THAT(keyboard->hold({Modifier::Shift}), ElementsAre(Modifier::Alt, Modifier::Control));
    EXPECT_EQ(keyboard->modifiers(), 8);
}

TEST(CdpKeys, FindEveryCharacterOfTheLayout) {
    for (char c = ' '; c <= '~'; ++c) {
        auto key = cdp::find_key(std::string_view(&c, 1), false);
        ASSERT_TRUE(key) << c;
        EXPECT_EQ(key->text, std::string(1, c));
        EXPECT_EQ(key->location, 0) << c;
    }
    EXPECT_FALSE(cdp::find_key("é", false));
    EXPECT_EQ(cdp::find_key("\n", false)->code, "Enter");
}

}  // namespace
