#include "tests/engine/cdp_tab.h"

using engine::StorageArea;
using engine::StorageItem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class CdpContextStorage : public CdpTabTest {
protected:
    static json::value parse(const std::string& text) { return *json::parse(text); }
    std::vector<std::string> cookie_names() {
        std::vector<std::string> names;
        for (const json::value& cookie : run(context->cookies(soon())).value())
            names.emplace_back(cookie.at("name").as_string());
        std::sort(names.begin(), names.end());
        return names;
    }
    void add_cookie(const std::string& name, const std::string& domain = "127.0.0.1") {
        ASSERT_TRUE(run(context->add_cookies(
            json::array{json::object{{"name", name}, {"value", "1"}, {"domain", domain}, {"path", "/"}}},
            soon())));
    }
    json::value state() { return run(context->storage_state(soon())).value(); }
};

TEST_F(CdpContextStorage, AddsAndClearsCookies) {
    add_cookie("a");
    add_cookie("a", ".example.com");
    add_cookie("b");
    EXPECT_THAT(cookie_names(), ElementsAre("a", "a", "b"));

    EXPECT_TRUE(run(context->clear_cookies({.name = "a"}, soon())));
    EXPECT_THAT(cookie_names(), ElementsAre("b"));

    EXPECT_TRUE(run(context->clear_cookies({}, soon())));
    EXPECT_THAT(cookie_names(), IsEmpty());
}

TEST_F(CdpContextStorage, SaysWhatIsWrongWithACookie) {
    auto add = [this](json::object cookie) {
        return run(context->add_cookies(json::array{std::move(cookie)}, soon())).error();
    };
    EXPECT_EQ(add({{"name", "a"}, {"value", "1"}, {"domain", ""}, {"path", "/"}}).message,
              "Cookie should have a url or a domain/path pair");
    EXPECT_THAT(add({{"name", "a"}, {"value", "1"}, {"domain", "a"}, {"path", "/"}, {"expires", -5}}).message,
                HasSubstr("valid expires"));
    Error nowhere = add({{"name", "a"}, {"value", "1"}, {"url", "not a url"}});
    EXPECT_EQ(nowhere.code, ErrorCode::InvalidUrl);
    EXPECT_EQ(nowhere.details, R"({"url":"not a url"})");
    EXPECT_EQ(add({{"name", "a"}, {"value", "1"}, {"url", "about:blank"}}).code, ErrorCode::InvalidUrl);
    EXPECT_EQ(add({{"name", "a"}, {"value", ";"}, {"domain", "http://"}, {"path", "/"}}).code,
              ErrorCode::InvalidArgument);
}

TEST_F(CdpContextStorage, SavesTheStateOfPagesOpenAndGone) {
    show("<script>localStorage.setItem('here', '1')</script>");
    add_cookie("a");
    std::size_t asked = server->requests.size();
    EXPECT_EQ(json::serialize(state().at("origins")),
              R"([{"origin":")" + site() + R"(","localStorage":[{"name":"here","value":"1"}]}])");

    ASSERT_TRUE(run(page->navigate("about:blank", soon())));
    json::value saved = state();

    EXPECT_EQ(saved.at("origins").as_array().size(), 1) << "the origin was visited before";
    EXPECT_EQ(saved.at("cookies").at(0).at("name"), "a");
    EXPECT_EQ(server->requests.size(), asked) << "asking needs no network";
    EXPECT_EQ(context->pages().size(), 1) << "nobody sees the tab that did the work";
}

TEST_F(CdpContextStorage, PutsAStateInThePlaceOfThePresentOne) {
    show("<script>localStorage.setItem('old', '1')</script>");
    add_cookie("old");

    auto set = run(context->set_storage_state(
        parse(R"({"cookies": [{"name": "new", "value": "1", "domain": "127.0.0.1", "path": "/"}],
                  "origins": [{"origin": "http://other.example", "localStorage": [{"name": "k", "value": "v"}]}]})"),
        soon()));

    ASSERT_TRUE(set) << set.error().to_string();
    EXPECT_THAT(cookie_names(), ElementsAre("new"));
    EXPECT_EQ(value("localStorage.length"), "0");
    EXPECT_EQ(state().at("origins").at(0).at("origin"), "http://other.example");
}

