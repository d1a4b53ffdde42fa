#include "store/store.h"

#include <sys/stat.h>
#include <unistd.h>

#include "store/database_files.h"
#include "tests/store/fixture.h"

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace store {
namespace {

int mode_of(const std::filesystem::path& path) {
    struct stat status{};
    ::stat(path.c_str(), &status);
    return status.st_mode & 0777;
}

std::vector<std::string> refs(const std::vector<CallSummary>& calls) {
    std::vector<std::string> result;
    for (const CallSummary& call : calls) result.push_back(call.ref_id);
    return result;
}

std::int64_t count(const std::filesystem::path& file, const std::string& sql) {
    auto db = open_for_reading(file);
    return db ? (*db)->number(sql).value_or(-1) : -1;
}

}  // namespace

TEST_F(StoreTest, GivesBackACallAsItWasRecorded) {
    open();
    std::string ref = random_uuid();
    std::string odd("{\"text\":\"\0\xff\xfe bytes\"}", 20);
    store->record(RequestRecord{ref, "s1", "browser_type", R"({"text":"***"})"});
    now += 40ms;
    store->record(ResponseRecord{.ref_id = ref,
                                 .status = Status::Error,
                                 .result = odd,
                                 .page_snapshot = "",
                                 .error_message = "No element e9.",
                                 .page_url = "http://shop/",
                                 .page_title = "Shop"});

    Call call = get(store->call(ref));

    EXPECT_EQ(call.summary.session_id, "s1");
    EXPECT_EQ(call.summary.tool_name, "browser_type");
    EXPECT_EQ(call.summary.status, Status::Error);
    EXPECT_EQ(call.summary.error_message, "No element e9.");
    EXPECT_EQ(call.summary.page_title, "Shop");
    EXPECT_EQ(*call.summary.answered - call.summary.timestamp, 40ms);
    EXPECT_EQ(call.params, R"({"text":"***"})");
    EXPECT_EQ(call.result, odd);
    EXPECT_EQ(call.page_snapshot, "");
}

TEST_F(StoreTest, KeepsARequestThatWasNeverAnswered) {
    open();
    store->record(RequestRecord{"ref", "s1", "browser_wait_for", "{}"});
    EXPECT_EQ(get(store->call("ref")).summary.status, std::nullopt);
    EXPECT_FALSE(get(store->call("ref")).page_snapshot);
}

TEST_F(StoreTest, GivesBackLongTextsToTheByte) {
    open();
    std::string binary = random_bytes(300'000);
    std::string ref = call("s1", {.result = binary, .page_snapshot = page(1)}, "browser_run_code", page(2));
    Call read = get(store->call(ref));
    EXPECT_EQ(read.result, binary);
    EXPECT_EQ(read.page_snapshot, page(1));
    EXPECT_EQ(read.params, page(2));
}

TEST_F(StoreTest, SurvivesARestart) {
    open();
    std::string ref = call("s1", page(1));
    open();
    EXPECT_EQ(get(store->snapshot(ref)), page(1));
    std::string next = call("s1", page(2));
    EXPECT_EQ(get(store->snapshot(next)), page(2));
}

TEST_F(StoreTest, ReadsSeeWhatWasRecordedBeforeThem) {
    options.commit_interval = 10s;
    open();
    for (int i = 0; i < 20; ++i) {
        std::string ref = call("s1", page(i));
        EXPECT_EQ(get(store->snapshot(ref)), page(i));
    }
}

TEST_F(StoreTest, CommitsWithinItsIntervalWithoutBeingAsked) {
    open();
    call("s1", "small");
    fakes::run_until(loop, [&] { return store->health().pending == 0; });
    EXPECT_EQ(count(options.path, "SELECT count(*) FROM responses"), 1);
}

TEST_F(StoreTest, CommitsEverythingWhenItEnds) {
    options.commit_interval = 1h;
    open();
    for (int i = 0; i < 100; ++i) call("s1", page(i));
    store.reset();
    EXPECT_FALSE(std::filesystem::exists(options.path.string() + "-wal"));
    EXPECT_EQ(count(options.path, "SELECT count(*) FROM responses"), 100);
}

TEST_F(StoreTest, RecordingDurablyEndsWhenItIsOnDisk) {
    options.commit_interval = 1h;
    open();
    store->record(RequestRecord{"ref", "s1", "browser_click", "{}"});
    EXPECT_TRUE(wait(store->record_durably({.ref_id = "ref", .result = "done"})));
    EXPECT_EQ(count(options.path, "SELECT count(*) FROM responses"), 1);
}

TEST_F(StoreTest, OnlyItsOwnerMayReadTheFiles) {
    options.path = directory / "state" / "troupe" / "record.db";
    open();
    call("s1", page(1));
    ASSERT_TRUE(wait(store->save_state("s1", "cookies")));
    EXPECT_EQ(mode_of(directory / "state"), 0700);
    EXPECT_EQ(mode_of(directory / "state" / "troupe"), 0700);
    for (const char* suffix : {"", "-wal", "-shm", ".lock", ".key", ".leases", ".servers", ".setup"})
        EXPECT_EQ(mode_of(options.path.string() + suffix), 0600) << suffix;
}

TEST_F(StoreTest, TakesAwayTheRightsOfOthersToAFileThatIsThere) {
    open();
    store.reset();
    ASSERT_EQ(::chmod(options.path.c_str(), 0644), 0);
    open();
    EXPECT_EQ(mode_of(options.path), 0600);
}

TEST_F(StoreTest, HasTheTablesThatAreDocumented) {
    open();
    auto db = open_for_reading(options.path);
    ASSERT_TRUE(db);
    for (const char* sql :
         {"SELECT session_id, created_at, last_activity, state, metadata FROM sessions",
          "SELECT ref_id, session_id, tool_name, params, timestamp FROM requests",
          "SELECT ref_id, status, result, page_snapshot, console_logs, error_message, timestamp FROM "
          "responses",
          "SELECT id, ref_id, level, message, timestamp, location FROM console_logs",
          "SELECT reader, ref_id, page_key, cursor_position, last_snapshot_hash, last_read FROM diff_cursors",
          R"(SELECT hash, content, "references" FROM blobs)"}) {
        EXPECT_TRUE((*db)->number(sql)) << sql;
    }
}

TEST_F(StoreTest, KeepsSessionsWithTheirStateAndMetadata) {
    open();
    store->record(SessionRecord{.session_id = "s1", .metadata = R"({"agent":"a"})"});
    now += 5s;
    store->record(SessionRecord{.session_id = "s1", .state = SessionState::Hibernated});
    SessionInfo session = *get(store->session("s1"));
    EXPECT_EQ(session.state, SessionState::Hibernated);
    EXPECT_EQ(session.metadata, R"({"agent":"a"})");
    EXPECT_EQ(session.last_activity - session.created_at, 5s);
    EXPECT_FALSE(get(store->session("s2")));
}

TEST_F(StoreTest, ACallIsAnActivityOfItsSession) {
    open();
    store->record(SessionRecord{.session_id = "s1"});
    now += 1min;
    call("s1", "small");
    EXPECT_EQ(get(store->session("s1"))->last_activity, Time(now));
    // A session that nobody announced is known by its calls.
    call("s2", "small");
    EXPECT_EQ(get(store->sessions()).size(), 2u);
}

TEST_F(StoreTest, ListsHistoryNewestFirstBySessionToolAndTime) {
    open();
    std::string a = call("s1", {}, "browser_click");
    now += 1s;
    std::string b = call("s2", {}, "browser_type");
    now += 1s;
    std::string c = call("s1", {}, "browser_type");
    EXPECT_THAT(refs(get(store->history({}))), ElementsAre(c, b, a));
    EXPECT_THAT(refs(get(store->history({.session_id = "s1"}))), ElementsAre(c, a));
    EXPECT_THAT(refs(get(store->history({.tool_name = "browser_type"}))), ElementsAre(c, b));
    EXPECT_THAT(refs(get(store->history({.from = now - 1s, .until = now}))), ElementsAre(b));
    auto first = get(store->history({.limit = 2}));
    EXPECT_THAT(refs(first), ElementsAre(c, b));
    EXPECT_THAT(refs(get(store->history({.before = first.back().number}))), ElementsAre(a));
}

TEST_F(StoreTest, FindsCallsByTheWordsOfToolArgumentsPageAndError) {
    open();
    std::string a =
        call("s1", {.error_message = "Navigation blocked"}, "browser_navigate", R"({"url":"http://shop/"})");
    std::string b = call("s2", {.page_url = "http://shop/cart", .page_title = "Warenkörbe"}, "browser_click");
    EXPECT_THAT(refs(get(store->history({.text = "shop"}))), ElementsAre(b, a));
    EXPECT_THAT(refs(get(store->history({.text = "BLOCKED navig"}))), ElementsAre(a));
    EXPECT_THAT(refs(get(store->history({.text = "warenkorbe"}))), ElementsAre(b));
    EXPECT_THAT(refs(get(store->history({.session_id = "s1", .text = "shop"}))), ElementsAre(a));
    EXPECT_THAT(refs(get(store->history({.text = "shop nowhere"}))), ElementsAre());
}

TEST_F(StoreTest, FindsTheCallThatBroughtATextToThePage) {
    open();
    call("s1", page(1));
    std::string b = call("s1", page(2) + "  - alert [ref=e10000]: Order confirmed\n");
    call("s1", page(3) + "  - alert [ref=e10000]: Order confirmed\n");
    EXPECT_THAT(refs(get(store->history({.text = "order confirmed"}))), ElementsAre(b));
    // The first snapshot brought all of it.
    EXPECT_EQ(get(store->history({.text = "product 919"})).size(), 1u);
}

TEST_F(StoreTest, FindsTextInEachSessionThatWasShownIt) {
    open();
    std::string a = call("s1", page(1));
    std::string b = call("s2", page(1));
    call("s2", page(1));
    EXPECT_THAT(refs(get(store->history({.text = "product 919"}))), ElementsAre(b, a));
    EXPECT_THAT(refs(get(store->history({.session_id = "s2", .text = "product 919"}))), ElementsAre(b));
}

TEST_F(StoreTest, FindsCallsByTheBeginningOfTheirRefs) {
    open();
    for (const char* ref : {"aaaa1111-x", "aaaa2222-x", "bbbb-x"})
        store->record(RequestRecord{ref, "s1", "browser_click", "{}"});
    EXPECT_THAT(refs(get(store->find_calls("aaaa"))), ElementsAre("aaaa2222-x", "aaaa1111-x"));
    EXPECT_THAT(refs(get(store->find_calls("AAAA1"))), ElementsAre("aaaa1111-x"));
    EXPECT_THAT(refs(get(store->find_calls("bbbb-x"))), ElementsAre("bbbb-x"));
    EXPECT_THAT(refs(get(store->find_calls("cccc"))), ElementsAre());
    EXPECT_THAT(refs(get(store->find_calls("bbb"))), ElementsAre());
    EXPECT_THAT(refs(get(store->find_calls("bbb%"))), ElementsAre());
    EXPECT_THAT(refs(get(store->find_calls("aaaa\xff"))), ElementsAre());
}

TEST_F(StoreTest, NoSearchTextIsAnErrorOrASyntax) {
    open();
    std::string ref = call("s1", {.error_message = "a \"quoted\" AND (odd) text: col*umn -x"});
    for (const char* text : {"\"", "AND OR NOT", "a\"b", "col:x", "NEAR(", "*", "^a", "(((", "-",
                             "'; DROP TABLE requests", "{a b}: c", "\xff\xfe", "—", "a + b", "text : umn"}) {
        EXPECT_TRUE(wait(store->history({.text = text}))) << text;
    }
    EXPECT_THAT(refs(get(store->history({.text = "\"quoted\" (odd)"}))), ElementsAre(ref));
    EXPECT_THAT(refs(get(store->history({.text = "***"}))), ElementsAre());
}

TEST_F(StoreTest, GivesConsoleMessagesFromALevelUp) {
    open();
    std::string ref = call("s1", ResponseRecord{.console_logs = {
                                                    {Level::Debug, "d"},
                                                    {Level::Error, "boom", "http://a/\"x\".js", 3, 14},
                                                    {Level::Warn, "w"},
                                                }});
    auto all = get(store->console(ref));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[1].message, "boom");
    EXPECT_EQ(all[1].url, "http://a/\"x\".js");
    EXPECT_EQ(all[1].line, 3);
    EXPECT_EQ(all[1].column, 14);
    EXPECT_EQ(get(store->console(ref, Level::Warn)).size(), 2u);
    EXPECT_EQ(get(store->console(ref, Level::Error)).size(), 1u);
    CallSummary summary = get(store->summary(ref));
    EXPECT_EQ(summary.console_count, 3);
    EXPECT_EQ(summary.console_error_count, 1);
}

TEST_F(StoreTest, SaysThatARefIsUnknown) {
    open();
    Result<Call> call = wait(store->call("nobody's"));
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().code, ErrorCode::NotFound);
    EXPECT_THAT(call.error().message, HasSubstr("No call nobody's was recorded"));
}

TEST_F(StoreTest, FindsACallByTheCallersOwnNameForIt) {
    open();
    store->record(RequestRecord{"ref1", "s1", "browser_click", "{}", "mine"});
    store->record(RequestRecord{"ref2", "s2", "browser_click", "{}", "mine"});
    EXPECT_EQ(get(store->find_request("s2", "mine")), "ref2");
    EXPECT_EQ(get(store->find_request("s3", "mine")), std::nullopt);
}

TEST_F(StoreTest, ARecordThatCannotBeWrittenTakesNoOtherWithIt) {
    open();
    store->record(RequestRecord{"ref", "s1", "browser_click", "{}"});
    store->record(RequestRecord{"ref", "s1", "browser_type", "{}"});
    store->record(ResponseRecord{.ref_id = "without a request"});
    std::string good = call("s1", page(1));
    EXPECT_EQ(get(store->snapshot(good)), page(1));
    EXPECT_EQ(get(store->call("ref")).summary.tool_name, "browser_click");
    EXPECT_EQ(store->health().dropped, 2u);
    EXPECT_EQ(store->health().state, Health::State::Ok);
}

TEST_F(StoreTest, AReadThatIsDroppedDoesNoHarm) {
    open();
    call("s1", page(1));
    {
        Running dropped = start(store->history({}));
    }
    EXPECT_EQ(get(store->history({})).size(), 1u);
}

TEST_F(StoreTest, CanBeReadByAnotherProgramMeanwhile) {
    open();
    std::string ref = call("s1", page(1));
    settle();
    auto db = open_for_reading(options.path);
    ASSERT_TRUE(db);
    EXPECT_EQ(read_call(**db, ref)->page_snapshot, page(1));
    EXPECT_EQ(list_history(**db, {.text = "product"})->size(), 1u);
}

}  // namespace store
