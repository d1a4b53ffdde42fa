#include "tests/engine/cdp_tab.h"
#include "util/strings.h"

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

using engine::UserEvent;
using Kind = UserEvent::Kind;

class CdpUserWatch : public CdpTabTest {
protected:
    void watch(engine::Language language = engine::Language::JavaScript) {
        watching =
            page->watch_user(language, [this](UserEvent event) { events.push_back(std::move(event)); });
        auto ready = run(watching->ready(soon()));
        ASSERT_TRUE(ready) << ready.error().to_string();
    }
    // What was told until now, one text each.
    std::vector<std::string> reported() {
        auto finished = run(watching->finish(soon()));
        EXPECT_TRUE(finished) << finished.error().to_string();
        std::vector<std::string> texts;
        for (const UserEvent& event : events) texts.push_back(text_of(event));
        return texts;
    }
    std::string text_of(const UserEvent& event) {
        switch (event.kind) {
            case Kind::Click:
                return "click " + event.locator;
            case Kind::Fill:
                return "fill " + event.locator + " " + event.text + event.secret;
            case Kind::Press:
                return "press " + event.text;
            case Kind::Select:
                return "select " + join(event.values, ",");
            case Kind::SetFiles:
                return "files " + join(event.values, ",");
            case Kind::Navigated:
                return "navigated " + event.text.substr(site().size());
            case Kind::DialogAccepted:
                return "accepted " + event.text;
            case Kind::Download:
                return "download";
            default:
                return "other";
        }
    }
    void click(const std::string& target) {
        auto clicked = run(page->click(element(target), {}, soon()));
        EXPECT_TRUE(clicked) << clicked.error().to_string();
    }
    void type(const std::string& target, const std::string& text) {
        auto typed = run(page->type(element(target), text, soon()));
        EXPECT_TRUE(typed) << typed.error().to_string();
    }

    std::vector<UserEvent> events;
    std::shared_ptr<engine::UserWatch> watching;
};

TEST_F(CdpUserWatch, TellsWhatIsDoneInEveryDocument) {
    serve_html("/next", "<button>There</button>");
    show("<a href=/next>Next</a><input placeholder=Name>");
    watch();

    type("input", "Al");
    click("a");
    ASSERT_TRUE(run(page->wait_for_text("There", true, soon())));
    click("button");

    EXPECT_THAT(reported(), ElementsAre("fill getByRole('textbox', { name: 'Name' }) A",
                                        "fill getByRole('textbox', { name: 'Name' }) Al",
                                        "click getByRole('link', { name: 'Next' })", "navigated /next",
                                        "click getByRole('button', { name: 'There' })"));
}

TEST_F(CdpUserWatch, KnowsTheWayIntoFrames) {
    serve_html("/inner", "<button>In</button><iframe title=deep srcdoc='<button>Deep</button>'></iframe>");
    show("<iframe title=inner src=/inner></iframe><button>Out</button>");
    ASSERT_TRUE(run(page->wait_for_load(engine::LoadState::Load, soon())));
    watch(engine::Language::Python);

    click("iframe >> internal:control=enter-frame >> iframe >> internal:control=enter-frame >> button");
    click("iframe >> internal:control=enter-frame >> button");
    click("button");

    EXPECT_THAT(
        reported(),
        ElementsAre(
            "click "
            "locator(\"iframe[title=\\\"inner\\\"]\").content_frame.locator(\"iframe[title=\\\"deep\\\"]"
            "\").content_frame.get_by_role(\"button\", name=\"Deep\")",
            "click locator(\"iframe[title=\\\"inner\\\"]\").content_frame.get_by_role(\"button\", "
            "name=\"In\")",
            "click get_by_role(\"button\", name=\"Out\")"));
}

TEST_F(CdpUserWatch, CannotBeReachedByThePage) {
    show("<button onclick='this.click()'>Go</button>");
    watch();

    EXPECT_EQ(value("typeof troupeRecorded + typeof troupe"), "\"undefinedundefined\"");
    value("document.querySelector('button').dispatchEvent(new MouseEvent('click', {detail: 1}))");
    click("button");

    EXPECT_THAT(reported(), ElementsAre("click getByRole('button', { name: 'Go' })"));
}

TEST_F(CdpUserWatch, NeverHearsAPassword) {
    show("<input type=password>");
    watch();

    type("input", "hunter2");

    for (const std::string& text : reported()) EXPECT_THAT(text, Not(HasSubstr("hunter"))) << text;
    EXPECT_EQ(events.back().secret, "PASSWORD");
}

TEST_F(CdpUserWatch, TellsHowDialogsWereAnswered) {
    show("<button onclick='prompt(1)'>Ask</button>");
    watch();

    auto target = element("button");
    Running clicking = start(page->click(target, {}, soon()));
    fakes::run_until(loop, [&] { return !page->modals().empty(); });
    ASSERT_TRUE(run(page->answer_dialog(true, "Ann", soon())));

    EXPECT_THAT(reported(), ElementsAre("click getByRole('button', { name: 'Ask' })", "accepted Ann"));
}

TEST_F(CdpUserWatch, GoesOnInADocumentThatIsWrittenAnew) {
    show("<button>Old</button>");
    watch();

    value("document.open(), document.write('<button>New</button>'), document.close()");
    click("button");

    EXPECT_THAT(reported(), ElementsAre("click getByRole('button', { name: 'New' })"));
}

TEST_F(CdpUserWatch, WatchesAgain) {
    show("<button>Go</button>");
    watch();
    EXPECT_THAT(reported(), ElementsAre());
    watch();
    click("button");

    EXPECT_THAT(reported(), ElementsAre("click getByRole('button', { name: 'Go' })"));
}

TEST_F(CdpUserWatch, LooksAwayWhenItIsDropped) {
    serve_html("/next", "<button>There</button>");
    show("<button>Go</button>");
    watch();
    click("button");
    watching.reset();

    click("button");
    visit("/next");
    click("button");

    EXPECT_EQ(events.size(), 1);
}

}  // namespace