TEST_F(CdpContextStorage, SaysWhatIsWrongWithAState) {
    auto set = run(context->set_storage_state(
        parse(R"({"origins": [{"origin": "nowhere", "localStorage": []}]})"), soon()));

    EXPECT_EQ(set.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(set.error().message, HasSubstr("Error setting storage state:\n"));
    EXPECT_FALSE(run(context->set_storage_state(json::array(), soon())));
    // The next one is not the worse for it.
    EXPECT_TRUE(run(context->set_storage_state(parse(R"({"origins": []})"), soon())));
}

TEST_F(CdpContextStorage, ChangesNothingForAStateThatIsNone) {
    show("<script>localStorage.setItem('here', '1')</script>");
    add_cookie("login");
    const char* broken[] = {
        "{}",
        R"({"bogus": 1})",
        R"({"cookies": "none"})",
        R"({"cookies": [{"name": "a"}]})",
        R"({"cookies": [{"name": "a", "value": "1"}]})",
        R"({"cookies": [{"name": "a", "value": 1, "domain": "127.0.0.1", "path": "/"}]})",
        R"({"cookies": [{"name": "a", "value": "1", "domain": "127.0.0.1", "path": "/"},
                        {"name": "b", "value": ";", "domain": "http://", "path": "/"}]})",
        R"({"cookies": [], "origins": [{"origin": "http://other.example", "localStorage": [{"name": "k"}]}]})",
        R"({"cookies": [], "origins": [{"origin": "http://other.example", "localStorage": 5}]})",
        R"({"cookies": [], "origins": ["http://other.example"]})"};
    for (const char* each : broken) {
        auto set = run(context->set_storage_state(parse(each), soon()));
        EXPECT_EQ(set.error().code, ErrorCode::InvalidArgument) << each;
        EXPECT_THAT(set.error().message, HasSubstr("Error setting storage state:\n")) << each;
        EXPECT_THAT(cookie_names(), ElementsAre("login")) << each;
        EXPECT_EQ(value("localStorage.here"), "\"1\"") << each;
    }
}

TEST_F(CdpContextStorage, KeepsCookiesAndStorageThatWhatComesDoesNotFitInto) {
    show("<script>localStorage.setItem('here', '1')</script>");
    add_cookie("login");
    std::string large(6 << 20, 'x');

    auto set = run(context->set_storage_state(
        json::object{
            {"cookies", json::array()},
            {"origins", json::array{json::object{
                            {"origin", site()},
                            {"localStorage", json::array{json::object{{"name", "k"}, {"value", large}}}}}}}},
        soon()));

    EXPECT_EQ(set.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(cookie_names(), ElementsAre("login"));
    EXPECT_EQ(value("localStorage.here"), "\"1\"");
}

TEST_F(CdpContextStorage, TakesTheWholeAnswerThatAStateCameIn) {
    add_cookie("old");

    auto set = run(context->set_storage_state(
        parse(R"({"success": true, "data": {"sessionId": "ann", "state": {"cookies":
                  [{"name": "new", "value": "1", "domain": "127.0.0.1", "path": "/"}], "origins": []}}})"),
        soon()));

    ASSERT_TRUE(set) << set.error().to_string();
    EXPECT_THAT(cookie_names(), ElementsAre("new"));
}

TEST_F(CdpContextStorage, ReadsAndWritesWhatAPageKeeps) {
    show("<script>localStorage.getItem = () => 'a lie'; sessionStorage.setItem('a', '1')</script>");

    EXPECT_TRUE(run(page->set_storage_item(StorageArea::Local, "k", "v", soon())));
    EXPECT_THAT(run(page->storage_items(StorageArea::Local, soon())).value(),
                ElementsAre(StorageItem{"k", "v"}));
    EXPECT_THAT(run(page->storage_items(StorageArea::Session, soon())).value(),
                ElementsAre(StorageItem{"a", "1"}));
    EXPECT_TRUE(run(page->set_storage_item(StorageArea::Session, "a", std::nullopt, soon())));
    EXPECT_EQ(value("sessionStorage.length"), "0");
    EXPECT_TRUE(run(page->clear_storage(StorageArea::Local, soon())));
    EXPECT_EQ(value("localStorage.length"), "0");
}

TEST_F(CdpContextStorage, SaysWhenAPageMayKeepNothing) {
    ASSERT_TRUE(run(page->navigate("data:text/html,hi", soon())));

    auto items = run(page->storage_items(StorageArea::Local, soon()));

    EXPECT_EQ(items.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(items.error().message, HasSubstr("Storage is disabled"));
}

}  // namespace
