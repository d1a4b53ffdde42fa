#include "session/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using Reach = engine::Context::Reach;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class CheckpointTest : public testing::Test {
protected:
    json::object capture(json::object before = {}, Reach reach = Reach::OpenPages) {
        auto made = fakes::run_task(loop, session::capture(context, context->pages(), current, reach,
                                                           std::move(before), Deadline::never()));
        return made.value();
    }
    session::Restored restore(json::object checkpoint) {
        fresh = std::make_shared<fakes::FakeContext>(loop);
        fresh->prepare_page = prepare_page;
        if (fail_restore) fresh->restore_error = Error{.code = ErrorCode::Timeout, .message = "too slow"};
        return fakes::run_task(
                   loop, session::restore(loop, fresh, std::move(checkpoint), open_tabs, Deadline::never()))
            .value();
    }

    Loop loop;
    std::shared_ptr<fakes::FakeContext> context = std::make_shared<fakes::FakeContext>(loop), fresh;
    std::size_t current = 0;
    session::OpenTabs open_tabs = session::OpenTabs::Yes;
    bool fail_restore = false;
    std::function<void(fakes::FakePage&)> prepare_page;  // of the context that is restored
};

TEST_F(CheckpointTest, BringsTabsBackInTheirOrderWithTheCurrentOne) {
    context->open_page()->page_url = "http://a/";
    context->open_page()->page_url = "http://b/";
    current = 1;

    session::Restored restored = restore(capture());

    ASSERT_EQ(restored.pages.size(), 2u);
    EXPECT_EQ(restored.pages[0]->url(), "http://a/");
    EXPECT_EQ(restored.pages[1]->url(), "http://b/");
    EXPECT_EQ(restored.current, 1u);
}

TEST_F(CheckpointTest, FillsCookiesAndStorageBeforeAnyPageLoads) {
    context->saved_state = {{"cookies", json::array{json::object{{"name", "a"}}}},
                            {"origins", json::array{json::object{{"origin", "http://a"}}}}};
    auto page = context->open_page();
    page->page_url = "http://a/x";
    page->saved_state = {
        {"storage", json::object{{"origin", "http://a"}, {"sessionStorage", json::array{1}}}}};

    restore(capture());

    EXPECT_EQ(fresh->restored_state.at("cookies").as_array().size(), 1u);
    EXPECT_THAT(fresh->page(0).done,
                ElementsAre(R"(fill_storage [{"origin":"http://a","sessionStorage":[1]}])",
                            StartsWith("restore_state")));
}

