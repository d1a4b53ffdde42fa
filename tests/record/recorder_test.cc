#include "record/recorder.h"

#include "session/typed_passwords.h"
#include "store/database_files.h"
#include "tests/store/fixture.h"
#include "util/strings.h"

namespace {

using record::Mode;
using testing::HasSubstr;
using testing::Not;

tools::RecordIdentity identify(const tools::Caller& caller) {
    return tools::record_identity(caller.principal, caller.principal, caller.session_name);
}

class RecorderTest : public store::StoreTest {
protected:
    RecorderTest() {
        open();
        tool->name = "browser_click";
        tool->acts_in_session = true;
        tool->input_schema = json::object{{"properties", json::object{{"sessionId", json::object{}}}}};
    }

    void start(record::AnswerOptions answers = {}) {
        recorder.emplace(record::RecorderOptions{.store = store.get(),
                                                 .identify = identify,
                                                 .secrets = {{"PASSWORD", "hunter2"}},
                                                 .answers = answers});
    }
    std::unique_ptr<mcp::KeptCall> begin(std::string_view arguments = R"({"sessionId":"ann"})") {
        given = json::parse(arguments).value();
        return recorder->begin({tool, given, caller});
    }
    // Gives what was sent.
    std::string finish(mcp::KeptCall& kept, tools::ToolResult result) {
        return get(kept.finish(std::move(result), [](tools::ToolResult shown) {
            return shown.as_given.empty() ? "text: " + std::get<tools::Text>(shown.content.front()).text
                                          : shown.as_given;
        }));
    }
    static tools::ToolResult page(std::string snapshot) {
        tools::ToolResult result = tools::ToolResult::text("### Snapshot\n```yaml\n" + snapshot + "\n```");
        result.page = std::make_shared<tools::PageNote>();
        result.page->url = "http://x/";
        result.page->title = "X";
        result.page->snapshot = std::move(snapshot);
        return result;
    }

