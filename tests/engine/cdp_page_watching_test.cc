#include "tests/engine/cdp_tab.h"

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

class CdpPageWatching : public CdpTabTest {
protected:
    std::string tree() {
        auto document = run(page->document_tree(soon()));
        return document ? json::serialize(*document) : "failed: " + document.error().message;
    }
};

TEST_F(CdpPageWatching, WritesTheDocumentAsATree) {
    show(
        "<!doctype html><title>T</title><style>p { color: red }</style><script>1</script><p onclick='x()'>hi"
        "<input id=a><input type=password id=b value=secret><input type=checkbox checked>"
        "<div><template shadowrootmode=open><i>in</i></template></div>");
    value("document.querySelector('#a').value = 'typed'");

    std::string text = tree();

    EXPECT_THAT(text, HasSubstr(R"("doctype":"html")"));
    EXPECT_THAT(text, HasSubstr(R"(["STYLE",{},"p { color: red; }"])"));
    EXPECT_THAT(text, HasSubstr(R"(["BASE",{"href":")" + site() + R"(/"}])"));
    EXPECT_THAT(text, HasSubstr(R"(["P",{"onclick":""},"hi")"));
    EXPECT_THAT(text, HasSubstr(R"("__playwright_value_":"typed")"));
    EXPECT_THAT(text, HasSubstr(R"("__playwright_checked_":"true")"));
    EXPECT_THAT(text, HasSubstr(R"(["template",{"__playwright_shadow_root_":"true"},["I",{},"in"]])"));
    EXPECT_THAT(text, Not(HasSubstr("secret")));
    EXPECT_THAT(text, Not(HasSubstr("SCRIPT")));
}

TEST_F(CdpPageWatching, TellsOfPicturesUntilTheHandleIsDropped) {
    show("<h1>One</h1>");
    std::vector<engine::ScreenPicture> pictures;

    auto handle = page->watch_screen(
        {400, 400}, [&](const engine::ScreenPicture& picture) { pictures.push_back(picture); });
    value("document.body.style.background = 'red'");
    fakes::run_until(loop, [&] { return !pictures.empty(); });

    EXPECT_THAT(pictures.front().jpeg, StartsWith("\xFF\xD8"));
    EXPECT_GT(pictures.front().size.width, 0);
    handle.reset();
    value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    pictures.clear();
    value("document.body.style.background = 'blue'");
    value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    EXPECT_TRUE(pictures.empty());
}

TEST_F(CdpPageWatching, ShowsAChapterForAWhile) {
    show("<button>Go</button>");

    auto shown = run(page->show_chapter({.title = "One", .duration = std::chrono::milliseconds(50)}, soon()));

    ASSERT_TRUE(shown) << shown.error().to_string();
    EXPECT_EQ(value("new Promise(done => { const look = () => document.querySelector('troupe-overlay')"
                    " ? setTimeout(look, 10) : done('gone'); look(); })"),
              "\"gone\"");
}

TEST_F(CdpPageWatching, NamesActionsOnThePage) {
    show(
        "<button onclick='clicked = true'>Go</button><script>var clicked = false, seen = 0;"
        "new MutationObserver(() => seen += document.querySelectorAll('troupe-overlay').length)"
        ".observe(document.documentElement, {childList: true});</script>");
    page->annotate_actions(engine::ActionNotes{.duration = std::chrono::milliseconds(50),
                                               .highlight_style = "outline: 1px solid"});

    auto clicked = run(page->click(element("button"), {}, soon()));

    ASSERT_TRUE(clicked) << clicked.error().to_string();
    EXPECT_EQ(value("clicked"), "true");
    EXPECT_NE(value("seen"), "0");
    page->annotate_actions(std::nullopt);
    value("seen = 0");
    ASSERT_TRUE(run(page->click(element("button"), {}, soon())));
    EXPECT_EQ(value("seen"), "0");
}

}  // namespace
