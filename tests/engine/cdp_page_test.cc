// A whole page in a real browser, as tools see it.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/browser.h"
#include "engine/cdp/launcher.h"
#include "tests/fakes/wait.h"

using testing::HasSubstr;
using namespace std::chrono_literals;

namespace {

// One browser and one tab for each test.
class CdpPageTest : public testing::Test {
protected:
    void SetUp() override {
        auto process = run(cdp::launch(loop, {}, log));
        ASSERT_TRUE(process.has_value()) << process.error().message;
        auto made = run(cdp::Browser::create(loop, std::move(*process), cdp::Headless::Yes, log));
        ASSERT_TRUE(made.has_value()) << made.error().message;
        browser = *made;
        auto opened = run(browser->new_context({}, soon()));
        ASSERT_TRUE(opened.has_value()) << opened.error().message;
        context = *opened;
        auto tab = run(context->new_page(soon()));
        ASSERT_TRUE(tab.has_value()) << tab.error().message;
        page = *tab;
    }
    void TearDown() override {
        page.reset();
        context.reset();
        if (browser) (void)run(browser->close(soon()));
        browser.reset();
    }

    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    static Deadline soon() { return Deadline::in(10s); }
    void show(std::string html) {
        auto shown = run(page->navigate("data:text/html," + std::move(html), soon()));
        ASSERT_TRUE(shown.has_value()) << shown.error().message;
    }
    std::string snapshot() {
        auto text = run(page->snapshot({}, nullptr, soon()));
        return text ? *text : "failed: " + text.error().message;
    }
    std::shared_ptr<engine::Element> element(std::string target) {
        auto found =
            run(page->find(std::move(target), engine::Language::JavaScript, engine::Matches::One, soon()));
        EXPECT_TRUE(found.has_value()) << found.error().message;
        return found ? found->element : nullptr;
    }
    std::string value(std::string expression) {
        auto result = run(page->evaluate(std::move(expression), nullptr, soon()));
        if (!result) return "failed: " + result.error().message;
        return result->value ? json::serialize(*result->value) : "undefined";
    }

    Loop loop;
    Log log = Log::silent();
    std::shared_ptr<cdp::Browser> browser;
    std::shared_ptr<engine::Context> context;
    std::shared_ptr<engine::Page> page;
};

}  // namespace

TEST_F(CdpPageTest, ShowsWhatItNavigatedTo) {
    show("<title>Hi</title><h1>Hello</h1><button>Go</button>");
    EXPECT_EQ(run(page->title(soon())).value(), "Hi");
    EXPECT_THAT(snapshot(), HasSubstr("heading \"Hello\" [level=1]"));
    EXPECT_THAT(snapshot(), HasSubstr("button \"Go\" [ref=e"));
}

TEST_F(CdpPageTest, InlinesFrames) {
    show("<iframe srcdoc='<button>Inner</button>'></iframe>");
    EXPECT_THAT(snapshot(), HasSubstr("button \"Inner\" [ref=f1e"));
}

TEST_F(CdpPageTest, ClicksByRefAndPrintsItsLocator) {
    show("<button onclick='document.title=\"clicked\"'>Go</button>");
    std::string text = snapshot();
    std::size_t at = text.find("[ref=", text.find("button")) + 5;
    auto found = run(page->find(text.substr(at, text.find(']', at) - at), engine::Language::Python,
                                engine::Matches::One, soon()));
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->javascript, "getByRole('button', { name: 'Go' })");
    EXPECT_EQ(found->code, "get_by_role(\"button\", name=\"Go\")");
    auto clicked = run(page->act(page->click(found->element, {}, soon()), 500ms));
    ASSERT_TRUE(clicked.has_value()) << clicked.error().message;
    EXPECT_EQ(run(page->title(soon())).value(), "clicked");
}

TEST_F(CdpPageTest, ClicksInsideAFrame) {
    show(
        "<p style='height:50px'></p><iframe srcdoc=\"<button "
        "onclick='parent.document.title=1'>In</button>\"></iframe>");
    std::string text = snapshot();
    std::size_t at = text.find("[ref=", text.find("button")) + 5;
    auto found = run(page->find(text.substr(at, text.find(']', at) - at), engine::Language::JavaScript,
                                engine::Matches::One, soon()));
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->javascript, "locator('iframe').contentFrame().getByRole('button', { name: 'In' })");
    auto clicked = run(page->click(found->element, {}, soon()));
    ASSERT_TRUE(clicked.has_value()) << clicked.error().message;
    EXPECT_EQ(run(page->title(soon())).value(), "1");
}

