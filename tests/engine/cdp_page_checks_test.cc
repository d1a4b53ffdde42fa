// Looking at a page, pointing at it, printing it.
#include "tests/engine/cdp_tab.h"

using engine::Language;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class CdpPageChecks : public CdpTabTest {
protected:
    std::string locate(const std::string& target) {
        auto found = run(page->find_in_frames(target, Language::JavaScript, soon()));
        if (!found) return "failed: " + found.error().message;
        return *found ? (*found)->javascript : "nothing";
    }
};

TEST_F(CdpPageChecks, FindsTheFirstMatchInAnyFrame) {
    show(
        "<button>A</button><button>A</button><p hidden>Hidden</p>"
        "<iframe srcdoc='<h1>Inner</h1><p>Hidden</p>'></iframe>");

    EXPECT_EQ(locate("getByRole('button', { name: 'A' })"), "getByRole('button', { name: 'A' }).first()");
    EXPECT_EQ(locate("getByRole('heading', { name: 'Inner' })"),
              "locator('iframe').contentFrame().getByRole('heading', { name: 'Inner' })");
    EXPECT_EQ(locate("getByText('Hidden').filter({ visible: true })"),
              "locator('iframe').contentFrame().getByText('Hidden')");
    EXPECT_EQ(locate("getByText('None')"), "nothing");
}

TEST_F(CdpPageChecks, ReadsTheTextOfTheOneElementInside) {
    show("<p>Cherry</p><ul><li>Apple</li><li>Apple pie</li><li>Banana <b>x</b></li></ul>");
    auto list = element("ul");

    EXPECT_EQ(run(page->text_inside(list, "banana", soon())).value(), "Banana x");
    EXPECT_EQ(run(page->text_inside(list, "Cherry", soon())).value(), std::nullopt);
    auto several = run(page->text_inside(list, "Apple", soon()));
    EXPECT_EQ(several.error().code, ErrorCode::InvalidSelector);
    EXPECT_THAT(several.error().message, StartsWith("strict mode violation: getByText('Apple')"));
}

TEST_F(CdpPageChecks, ReadsWhatFieldsHold) {
    show(
        "<input id=a value=text><select id=b><option>X<option selected>Y</select><label>L<textarea "
        "id=c>t</textarea>"
        "</label><input id=d type=checkbox checked><div id=e role=checkbox aria-checked=false>E</div><p "
        "id=f>p</p>");

    EXPECT_EQ(run(page->input_value(element("#a"), soon())).value(), "text");
    EXPECT_EQ(run(page->input_value(element("#b"), soon())).value(), "Y");
    EXPECT_EQ(run(page->input_value(element("label"), soon())).value(), "t");
    EXPECT_TRUE(run(page->is_checked(element("#d"), soon())).value());
    EXPECT_FALSE(run(page->is_checked(element("#e"), soon())).value());
    EXPECT_THAT(run(page->input_value(element("#f"), soon())).error().message,
                HasSubstr("Node is not an <input>"));
    EXPECT_THAT(run(page->is_checked(element("#f"), soon())).error().message,
                HasSubstr("Not a checkbox or radio button"));
}

TEST_F(CdpPageChecks, HighlightsWithoutBeingPartOfThePage) {
    show("<button>Go</button>");
    auto overlays = [this] { return value("document.querySelectorAll('troupe-overlay').length"); };

    ASSERT_TRUE(run(
        page->highlight(element("button"), {.label = "the button", .style = "outline: 1px solid"}, soon())));

    EXPECT_EQ(overlays(), "1");
    EXPECT_EQ(value("document.elementFromPoint(12, 12).tagName"), "\"BUTTON\"");
    EXPECT_THAT(run(page->snapshot({}, nullptr, soon())).value(), testing::Not(HasSubstr("the button")));
    EXPECT_EQ(locate("getByText('the button')"), "nothing");

    ASSERT_TRUE(run(page->hide_highlight(element("button"), soon())));
    EXPECT_EQ(overlays(), "0");
    ASSERT_TRUE(run(page->highlight(element("button"), {}, soon())));
    ASSERT_TRUE(run(page->hide_highlight(nullptr, soon())));
    EXPECT_EQ(overlays(), "0");
}

TEST_F(CdpPageChecks, MovesPressesAndTurnsTheMouse) {
    show(
        "<body style='margin:0;height:5000px'><script>window.seen = [];"
        "for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu'])"
        " addEventListener(type, event => seen.push(`${type} ${event.button} "
        "${event.clientX},${event.clientY}`));"
        "</script>");

    ASSERT_TRUE(run(page->move_mouse({10, 20}, soon())));
    ASSERT_TRUE(run(page->press_mouse(engine::MouseButton::Left, soon())));
    ASSERT_TRUE(run(page->release_mouse(engine::MouseButton::Left, soon())));
    EXPECT_EQ(value("seen.splice(0)"), R"(["mousedown 0 10,20","mouseup 0 10,20","click 0 10,20"])");

    ASSERT_TRUE(run(page->click_at({30, 40}, {.count = 2}, soon())));
    EXPECT_THAT(value("seen.splice(0)"), HasSubstr("dblclick 0 30,40"));
    ASSERT_TRUE(run(page->click_at({30, 40}, {.button = engine::MouseButton::Right}, soon())));
    EXPECT_THAT(value("seen.splice(0)"), HasSubstr("contextmenu 2 30,40"));

    ASSERT_TRUE(run(page->turn_wheel(0, 100, soon())));
    EXPECT_EQ(value("new Promise(done => { const look = () => scrollY ? done(scrollY) : setTimeout(look, 10);"
                    " look(); })"),
              "100");
}

TEST_F(CdpPageChecks, HoldsTheButtonForTheDelay) {
    show(
        "<script>let down; addEventListener('mousedown', event => down = event.timeStamp);"
        "addEventListener('mouseup', event => window.held = event.timeStamp - down);</script>");

    ASSERT_TRUE(run(page->click_at({30, 40}, {.delay = std::chrono::milliseconds(30)}, soon())));

    EXPECT_EQ(value("held >= 29"), "true") << value("held");
}

TEST_F(CdpPageChecks, PrintsThePage) {
    show("<h1>Printed</h1>");

    auto document = run(page->pdf(soon()));

    ASSERT_TRUE(document) << document.error().to_string();
    EXPECT_THAT(*document, StartsWith("%PDF-"));
    EXPECT_GT(document->size(), 1000);
}

}  // namespace
