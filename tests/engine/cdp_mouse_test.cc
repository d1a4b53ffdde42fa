#include "engine/cdp/mouse.h"
#include "tests/engine/cdp_chromium.h"

using cdp::Keyboard;
using cdp::Mouse;
using engine::Modifier;
using engine::MouseButton;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

namespace {

// Records events as "type target details".
constexpr const char* kRecorder = R"(
<style>div { position: absolute; width: 100px; height: 100px } #a { left: 0 } #b { left: 200px }</style>
<div id=a draggable=true>a</div><div id=b>b</div><div id=c style="top: 200px; overflow: auto">
<p style="height: 1000px"></p></div>
<script>
  seen = [];
  for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'dragstart', 'dragenter',
                      'dragover', 'drop', 'dragend'])
    document.addEventListener(type, e => {
      // The browser makes up a move of its own at the corner when a page appears.
      if (e.clientX || e.clientY) seen.push([type, e.target.id, ...details(e)].join(' '));
    }, true);
  const details = e => [e.button || '', e.buttons || '', e.detail || '', e.ctrlKey ? 'Control' : '',
                        e.shiftKey ? 'Shift' : ''].filter(Boolean);
  a.addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'from a'));
  b.addEventListener('dragover', e => e.preventDefault());
  b.addEventListener('drop', e => { e.preventDefault(); b.textContent = e.dataTransfer.getData('text/plain'); });
</script>)";

class CdpMouse : public ChromiumTest {
protected:
    void SetUp() override {
        ChromiumTest::SetUp();
        page = open_page();
        keyboard = std::make_unique<Keyboard>(page);
        mouse = std::make_unique<Mouse>(page, *keyboard,
                                        [this](std::string script) { return in_frames(page, script); });
        show(page, kRecorder);
    }
    static Task<std::vector<json::value>> in_frames(SessionPtr page, std::string expression) {
        json::value tree = co_await page->send("Page.getFrameTree");
        json::value world = co_await page->send(
            "Page.createIsolatedWorld",
            {{"frameId", tree.at("frameTree").at("frame").at("id")}, {"worldName", "test"}});
        json::value answer =
            co_await page->send("Runtime.evaluate", {{"expression", expression},
                                                     {"contextId", world.at("executionContextId")},
                                                     {"awaitPromise", true},
                                                     {"returnByValue", true}});
        const json::value* value = json::find_path(answer, {"result", "value"});
        std::vector<json::value> values;
        values.push_back(value ? *value : json::value(nullptr));
        co_return values;
    }
    std::vector<std::string> seen() {
        std::vector<std::string> all;
        json::value events = evaluate(page, "seen.splice(0)");
        for (const json::value& each : events.as_array()) all.emplace_back(each.as_string());
        return all;
    }

    SessionPtr page;
    std::unique_ptr<Keyboard> keyboard;
    std::unique_ptr<Mouse> mouse;
};

TEST_F(CdpMouse, ClicksWhereItIsTold) {
    ASSERT_TRUE(run(mouse->click({250, 50}, {})));

    EXPECT_THAT(seen(), ElementsAre("mousemove b", "mousedown b 1 1", "mouseup b 1", "click b 1"));
    EXPECT_EQ(mouse->position().x, 250);
}

TEST_F(CdpMouse, ClicksTwice) {
    ASSERT_TRUE(run(mouse->click({250, 50}, {.count = 2})));

    EXPECT_THAT(seen(), ElementsAre("mousemove b", "mousedown b 1 1", "mouseup b 1", "click b 1",
                                    "mousedown b 1 2", "mouseup b 2", "click b 2", "dblclick b 2"));
}

TEST_F(CdpMouse, ClicksWithTheOtherButtonsAndModifiers) {
    ASSERT_TRUE(run(mouse->click({250, 50}, {.button = MouseButton::Right})));
    EXPECT_THAT(seen(), IsSupersetOf({"mousedown b 2 2 1", "contextmenu b 2 2", "mouseup b 2 1"}));

    ASSERT_TRUE(run(mouse->click({250, 50}, {.modifiers = {Modifier::ControlOrMeta, Modifier::Shift}})));
    EXPECT_THAT(seen(), Contains("click b 1 Control Shift"));
    EXPECT_EQ(keyboard->modifiers(), 0);
}

TEST_F(CdpMouse, MovesInSteps) {
    ASSERT_TRUE(run(mouse->move({50, 50})));
    seen();
    ASSERT_TRUE(run(mouse->move({250, 50}, 4)));

    EXPECT_THAT(seen(), ElementsAre("mousemove ", "mousemove ", "mousemove b", "mousemove b"));
}

TEST_F(CdpMouse, TurnsTheWheel) {
    ASSERT_TRUE(run(mouse->move({50, 250})));
    ASSERT_TRUE(run(mouse->wheel(0, 120)));

    EXPECT_EQ(evaluate(page,
                       "new Promise(f => { const look = () => c.scrollTop === 120 ? f(120) : "
                       "requestAnimationFrame(look); look(); })"),
              120);
}

TEST_F(CdpMouse, DragsAndDropsAsTheBrowserWould) {
    ASSERT_TRUE(run(mouse->move({50, 50})));
    ASSERT_TRUE(run(mouse->down()));
    ASSERT_TRUE(run(mouse->move({250, 50})));
    EXPECT_TRUE(mouse->is_dragging());
    ASSERT_TRUE(run(mouse->up()));

    EXPECT_FALSE(mouse->is_dragging());
    EXPECT_EQ(evaluate_text(page, "b.textContent"), "from a");
    EXPECT_THAT(seen(), ElementsAre("mousemove a", "mousedown a 1 1", "mousemove b 1", "dragstart a 1",
                                    "dragenter b", "dragover b", "drop b", "dragend a"));
}

TEST_F(CdpMouse, LeavesADragToThePageThatPreventsIt) {
    evaluate(page, "a.addEventListener('dragstart', e => e.preventDefault())");
    ASSERT_TRUE(run(mouse->move({50, 50})));
    ASSERT_TRUE(run(mouse->down()));
    ASSERT_TRUE(run(mouse->move({250, 50}, 3)));
    EXPECT_FALSE(mouse->is_dragging());
    ASSERT_TRUE(run(mouse->up()));

    EXPECT_THAT(seen(), Contains("mouseup b 1"));
}

TEST_F(CdpMouse, GivesADragUpWhenEscapeIsPressed) {
    ASSERT_TRUE(run(mouse->move({50, 50})));
    ASSERT_TRUE(run(mouse->down()));
    ASSERT_TRUE(run(mouse->move({250, 50}, 2)));
    ASSERT_TRUE(run(keyboard->press("Escape")));
    EXPECT_FALSE(mouse->is_dragging());
    ASSERT_TRUE(run(mouse->up()));

    EXPECT_THAT(seen(), Not(Contains("drop b")));
    EXPECT_EQ(evaluate_text(page, "b.textContent"), "b");
}

}  // namespace