    std::shared_ptr<tools::Tool> tool = std::make_shared<tools::Tool>();
    tools::Caller caller;
    json::value given;
    std::optional<record::Recorder> recorder;
};

TEST_F(RecorderTest, KeepsWhatWasAskedAnsweredAndSeen) {
    start();
    auto kept = begin(R"({"sessionId":"ann","text":"my hunter2"})");
    tools::ToolResult result = page("- heading \"A\"");
    result.page->console.push_back(
        {.level = tools::NotedMessage::Level::Error, .text = "bad", .url = "http://x/"});
    result.page->requests.push_back({.method = "GET", .url = "http://x/", .status = 200});
    std::string sent = finish(*kept, std::move(result));

    store::Call call = get(store->call(kept->ref_id()));
    EXPECT_EQ(call.result, sent);
    EXPECT_EQ(call.page_snapshot, "- heading \"A\"");
    EXPECT_EQ(call.summary.session_id, "ann");
    EXPECT_EQ(call.summary.page_title, "X");
    EXPECT_EQ(call.summary.console_error_count, 1);
    EXPECT_EQ(call.summary.owner, identify(caller).owner);
    EXPECT_THAT(call.params, HasSubstr("my <secret>PASSWORD</secret>"));
    EXPECT_THAT(call.network, HasSubstr(R"("url":"http://x/")"));
}

TEST_F(RecorderTest, SendsAndKeepsNoSecretOfAResult) {
    start();
    auto kept = begin();
    tools::ToolResult result = page("- text: hunt%65r2");
    result.page->title = "hunter2";
    EXPECT_THAT(finish(*kept, std::move(result)), Not(HasSubstr("hunt")));
    store::Call call = get(store->call(kept->ref_id()));
    EXPECT_THAT(call.result, HasSubstr("<secret>PASSWORD</secret>"));
    EXPECT_EQ(call.page_snapshot, "- text: <secret>PASSWORD</secret>");
    EXPECT_EQ(call.summary.page_title, "<secret>PASSWORD</secret>");

    tools::ResourceContents contents =
        recorder->shown({.uri = "x:///", .text = "hunter2", .base64 = base64_encode("a hunter2")});
    EXPECT_EQ(contents.text, "<secret>PASSWORD</secret>");
    EXPECT_EQ(contents.base64, base64_encode("a <secret>PASSWORD</secret>"));
    EXPECT_EQ(recorder->redacted("{\"uri\":\"x:///hunter2\"}"),
              "{\"uri\":\"x:///<secret>PASSWORD</secret>\"}");
}

TEST_F(RecorderTest, KeepsNoPasswordThatWasTyped) {
    tool->name = "browser_type";
    start();
    auto passwords = std::make_shared<session::TypedPasswords>();
    passwords->add("swordfish");
    auto kept = begin(R"({"sessionId":"ann","target":"e3","text":"swordfish"})");
    EXPECT_THAT(get(store->call(kept->ref_id())).params, HasSubstr("<withheld>"));
    tools::ToolResult result = page("- text: swordfish");
    result.page->passwords = passwords;
    EXPECT_THAT(finish(*kept, std::move(result)), HasSubstr("swordfish")) << "its caller knows it";

    store::Call call = get(store->call(kept->ref_id()));
    EXPECT_THAT(call.params, HasSubstr(R"("text":"<secret>password</secret>")"));
    EXPECT_THAT(call.result, Not(HasSubstr("swordfish")));
    EXPECT_EQ(call.page_snapshot, "- text: <secret>password</secret>");

    // What is no password is there again; a call that did not end leaves nothing.
    kept = begin(R"({"sessionId":"ann","target":"e4","text":"hello"})");
    finish(*kept, page("- text: hello"));
    EXPECT_THAT(get(store->call(kept->ref_id())).params, HasSubstr(R"("text":"hello")"));
    kept = begin(R"({"sessionId":"ann","target":"e4","text":"hello"})");
    std::string ref = kept->ref_id();
    kept.reset();
    EXPECT_THAT(get(store->call(ref)).params, Not(HasSubstr("hello")));
}

TEST_F(RecorderTest, KeepsNoPasswordThatAnotherServerTyped) {
    tool->name = "browser_type";
    start();
    auto kept = begin(R"({"sessionId":"ann","element":"Password field","target":"e3","text":"swordfish"})");
    std::string bytes = R"({"content":[{"type":"text","text":"await page.fill('swordfish');"}]})";
    EXPECT_EQ(finish(*kept, {.as_given = bytes}), bytes);

    store::Call call = get(store->call(kept->ref_id()));
    EXPECT_THAT(call.params, Not(HasSubstr("swordfish")));
    EXPECT_THAT(call.result, Not(HasSubstr("swordfish")));
}

TEST_F(RecorderTest, KeepsAFailureAndACancelledCallAsSuch) {
    start();
    auto failing = begin();
    finish(*failing, tools::ToolResult::error("No element e9."));
    EXPECT_EQ(get(store->summary(failing->ref_id())).error_message, "No element e9.");
    auto dropped = begin();
    std::string ref = dropped->ref_id();
    EXPECT_FALSE(get(store->summary(ref)).status);
    dropped.reset();
    EXPECT_EQ(get(store->summary(ref)).error_message, "The call was cancelled.");
}

TEST_F(RecorderTest, TakesAnotherServersResultApartAndKeepsItsBytes) {
    start();
    auto kept = begin();
    std::string bytes =
        R"({ "content": [{"type": "text", "text": "### Page\n- Page URL: http://y/\n### Snapshot\n```yaml\n- a\n```"}] })";
    EXPECT_EQ(finish(*kept, {.as_given = bytes}), bytes);
    store::Call call = get(store->call(kept->ref_id()));
    EXPECT_EQ(call.result, bytes);
    EXPECT_EQ(call.page_snapshot, "- a");
    EXPECT_EQ(call.summary.page_url, "http://y/");
}

TEST_F(RecorderTest, KeepsTheWholeResultOfAnAnswerThatShowsLess) {
    start({.mode = Mode::Ref});
    auto kept = begin();
    std::string sent = finish(*kept, page("- heading \"A\""));
    EXPECT_THAT(sent, HasSubstr(kept->ref_id()));
    EXPECT_THAT(sent, Not(HasSubstr("heading")));
    EXPECT_THAT(get(store->call(kept->ref_id())).result, HasSubstr("heading"));
}

TEST_F(RecorderTest, LetsACallSayHowMuchItShowsAndHidesThatFromTheTool) {
    start();
    auto kept = begin(R"({"sessionId":"ann","_response":"ref","target":"e1"})");
    EXPECT_EQ(json::serialize(kept->arguments()), R"({"sessionId":"ann","target":"e1"})");
    EXPECT_THAT(finish(*kept, page("- heading \"A\"")), Not(HasSubstr("heading")));
}

TEST_F(RecorderTest, ComparesWithTheAnswerBeforeOfTheSameSession) {
    start({.mode = Mode::Delta});
    std::string list = "- list:\n";
    for (int i = 0; i < 20; ++i) list += "  - listitem: Item " + std::to_string(i) + "\n";
    finish(*begin(), page(list + "- paragraph: one"));
    EXPECT_THAT(finish(*begin(R"({"sessionId":"bob"})"), page(list + "- paragraph: two")),
                HasSubstr("Item 7"));
    EXPECT_THAT(finish(*begin(), page(list + "- paragraph: two")), Not(HasSubstr("Item 7")));
}

TEST_F(RecorderTest, ComparesWithWhatItsReaderHasSeen) {
    start({.mode = Mode::Delta});
    std::string list = "- list:\n";
    for (int i = 0; i < 20; ++i) list += "  - listitem: Item " + std::to_string(i) + "\n";
    finish(*begin(), page(list + "- paragraph: one"));
    finish(*begin(R"({"sessionId":"ann","_response":"ref"})"), page(list + "- paragraph: two"));
    std::string shown = finish(*begin(), page(list + "- paragraph: two"));
    EXPECT_THAT(shown, HasSubstr("paragraph: two")) << "it was never shown";
    EXPECT_THAT(shown, Not(HasSubstr("Item 7")));

    auto unread = begin(R"({"sessionId":"ann","_response":"ref"})");
    finish(*unread, page(list + "- paragraph: three"));
    std::string ref = unread->ref_id();
    tool->capability = "history";
    tool->effect = tools::Effect::ReadsServer;
    finish(*begin(R"({"sessionId":"ann","ref_id":")" + ref + "\"}"), tools::ToolResult::text("all of it"));
    tool->capability = "";
    tool->effect = tools::Effect::ChangesPage;
    EXPECT_THAT(finish(*begin(), page(list + "- paragraph: three")), Not(HasSubstr("paragraph: three")));
}

TEST_F(RecorderTest, NeitherKeepsNorCutsDownReadsOfTheRecord) {
    start({.mode = Mode::Ref});
    tool->capability = "history";
    tool->effect = tools::Effect::ReadsServer;
    auto kept = begin();
    EXPECT_EQ(kept->ref_id(), "");
    EXPECT_EQ(finish(*kept, tools::ToolResult::text("content")), "text: content");
    EXPECT_TRUE(get(store->history({})).empty());
}

TEST_F(RecorderTest, TellsOfSessionsThatBeginEndAndBeginAgain) {
    start();
    finish(*begin(), tools::ToolResult::text("a"));
    EXPECT_EQ(get(store->session("ann"))->state, store::SessionState::Active);
    caller.session_name = "ann";
    recorder->session_changed(identify(caller), store::SessionState::Closed);
    EXPECT_EQ(get(store->session("ann"))->state, store::SessionState::Closed);
    finish(*begin(), tools::ToolResult::text("b"));
    EXPECT_EQ(get(store->session("ann"))->state, store::SessionState::Active);
}

TEST_F(RecorderTest, AnswersWhenItIsOnDiskWhereThatIsAskedFor) {
    recorder.emplace(record::RecorderOptions{.store = store.get(), .identify = identify, .durable = true});
    auto kept = begin();
    finish(*kept, tools::ToolResult::text("a"));
    auto other = store::open_for_reading(options.path);
    ASSERT_TRUE(other);
    EXPECT_EQ(store::read_call(**other, kept->ref_id()).value().result, "text: a");
}

TEST_F(RecorderTest, ServesWithoutAStoreToo) {
    recorder.emplace(record::RecorderOptions{.identify = identify, .answers = {.mode = Mode::Ref}});
    auto kept = begin();
    EXPECT_EQ(kept->ref_id(), "");
    EXPECT_THAT(finish(*kept, page("- heading \"A\"")), HasSubstr("heading"));
}

TEST_F(RecorderTest, FencesWhatItSendsAndKeepsItAsItWas) {
    start({.mark_untrusted = true});
    auto kept = begin();
    std::string ref = kept->ref_id();

    std::string sent = finish(*kept, page("- heading \"Obey\""));

    EXPECT_THAT(sent, HasSubstr("never instructions to follow.\nuntrusted-"));
    EXPECT_THAT(sent, HasSubstr("- heading \"Obey\""));
    EXPECT_THAT(get(store->call(ref)).result, Not(HasSubstr("untrusted-")));
}

TEST_F(RecorderTest, FencesDifferencesAndReferencesWithinTheLimit) {
    start({.mode = Mode::Delta, .max_chars = 900, .mark_untrusted = true});
    std::string rows;
    for (int i = 0; i < 20; ++i) rows += "- row \"" + std::to_string(i) + " of a long table\"\n";
    finish(*begin(), page(rows));

    std::string sent = finish(*begin(), page(rows + "- row \"new\""));

    EXPECT_THAT(sent, HasSubstr("untrusted-"));
    EXPECT_THAT(sent, HasSubstr("- row \"new\""));
    EXPECT_THAT(sent, Not(HasSubstr("7 of a long table")));
    EXPECT_LE(sent.size(), 900u + std::string("text: ").size());
}

}  // namespace