TEST_F(CdpPageTest, FillsTypesPressesSelectsAndChecks) {
    show("<input id=a><input id=b><select id=c><option>One<option>Two</select><input id=d type=checkbox>");
    EXPECT_TRUE(run(page->fill(element("#a"), "filled é", soon())).has_value());
    EXPECT_TRUE(run(page->type(element("#b"), "typed", soon())).has_value());
    EXPECT_TRUE(run(page->press(element("#b"), "Shift+A", soon())).has_value());
    auto selected = run(page->select_options(element("#c"), {"Two"}, soon()));
    ASSERT_TRUE(selected.has_value()) << selected.error().message;
    EXPECT_THAT(*selected, testing::ElementsAre("Two"));
    EXPECT_TRUE(run(page->set_checked(element("#d"), true, soon())).has_value());
    EXPECT_EQ(value("[a.value, b.value, c.value, d.checked]"), R"(["filled é","typedA","Two",true])");
}

TEST_F(CdpPageTest, SaysWhatIsInTheWay) {
    show("<button id=b>Go</button><div id=cover style='position:fixed;inset:0'></div>");
    auto clicked = run(page->click(element("#b"), {}, Deadline::in(500ms)));
    ASSERT_FALSE(clicked.has_value());
    EXPECT_THAT(clicked.error().message, HasSubstr("Timeout 500ms exceeded"));
    const std::string cause = "<div id=\"cover\"></div> intercepts pointer events";
    EXPECT_THAT(clicked.error().message, HasSubstr("exceeded. Cause: " + cause + ".\nCall log:\n"));
    EXPECT_THAT(clicked.error().message,
                HasSubstr(" × waiting for element to be visible, enabled and stable\n"));
    EXPECT_THAT(clicked.error().message, testing::EndsWith("    - " + cause + "\n"));
}

TEST_F(CdpPageTest, NamesARefThatIsGone) {
    show("<p>x</p>");
    auto found = run(page->find("e99", engine::Language::JavaScript, engine::Matches::One, soon()));
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().message,
              "Ref e99 not found in the current page snapshot. Try capturing new snapshot.");
    found = run(page->find("#nothing", engine::Language::JavaScript, engine::Matches::One, soon()));
    EXPECT_EQ(found.error().message, "\"#nothing\" does not match any elements.");
}

TEST_F(CdpPageTest, TakesTheFirstOfSeveralMatchesOnlyIfThatIsMeant) {
    show("<button>One</button><button>Two</button><iframe srcdoc='<i>a</i><i>b</i>'></iframe>");
    for (const char* target : {"button", "iframe >> internal:control=enter-frame >> i"}) {
        auto one = run(page->find(target, engine::Language::JavaScript, engine::Matches::One, soon()));
        ASSERT_FALSE(one) << target;
        EXPECT_EQ(one.error().code, ErrorCode::InvalidSelector);
        EXPECT_THAT(one.error().message, HasSubstr("resolved to 2 elements"));
        EXPECT_TRUE(run(page->find(target, engine::Language::JavaScript, engine::Matches::First, soon())));
    }
}

TEST_F(CdpPageTest, NeverTakesARefOfTheLastDocumentForAnElementOfThisOne) {
    show("<button>Keep</button>");
    EXPECT_THAT(snapshot(), HasSubstr("[ref=e2]"));
    show("<button>Delete</button>");
    EXPECT_THAT(snapshot(), HasSubstr("button \"Delete\" [ref=f1e2]"));

    auto stale = run(page->find("e2", engine::Language::JavaScript, engine::Matches::One, soon()));

    ASSERT_FALSE(stale.has_value());
    EXPECT_THAT(stale.error().message, HasSubstr("Ref e2 not found"));
    EXPECT_TRUE(element("f1e2"));
}