TEST_F(CheckpointTest, KeepsWhatWasKnownOfOriginsThatNoPageShows) {
    json::object before{
        {"context",
         json::object{{"origins", json::array{json::object{{"origin", "http://old"}, {"localStorage", 1}},
                                              json::object{{"origin", "http://gone"}}}}}}};
    context->saved_state = {{"origins", json::array{json::object{{"origin", "http://new"}}}},
                            {"unread", json::array{"http://old"}}};

    json::object made = capture(before);

    EXPECT_EQ(json::serialize(made.at("context").at("origins")),
              R"([{"origin":"http://new"},{"origin":"http://old","localStorage":1}])");
    EXPECT_FALSE(made.at("context").as_object().contains("unread"));
}

TEST_F(CheckpointTest, KeepsWhatATabHadStoredOnOtherOrigins) {
    auto page = context->open_page();
    page->page_url = "http://a/";
    page->saved_state = {{"storage", json::object{{"origin", "http://a"}, {"sessionStorage", 1}}}};
    json::object first = capture();
    page->page_url = "http://b/";
    page->saved_state = {{"storage", json::object{{"origin", "http://b"}, {"sessionStorage", 2}}}};

    json::object second = capture(first);
    EXPECT_EQ(json::serialize(second.at("tabs").at(0).at("storages")),
              R"([{"origin":"http://a","sessionStorage":1}])");

    // Back on the first, that is what counts.
    page->page_url = "http://a/";
    page->saved_state = {{"storage", json::object{{"origin", "http://a"}, {"sessionStorage", 3}}}};
    EXPECT_EQ(json::serialize(capture(second).at("tabs").at(0).at("storages")),
              R"([{"origin":"http://b","sessionStorage":2}])");
}

TEST_F(CheckpointTest, KnowsTheLastAddressesOfABrowserThatIsGone) {
    auto page = context->open_page();
    page->page_url = "http://a/";
    page->saved_state = {{"document", json::object{{"fields", 1}}}};
    json::object before = capture();

    json::object same = session::with_addresses(before, context->pages(), 0);
    EXPECT_TRUE(same.at("tabs").at(0).as_object().contains("document"));

    page->page_url = "http://b/";
    json::object moved = session::with_addresses(before, context->pages(), 0);
    EXPECT_EQ(moved.at("tabs").at(0).at("url"), "http://b/");
    EXPECT_FALSE(moved.at("tabs").at(0).as_object().contains("document"));
}

TEST_F(CheckpointTest, SaysWhatCouldNotBeBroughtBack) {
    context->saved_state = {
        {"origins", json::array{json::object{{"origin", "http://a"}, {"skipped", json::array{"big"}}}}}};
    context->open_page();

    session::Restored restored = restore(capture());

    EXPECT_THAT(restored.missing, ElementsAre(HasSubstr("database \"big\" of http://a")));
}

TEST_F(CheckpointTest, CarriesATabThatCouldNotBeOpenedIntoTheNextOne) {
    context->open_page()->page_url = "http://a/";
    context->open_page()->page_url = "http://b/";
    context->page(1).saved_state = {{"document", json::object{{"fields", 1}}}};
    prepare_page = [](fakes::FakePage& page) { page.down = {"http://b/"}; };
    json::object before = capture();

    session::Restored restored = restore(before);
    context = fresh;
    json::object after = restored.unrestored.carry_into(capture());

    EXPECT_THAT(restored.missing, ElementsAre(HasSubstr("http://b/ could not be opened")));
    EXPECT_EQ(after.at("tabs").at(0).at("url"), "http://a/");
    EXPECT_EQ(after.at("tabs").at(1).at("url"), "http://b/");
    EXPECT_TRUE(after.at("tabs").at(1).as_object().contains("document"));
}

TEST_F(CheckpointTest, LetsATabGoOnFromADocumentThatTheAgentWorksIn) {
    context->open_page()->page_url = "http://a/";
    prepare_page = [](fakes::FakePage& page) { page.restores_all = false; };
    session::Restored restored = restore(capture());
    std::string page = restored.pages[0]->id();
    fresh->page(0).page_url = "http://login/";
    context = fresh;

    restored.unrestored.note_document(page);
    EXPECT_EQ(restored.unrestored.carry_into(capture()).at("tabs").at(0).at("url"), "http://a/");

    restored.unrestored.note_use(page);
    restored.unrestored.note_document(page);
    EXPECT_EQ(restored.unrestored.carry_into(capture()).at("tabs").at(0).at("url"), "http://login/");
    EXPECT_TRUE(restored.unrestored.empty());
}

TEST_F(CheckpointTest, CarriesStorageThatCouldNotBeFilled) {
    json::object kept{{"origin", "http://a"}, {"localStorage", json::array{1}}};
    json::object other{{"origin", "http://b"}, {"localStorage", json::array{2}}};
    context->saved_state = {{"origins", json::array{kept, other}}};
    auto page = context->open_page();
    page->saved_state = {
        {"storage", json::object{{"origin", "http://a"}, {"sessionStorage", json::array{3}}}}};
    prepare_page = [](fakes::FakePage& page) { page.unfilled = {"http://a"}; };
    session::Restored restored = restore(capture());
    EXPECT_THAT(restored.missing, ElementsAre(HasSubstr("storage of http://a was not restored")));
    context = fresh;

    // The origin was looked at and is empty.
    context->saved_state = {
        {"origins",
         json::array{json::object{{"origin", "http://a"}, {"localStorage", json::array{}}}, other}}};
    json::object after = restored.unrestored.carry_into(capture());
    EXPECT_EQ(after.at("context").at("origins"), (json::array{kept, other}));
    EXPECT_EQ(after.at("tabs").at(0).at("storage").at("sessionStorage").at(0), 3);

    // What is there now counts.
    json::object now{{"origin", "http://a"}, {"localStorage", json::array{4}}};
    context->saved_state = {{"origins", json::array{now}}};
    EXPECT_EQ(restored.unrestored.carry_into(capture()).at("context").at("origins"), (json::array{now}));
}

TEST_F(CheckpointTest, CarriesCookiesThatTheBrowserDidNotTake) {
    auto cookie = [](const char* name, int value) {
        return json::object{{"name", name}, {"domain", "a"}, {"path", "/"}, {"value", value}};
    };
    context->saved_state = {{"cookies", json::array{cookie("a", 1), cookie("b", 1)}}, {"offline", true}};
    context->open_page()->page_url = "http://a/";
    json::object before = capture();
    fail_restore = true;
    session::Restored restored = restore(before);
    EXPECT_THAT(restored.missing, ElementsAre(HasSubstr("Cookies and network settings were not restored")));
    EXPECT_EQ(restored.pages[0]->url(), "http://a/");

    context = fresh;
    context->saved_state = {{"cookies", json::array{cookie("b", 2)}}};
    json::value after = restored.unrestored.carry_into(capture()).at("context");
    EXPECT_EQ(after.at("cookies"), (json::array{cookie("b", 2), cookie("a", 1)}));
    EXPECT_EQ(after.at("offline"), true);
}

TEST_F(CheckpointTest, CarriesTabsThatWereNotOpened) {
    for (int i = 0; i < 52; ++i) context->open_page()->page_url = "http://a/" + std::to_string(i);
    json::object before = capture();

    session::Restored restored = restore(before);
    context = fresh;
    json::object after = restored.unrestored.carry_into(capture());
    EXPECT_THAT(restored.missing, ElementsAre(HasSubstr("Only the first 50 tabs")));
    ASSERT_EQ(after.at("tabs").as_array().size(), 52u);
    EXPECT_EQ(after.at("tabs").at(51).at("url"), "http://a/51");

    open_tabs = session::OpenTabs::No;
    restored = restore(before);
    EXPECT_EQ(restored.pages.size(), 1u);
    context = fresh;
    EXPECT_EQ(restored.unrestored.carry_into(capture()).at("tabs").as_array().size(), 53u);
}

TEST_F(CheckpointTest, TextsOfOtherVersionsAreRefused) {
    json::object made = capture();
    EXPECT_EQ(session::parse_checkpoint(session::to_text(made)).value(), made);
    EXPECT_FALSE(session::parse_checkpoint(R"({"version": 2})"));
    EXPECT_FALSE(session::parse_checkpoint("nonsense"));
}

}  // namespace
