#include "tools/browser_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/test_browser.h"
#include "tests/tools/support.h"
#include "util/strings.h"

namespace {

using session::SessionKey;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Ann and Bob each have a connection; the same principal may have several.
class BrowserResourcesTest : public testing::Test {
protected:
    BrowserResourcesTest() {
        options.session.now = [] { return fakes::kNow; };
        options.session.secrets = {{"TOKEN", "s3cret-value"}};
        sessions.emplace(loop, options, [this](engine::LaunchOptions) { return launch(); }, log);
        resources = tools::browser_resources(
            {.sessions = {.sessions = &*sessions, .owner_of = owner_of, .key_of = key_of}, .history = {}});
    }
    Task<std::shared_ptr<engine::Browser>> launch() {
        co_return std::make_shared<fakes::TestBrowser>(loop, contexts);
    }
    static std::string owner_of(const tools::Caller& caller) { return "principal " + caller.principal; }
    static SessionKey key_of(const tools::Caller& caller) { return {"connection " + caller.connection, ""}; }

    static Task<> open(std::shared_ptr<session::Session> session) {
        session::Turn turn = co_await session->take_turn(Deadline::never());
        (void)co_await session->ensure_tab();
    }
    // A session with one page.
    fakes::FakePage& use(const SessionKey& key) {
        auto session = sessions->session(key).value();
        EXPECT_TRUE(fakes::run_task(loop, open(session)));
        fakes::FakePage& page = contexts.back()->page(0);
        page.page_url = "http://a/";
        page.page_title = "A";
        return page;
    }
    std::vector<std::string> uris(const fakes::FakeClient& client) {
        std::vector<std::string> listed;
        for (const tools::Resource& resource : resources->list(client.caller()))
            listed.push_back(resource.uri);
        return listed;
    }
    // The text, or base64, of a resource; "none" where there is none, and else why not.
    std::string read(fakes::FakeClient& client, const std::string& uri) {
        auto contents = fakes::run_task(loop, resources->read(uri, client));
        if (!contents) return contents.error().message;
        if (!*contents) return "none";
        const tools::ResourceContents& first = (*contents)->front();
        EXPECT_EQ(first.uri, uri);
        return first.text.value_or(first.base64.value_or(""));
    }
    json::object read_json(fakes::FakeClient& client, const std::string& uri) {
        auto parsed = json::parse(read(client, uri));
        return parsed && parsed->is_object() ? parsed->as_object() : json::object();
    }
    std::vector<std::string> complete(fakes::FakeClient& client, std::string argument, std::string typed,
                                      tools::CompletionContext context = {}) {
        return fakes::run_task(loop,
                               resources->complete({"playwright:///screenshot/{session}/{page}/{timestamp}",
                                                    argument, typed, context},
                                                   client))
            .value();
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::silent();
    session::SessionsOptions options = fakes::contexts_in(directory.path());
    std::vector<std::shared_ptr<fakes::FakeContext>> contexts;
    std::optional<session::Sessions> sessions;
    std::shared_ptr<tools::ResourceProvider> resources;
    fakes::FakeClient ann{{.connection = "1", .principal = "ann"}},
        bob{{.connection = "2", .principal = "bob"}};
    const SessionKey own{"connection 1", ""}, shop{"principal ann", "shop"};
};

TEST_F(BrowserResourcesTest, ListsWhatTheCallerHasAndOpensNothing) {
    EXPECT_THAT(uris(ann), IsEmpty());
    EXPECT_EQ(sessions->count(), 0u);
    use(own);
    (void)sessions->session(shop);

    EXPECT_THAT(uris(ann),
                ElementsAre("playwright:///session/default", "playwright:///page/default/page0",
                            "playwright:///page/default/page0/snapshot",
                            "playwright:///network-log/default/page0", "playwright:///session/shop"));
    EXPECT_THAT(uris(bob), IsEmpty());
    EXPECT_EQ(contexts.size(), 1u);
}

TEST_F(BrowserResourcesTest, LeavesAHibernatedSessionAsleep) {
    use(shop);
    ASSERT_TRUE(fakes::run_task(loop, sessions->find(shop)->session->hibernate()).value());

    EXPECT_THAT(uris(ann), ElementsAre("playwright:///session/shop"));
    EXPECT_THAT(read(ann, "playwright:///session/shop"), HasSubstr(R"("hibernated")"));
    EXPECT_EQ(read(ann, "playwright:///page/shop/page0/snapshot"), "none");
    EXPECT_EQ(sessions->find(shop)->session->life(), session::Session::Life::Hibernated);
}

TEST_F(BrowserResourcesTest, TellsOfASessionAndItsPages) {
    use(shop);

    json::object facts = read_json(ann, "playwright:///session/shop");

    EXPECT_EQ(facts["state"], "active");
    EXPECT_EQ(
        json::serialize(facts["pages"]),
        R"([{"uri":"playwright:///page/shop/page0","pageId":"page0","url":"http://a/","current":true}])");
}

TEST_F(BrowserResourcesTest, TellsOfAPage) {
    fakes::FakePage& page = use(own);
    page.readings["viewport"] = json::object{{"width", 800}, {"height", 600}};

    EXPECT_EQ(json::serialize(read_json(ann, "playwright:///page/default/page0")),
              R"({"pageId":"page0","url":"http://a/","created":"2026-03-04T05:06:07.089Z","current":true,)"
              R"("title":"A","viewport":{"width":800,"height":600},"crashed":false,"responsive":true})");
}

TEST_F(BrowserResourcesTest, SaysWhatIsKnownOfAPageThatDoesNotAnswer) {
    fakes::FakePage& page = use(own);
    page.fail("title", {.code = ErrorCode::Timeout, .message = "too slow"});
    json::object facts = read_json(ann, "playwright:///page/default/page0");
    EXPECT_EQ(facts["responsive"], false);
    EXPECT_EQ(facts["url"], "http://a/");

    page.open_dialog("alert", "Hello");
    EXPECT_EQ(read_json(ann, "playwright:///page/default/page0")["responsive"], false);
    EXPECT_THAT(read(ann, "playwright:///page/default/page0/snapshot"), HasSubstr("dialog"));
}

TEST_F(BrowserResourcesTest, GivesASnapshotWithoutSecrets) {
    use(own).tree = "- text: s3cret-value";

    std::string snapshot = read(ann, "playwright:///page/default/page0/snapshot");

    EXPECT_THAT(snapshot, testing::StartsWith("- text: "));
    EXPECT_THAT(snapshot, testing::Not(HasSubstr("s3cret-value")));
}

TEST_F(BrowserResourcesTest, DescribesAnElement) {
    fakes::FakePage& page = use(own);
    page.add_element("e2", "getByRole('button')");
    page.readings["first"] = json::object{{"tag", "button"}, {"box", json::object{{"x", 1}}}};

    json::object facts = read_json(ann, "playwright:///element/default/page0/e2");

    EXPECT_EQ(facts["selector"], "getByRole('button')");
    EXPECT_EQ(facts["tag"], "button");
    EXPECT_EQ(json::serialize(facts["box"]), R"({"x":1})");
    EXPECT_THAT(read(ann, "playwright:///element/default/page0/e9"), testing::StartsWith("No element"));
}

TEST_F(BrowserResourcesTest, CountsRequests) {
    fakes::FakePage& page = use(own);
    page.request_entries = {{.method = "GET", .url = "http://a/", .status = 200, .finished = true},
                            {.method = "GET", .url = "http://b/", .failure = "net::ERR_FAILED"},
                            {.method = "POST", .url = "http://c/"}};

    json::object log_of_page = read_json(ann, "playwright:///network-log/default/page0");

    EXPECT_EQ(json::serialize(log_of_page["counts"]), R"({"total":3,"finished":1,"failed":1,"pending":1})");
    EXPECT_EQ(log_of_page["entries"].as_array().size(), 3u);
}

TEST_F(BrowserResourcesTest, ShowsThePageAsItIsAndAsItWas) {
    use(own);
    auto tab = sessions->find(own)->session->current_tab();
    directory.write("a.png", "old");
    tab->note_picture(directory.path() / "a.png");
    tab->note_picture(directory.path() / "a.png");

    EXPECT_EQ(read(ann, "playwright:///screenshot/default/page0/now"), "UE5H");
    EXPECT_EQ(read(ann, "playwright:///screenshot/default/page0/2026-03-04T05-06-07-089Z"), "b2xk");
    EXPECT_THAT(uris(ann), Contains("playwright:///screenshot/default/page0/2026-03-04T05-06-07-090Z"));
    EXPECT_EQ(read(ann, "playwright:///screenshot/default/page0/2026-03-04T05-06-07-091Z"), "none");
}

TEST_F(BrowserResourcesTest, GivesDownloadsAndNoOtherFiles) {
    use(own);
    directory.write("a b.txt", "text");
    directory.write("other.txt", "other");
    sessions->find(own)->session->workspace().note_download(directory.path() / "a b.txt");

    EXPECT_EQ(read(ann, "playwright:///download/default/a%20b.txt"), "text");
    EXPECT_EQ(read(ann, "playwright:///download/default/other.txt"), "none");
    EXPECT_EQ(read(ann, "playwright:///download/default/..%2Fother.txt"), "none");
    std::filesystem::remove(directory.path() / "a b.txt");
    std::filesystem::create_symlink(directory.path() / "other.txt", directory.path() / "a b.txt");
    EXPECT_EQ(read(ann, "playwright:///download/default/a%20b.txt"), "none");
}

TEST_F(BrowserResourcesTest, GivesDownloadsWithoutSecretsInWholeAndInParts) {
    using namespace std::string_literals;
    use(own);
    std::string text = std::string((1 << 20) - 6, 'a') + "s3cret-value" + std::string(1000, 'b');
    directory.write("cut.txt", text);
    directory.write("zero.bin", "\0s3cret-value"s);
    directory.write("picture.bin", "\x89\0s3cret-value"s);
    for (const char* name : {"cut.txt", "zero.bin", "picture.bin"})
        sessions->find(own)->session->workspace().note_download(directory.path() / name);

    std::string both;
    for (const char* part : {"?part=1", "?part=2"})
        both += read(ann, std::string("playwright:///download/default/cut.txt") + part);
    EXPECT_EQ(both, std::string((1 << 20) - 6, 'a') + "<secret>TOKEN</secret>" + std::string(1000, 'b'));
    EXPECT_EQ(base64_decode(read(ann, "playwright:///download/default/zero.bin")).value(),
              "\0<secret>TOKEN</secret>"s);
    EXPECT_EQ(base64_decode(read(ann, "playwright:///download/default/picture.bin")).value(),
              "\x89\0************"s);
}

// The server can mark only text as untrusted.
TEST_F(BrowserResourcesTest, GivesDownloadedTextAsText) {
    use(own);
    for (const char* name : {"a.html", "a.csv", "a.unknown", "a"}) {
        directory.write(name, "<p>text</p>");
        sessions->find(own)->session->workspace().note_download(directory.path() / name);
        EXPECT_EQ(read(ann, std::string("playwright:///download/default/") + name), "<p>text</p>") << name;
    }
}

TEST_F(BrowserResourcesTest, KeepsOthersOut) {
    use(own);
    use(shop);

    for (const char* uri :
         {"playwright:///session/shop", "playwright:///page/shop/page0", "playwright:///session/default",
          "playwright:///page/default/page0/snapshot", "playwright:///network-log/shop/page0"})
        EXPECT_EQ(read(bob, uri), "none") << uri;
    EXPECT_THAT(complete(bob, "session", ""), IsEmpty());
    EXPECT_THAT(complete(bob, "page", "", {{"session", "shop"}}), IsEmpty());
}

TEST_F(BrowserResourcesTest, KnowsWhatMayBeSubscribedTo) {
    auto may_exist = [&](const std::string& uri) {
        return resources->may_exist("playwright:///" + uri, ann.caller());
    };
    EXPECT_TRUE(may_exist("session/default")) << "the first call makes it";
    EXPECT_TRUE(may_exist("page/default/NOPE")) << "nobody knows its tabs yet";
    EXPECT_FALSE(may_exist("page/nope/NOPE"));

    use(own);
    for (const std::string& uri : uris(ann)) EXPECT_TRUE(resources->may_exist(uri, ann.caller())) << uri;
    EXPECT_FALSE(may_exist("page/default/NOPE"));
    EXPECT_FALSE(may_exist("page/default/NOPE/snapshot"));
    EXPECT_FALSE(may_exist("session/nope"));
    EXPECT_FALSE(may_exist("page/nope/NOPE"));
}

TEST_F(BrowserResourcesTest, SaysForEveryTemplateWhichToolItStandsFor) {
    std::map<std::string, std::string> expected{
        {"playwright:///session/{session}", "list_sessions"},
        {"playwright:///page/{session}/{page}", "browser_tabs"},
        {"playwright:///page/{session}/{page}/snapshot", "browser_snapshot"},
        {"playwright:///element/{session}/{page}/{ref}", "browser_snapshot"},
        {"playwright:///screenshot/{session}/{page}/{timestamp}", "browser_take_screenshot"},
        {"playwright:///network-log/{session}/{page}", "browser_network_requests"},
        {"playwright:///download/{session}/{file}", "browser_snapshot"},
        {"playwright:///content/{ref_id}", "get_content"}};
    std::map<std::string, std::string> declared;
    for (const tools::ResourceTemplate& each : resources->templates()) {
        auto access = resources->reading(each.uri_template);
        ASSERT_TRUE(access) << each.uri_template;
        declared.emplace(each.uri_template, access->as.tool());
        EXPECT_TRUE(resources->completing({each.uri_template, "page", ""})) << each.uri_template;
    }
    EXPECT_EQ(declared, expected);
    EXPECT_EQ(resources->reading("playwright:///page/shop/page0")->session, "shop");
    EXPECT_EQ(resources->reading("playwright:///page/default/page0")->session, "");
    EXPECT_FALSE(resources->reading("file:///etc/passwd"));
    std::string page = "playwright:///page/{session}/{page}", content = "playwright:///content/{ref_id}";
    EXPECT_EQ(resources->completing({page, "session", ""})->as.tool(), "list_sessions");
    EXPECT_EQ(resources->completing({content, "ref_id", ""})->as.tool(), "history_list");
    EXPECT_EQ(resources->completing({page, "page", "", {{"session", "shop"}}})->session, "shop");
}

TEST_F(BrowserResourcesTest, CompletesWhatIsTyped) {
    use(own);
    (void)sessions->session(shop);

    EXPECT_THAT(complete(ann, "session", ""), ElementsAre("default", "shop"));
    EXPECT_THAT(complete(ann, "session", "s"), ElementsAre("shop"));
    EXPECT_THAT(complete(ann, "page", "p"), ElementsAre("page0"));
    EXPECT_THAT(complete(ann, "page", "x", {{"session", "default"}}), IsEmpty());
    EXPECT_THAT(complete(ann, "timestamp", "n", {{"page", "page0"}}), ElementsAre("now"));
}

TEST_F(BrowserResourcesTest, CompletesTheRefsOfAPage) {
    use(own).tree = "- button \"Buy\" [ref=e2]\n- link \"Next\" [ref=f1e3] [cursor=pointer]";

    EXPECT_THAT(complete(ann, "ref", "", {{"page", "page0"}}), ElementsAre("e2", "f1e3"));
    EXPECT_THAT(complete(ann, "ref", "f", {{"page", "page0"}}), ElementsAre("f1e3"));
    EXPECT_THAT(complete(ann, "ref", "", {{"page", "gone"}}), IsEmpty());
}

TEST_F(BrowserResourcesTest, SaysWhatAPictureIsOf) {
    use(own);
    auto tab = sessions->find(own)->session->current_tab();
    directory.write("a.png", "old");
    tab->note_picture(directory.path() / "a.png", {800, 600}, true);

    auto listed = resources->list(ann.caller());
    auto picture =
        std::ranges::find_if(listed, [](const auto& each) { return each.uri.contains("screenshot/"); });
    ASSERT_NE(picture, listed.end());
    std::string facts = R"({"width":800,"height":600,"fullPage":true,"capturedAt":1772600767089})";
    EXPECT_EQ(json::serialize(picture->meta), facts);
    auto contents = fakes::run_task(
        loop, resources->read("playwright:///screenshot/default/page0/2026-03-04T05:06:07.089Z", ann));
    ASSERT_TRUE(contents && *contents);
    EXPECT_EQ(json::serialize((*contents)->front().meta), facts);
}

}  // namespace
