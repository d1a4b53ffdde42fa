#include "store/database.h"
#include "store/database_files.h"
#include "tests/store/fixture.h"

using namespace std::chrono_literals;
using testing::HasSubstr;

namespace store {
namespace {

struct RetentionTest : StoreTest {
    std::int64_t number(const std::string& sql) {
        auto db = open_for_reading(options.path);
        return db ? (*db)->number(sql).value_or(-1) : -1;
    }
    std::int64_t calls() { return number("SELECT count(*) FROM requests"); }
    void end(const std::string& session) {
        store->record(SessionRecord{.session_id = session, .state = SessionState::Closed});
    }
    void until_calls(std::int64_t count) {
        fakes::run_until(loop, [&] { return calls() == count; });
    }
};

}  // namespace

TEST_F(RetentionTest, RemovesWhatIsTooOldAndSaysSo) {
    options.max_age = 24h;
    open();
    std::string old = call("s1", page(1));
    end("s1");
    now += 25h;
    std::string young = call("s2", page(2));
    until_calls(1);
    Result<Call> purged = wait(store->call(old));
    ASSERT_FALSE(purged);
    EXPECT_THAT(purged.error().message, HasSubstr("past retention"));
    EXPECT_THAT(wait(store->console(old)).error().message, HasSubstr("past retention"));
    EXPECT_EQ(get(store->snapshot(young)), page(2));
    EXPECT_THAT(wait(store->call("never was")).error().message, HasSubstr("No call"));
}

TEST_F(RetentionTest, LeavesNothingOfACallBehind) {
    options.max_age = 24h;
    open();
    for (int i = 0; i < 100; ++i) {
        ResponseRecord response{.result = page(i), .page_snapshot = page(i + 1)};
        response.console_logs = {{Level::Error, "boom"}, {Level::Info, "fine"}};
        std::string ref = call("s" + std::to_string(i % 3), response, "browser_run_code", page(i, 20));
        get(store->read_content({.reader = "r", .ref_id = ref}));
    }
    store->record(RequestRecord{"unanswered", "s1", "browser_click", "{}"});
    ASSERT_TRUE(wait(store->save_state("s1", "cookies")));
    for (const char* session : {"s0", "s1", "s2"}) end(session);
    settle();
    EXPECT_EQ(number("SELECT count(*) FROM history_text WHERE history_text MATCH 'product'"), 100);
    now += 48h;
    until_calls(0);
    fakes::run_until(loop, [&] { return number("SELECT count(*) FROM sessions") == 0; });
    for (const char* table : {"responses", "console_logs", "blobs", "session_states", "diff_cursors"})
        EXPECT_EQ(number("SELECT count(*) FROM " + std::string(table)), 0) << table;
    EXPECT_EQ(
        number("SELECT count(*) FROM history_text WHERE history_text MATCH 'product OR version OR browser'"),
        0);
    store.reset();
    auto db = Database::open(options.path, Database::Access::ReadWrite);
    EXPECT_TRUE((*db)->execute("INSERT INTO history_text (history_text) VALUES ('integrity-check')"));
}

TEST_F(RetentionTest, NeverTouchesALiveSession) {
    options.max_age = 24h;
    options.max_bytes = 1;
    open();
    std::string live = call("live", page(1)), asleep = call("asleep", page(2)),
                ended = call("ended", page(3));
    store->record(SessionRecord{.session_id = "asleep", .state = SessionState::Hibernated});
    end("ended");
    now += 48h;
    until_calls(2);
    until_health([](const Health& health) { return health.over_limit; });
    EXPECT_EQ(get(store->snapshot(live)), page(1));
    EXPECT_EQ(get(store->snapshot(asleep)), page(2));
    EXPECT_FALSE(wait(store->snapshot(ended)));
    // Its end makes it like any other.
    end("live");
    until_calls(1);
}

TEST_F(RetentionTest, ASessionThatAnEarlierServerLeftGoesWhenItIsTooOld) {
    options.max_age = 24h;
    open();
    call("lost", page(1));
    ASSERT_TRUE(wait(store->save_state("lost", "cookies")));
    open();
    now += 12h;
    settle();
    EXPECT_EQ(get(store->load_state("lost")), "cookies");
    now += 13h;
    until_calls(0);
    fakes::run_until(loop, [&] { return number("SELECT count(*) FROM sessions") == 0; });
}

TEST_F(RetentionTest, KeepsTheRecordWithinItsSizeOldestFirstWhileRecordingGoesOn) {
    options.max_bytes = 2 << 20;
    open();
    std::vector<std::string> refs;
    for (int i = 0; i < 600; ++i) {
        refs.push_back(call("s" + std::to_string(i), {.result = random_bytes(10'000)}));
        end("s" + std::to_string(i));
        if (i % 50 == 0) settle();
    }
    settle();
    fakes::run_until(loop,
                     [&] { return calls() < 250 && store->health().database_bytes <= options.max_bytes; });
    auto kept = get(store->history({.limit = 1000}));
    ASSERT_GT(kept.size(), 50u);
    ASSERT_LT(kept.size(), 250u);
    // Those that are left are the last ones, without a gap.
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].ref_id, refs[refs.size() - 1 - i]);
    EXPECT_EQ(store->health().dropped, 0u);
    // And the file gives its space back.
    fakes::run_until(loop, [&] {
        return number("PRAGMA page_count") * 4096 < std::int64_t(options.max_bytes) + (2 << 20);
    });
}

TEST_F(RetentionTest, KeepsWhatAYoungerSnapshotIsMadeFrom) {
    options.max_age = 24h;
    open();
    for (int i = 0; i < 10; ++i) call("old", page(i));
    end("old");
    now += 20h;
    std::string young = call("young", page(10));
    end("young");
    settle();
    EXPECT_EQ(number("SELECT count(*) FROM blobs WHERE base IS NOT NULL"), 10);
    now += 10h;
    until_calls(1);
    EXPECT_EQ(get(store->snapshot(young)), page(10));
    now += 20h;
    until_calls(0);
    EXPECT_EQ(number("SELECT count(*) FROM blobs"), 0);
}

}  // namespace store
