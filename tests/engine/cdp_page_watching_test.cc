#include "tests/engine/cdp_tab.h"
#include "util/strings.h"

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

class CdpPageWatching : public CdpTabTest {
protected:
    std::string tree() {
        auto documents = run(page->document_trees(soon()));
        return documents ? json::serialize(documents->at(0)) : "failed: " + documents.error().message;
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

TEST_F(CdpPageWatching, WritesTheDocumentsOfFramesBesideIt) {
    serve_html("/inner", "<p>In</p><iframe srcdoc='<p>Deep</p>'></iframe>");
    show("<p>Out</p><iframe src=/inner sandbox='allow-scripts allow-same-origin'></iframe>");
    ASSERT_TRUE(run(page->wait_for_load(engine::LoadState::Load, soon())));

    auto documents = run(page->document_trees(soon()));

    ASSERT_TRUE(documents) << documents.error().to_string();
    ASSERT_EQ(documents->size(), 3);
    std::vector<std::string> names, texts;
    for (const json::value& document : *documents) {
        names.emplace_back(document.at("frame").as_string());
        texts.push_back(json::serialize(document));
    }
    EXPECT_EQ(names[0], "frame@" + to_lower(page->id()));
    EXPECT_THAT(texts[0], AllOf(HasSubstr("\"Out\""), HasSubstr("\"src\":\"/snapshot/" + names[1] + "\""),
                                Not(HasSubstr("sandbox"))));
    EXPECT_THAT(texts[1], AllOf(HasSubstr("\"In\""), HasSubstr("\"src\":\"/snapshot/" + names[2] + "\"")));
    EXPECT_THAT(texts[2], AllOf(HasSubstr("\"Deep\""), Not(HasSubstr("srcdoc\":\""))));
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