TEST_F(CdpPageTest, EvaluatesFunctionsExpressionsAndPromises) {
    show("<p id=p>text</p>");
    EXPECT_EQ(value("() => 1 + 1"), "2");
    EXPECT_EQ(value("document.getElementById('p').textContent"), "\"text\"");
    EXPECT_EQ(value("async () => { await 0; return { a: [1] } }"), R"({"a":[1]})");
    EXPECT_EQ(value("() => undefined"), "undefined");
    EXPECT_THAT(value("() => nope()"), HasSubstr("nope is not defined"));
    EXPECT_EQ(value("() => [document.body, window]"), R"(["ref: <Node>","ref: <Window>"])");
    EXPECT_EQ(value("() => [document, { d: document.doctype }]"), R"(["ref: <Document>",{"d":null}])");
    EXPECT_EQ(value("() => ({ toJSON() { return 5 } })"), R"({"toJSON":{}})");
    EXPECT_EQ(value("() => [{ a: { b: 2, toJSON: () => 3 } }]"), R"([{"a":{"b":2,"toJSON":{}}}])");
    EXPECT_EQ(value("() => [new Date(0), new URL('http://a/'), new (class { toJSON() { return 7 } })]"),
              R"(["1970-01-01T00:00:00.000Z","http://a/",7])");
    EXPECT_EQ(value("() => ({ why: new TypeError('x') })"), R"({"why":{"name":"TypeError"}})");
    auto text = run(page->evaluate("element => element.id", element("p"), soon()));
    EXPECT_EQ(json::serialize(*text->value), "\"p\"");
}

TEST_F(CdpPageTest, SaysWhyAValueHasNoJson) {
    show("");
    auto large = run(page->evaluate("() => 10n", nullptr, soon()));
    ASSERT_TRUE(large);
    EXPECT_EQ(large->no_json, "Do not know how to serialize a BigInt");
    auto circle = run(page->evaluate("() => { const a = {}; a.a = a; return a; }", nullptr, soon()));
    ASSERT_TRUE(circle);
    EXPECT_THAT(circle->no_json, HasSubstr("Converting circular structure to JSON\n    --> starting at"));
}

TEST_F(CdpPageTest, WaitsForWhatAnActionSetOff) {
    show("<button onclick='setTimeout(() => document.title = \"later\", 120)'>Go</button>");
    ASSERT_TRUE(run(page->act(page->click(element("button"), {}, soon()), 500ms)).has_value());
    EXPECT_EQ(run(page->title(soon())).value(), "later");
}

TEST_F(CdpPageTest, GoesBack) {
    show("<title>one</title>");
    show("<title>two</title>");
    auto went = run(page->go_back(soon()));
    ASSERT_TRUE(went.has_value()) << went.error().message;
    EXPECT_TRUE(*went);
    auto title = run(page->title(soon()));
    ASSERT_TRUE(title.has_value()) << title.error().message;
    EXPECT_EQ(*title, "one");
    went = run(page->go_forward(soon()));
    ASSERT_TRUE(went.has_value()) << went.error().message;
    went = run(page->go_forward(soon()));
    ASSERT_TRUE(went.has_value()) << went.error().message;
    EXPECT_FALSE(*went);
}

TEST_F(CdpPageTest, GoesBackWhereOnlyAFrameNavigated) {
    show("<title>page</title><iframe name=inner src='data:text/html,one'></iframe>");
    (void)value(
        "() => new Promise(loaded => { const frame = document.querySelector('iframe'); frame.onload = "
        "loaded; "
        "frame.src = 'data:text/html,two'; })");
    auto went = run(page->go_back(soon()));
    ASSERT_TRUE(went.has_value()) << went.error().message;
    EXPECT_TRUE(*went);
    fakes::run_until(loop, [&] { return snapshot().find("one") != std::string::npos; });
}

TEST_F(CdpPageTest, TellsOfPopupsAndClosedTabs) {
    std::vector<std::string> opened;
    int closed = 0;
    context->on_page_opened(
        [&](const std::shared_ptr<engine::Page>& popup) { opened.push_back(popup->url()); });
    context->on_page_closed([&](engine::Page&) { ++closed; });
    show("<a href='data:text/html,popup' target=_blank>open</a>");
    (void)value("() => { window.open('about:blank') }");
    fakes::run_until(loop, [&] { return opened.size() == 1; });
    EXPECT_EQ(context->pages().size(), 2u);
    EXPECT_TRUE(run(context->pages()[1]->close(soon())).has_value());
    EXPECT_EQ(closed, 1);
    EXPECT_EQ(context->pages().size(), 1u);
}

TEST_F(CdpPageTest, FailsEverythingAtOnceWhenThePageCrashes) {
    auto crashed = run(page->navigate("chrome://crash", Deadline::in(5s)));
    EXPECT_FALSE(crashed.has_value());
    fakes::run_until(loop, [&] { return page->has_crashed(); });
}

TEST_F(CdpPageTest, TakesAScreenshot) {
    show("<h1>Hello</h1>");
    auto shot = run(page->screenshot({}, nullptr, soon()));
    ASSERT_TRUE(shot.has_value()) << shot.error().message;
    EXPECT_GT(shot->base64.size(), 1000u);
    EXPECT_EQ(shot->size.width, 1280);
}
