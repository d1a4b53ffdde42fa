// Several servers that write one record at the same time.
#include <fstream>
#include <map>
#include <thread>

#include "store/database_files.h"
#include "store/state_import.h"
#include "tests/store/fixture.h"

using namespace std::chrono_literals;

namespace store {
namespace {

struct SeveralServers : StoreTest {
    std::unique_ptr<Store> open_another(Options given) {
        Result<std::unique_ptr<Store>> opened = Store::open(loop, std::move(given));
        EXPECT_TRUE(opened) << opened.error().to_string();
        return opened ? std::move(*opened) : nullptr;
    }
    std::unique_ptr<Store> open_another() { return open_another(options); }

    std::string call_in(Store& other, const std::string& session_id, const std::string& snapshot,
                        std::string ref = random_uuid()) {
        other.record(RequestRecord{ref, session_id, "browser_navigate", "{}"});
        other.record(ResponseRecord{.ref_id = ref, .result = "{}", .page_snapshot = snapshot});
        return ref;
    }
    // Waits until everything is written.
    void settle(Store& other) {
        fakes::run_until(loop, [&] { return other.health().pending == 0; });
    }
};

}  // namespace

TEST_F(SeveralServers, WriteOneRecordAndReadEachOther) {
    open();
    auto second = open_another();
    ASSERT_TRUE(second);
    std::string first_ref, second_ref;
    for (int i = 0; i < 20; ++i) {
        first_ref = call_in(*store, "s1", page(i));
        second_ref = call_in(*second, "s2", page(i));
    }
    settle(*store);
    settle(*second);
    EXPECT_EQ(get(second->snapshot(first_ref)), page(19));
    EXPECT_EQ(get(store->snapshot(second_ref)), page(19));
    EXPECT_EQ(store->health().dropped + second->health().dropped, 0u);
    EXPECT_EQ(get(store->history({.limit = 100})).size(), 40u);
}

TEST_F(SeveralServers, FindACallThatAnotherServerHasNotCommittedYet) {
    open();
    auto second = open_another();
    std::string ref = random_uuid();
    std::optional<Result<CallSummary>> found;
    Running asking =
        start(store->summary(ref), [&](Result<CallSummary> summary) { found = std::move(summary); });
    // Readers take their questions in order: that one has been looked for when these are answered.
    for (int i = 0; i < 4; ++i) get(store->history({.limit = 1}));
    ASSERT_FALSE(found);

    call_in(*second, "s2", page(1), ref);

    fakes::run_until(loop, [&] { return found.has_value(); });
    ASSERT_TRUE(*found) << found->error().to_string();
    EXPECT_TRUE((*found)->answered);
}

TEST_F(SeveralServers, FindACallWhoseAnswerAnotherServerHasNotCommittedYet) {
    open();
    auto second = open_another();
    std::string ref = random_uuid();
    second->record(RequestRecord{ref, "s2", "browser_navigate", "{}"});
    settle(*second);
    std::optional<Result<CallSummary>> found;
    Running asking =
        start(store->summary(ref), [&](Result<CallSummary> summary) { found = std::move(summary); });
    for (int i = 0; i < 4; ++i) get(store->history({.limit = 1}));
    ASSERT_FALSE(found);

    second->record(ResponseRecord{.ref_id = ref, .result = "{}", .page_snapshot = page(1)});

    fakes::run_until(loop, [&] { return found.has_value(); });
    ASSERT_TRUE(*found) << found->error().to_string();
    EXPECT_TRUE((*found)->answered);
    EXPECT_TRUE((*found)->has_snapshot);
}

TEST_F(SeveralServers, DoNotWaitForTheAnswerOfACallOfTheirOwn) {
    open();
    auto second = open_another();
    std::string ref = random_uuid();
    store->record(RequestRecord{ref, "s1", "browser_navigate", "{}"});
    std::optional<Result<CallSummary>> found;
    Running asking =
        start(store->summary(ref), [&](Result<CallSummary> summary) { found = std::move(summary); });
    // Each question is read after the one before it.
    for (int i = 0; i < 10; ++i) get(store->history({.limit = 1}));
    ASSERT_TRUE(found && *found);
    EXPECT_FALSE((*found)->answered);
}

TEST_F(SeveralServers, BeginOneRecordAtTheSameMoment) {
    std::vector<std::thread> threads;
    std::atomic<int> opened = 0;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&] {
            Loop own;
            auto result = Store::open(own, options);
            if (result && (*result)->health().state == Health::State::Ok) ++opened;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(opened, 6);
}

TEST_F(SeveralServers, KeepWhatASessionNeedsWhicheverServerSavedIt) {
    open();
    ASSERT_TRUE(wait(store->save_state("name ann", "cookies")));
    auto second = open_another();
    EXPECT_EQ(get(second->load_state("name ann")), "cookies");
    ASSERT_TRUE(wait(second->save_state("name ann", "more cookies")));
    EXPECT_EQ(get(store->load_state("name ann")), "more cookies");
}

TEST_F(SeveralServers, HaveASessionOneAtATime) {
    open();
    auto second = open_another();
    auto lease = store->lease("name ann");
    EXPECT_FALSE(second->lease("name ann"));
    EXPECT_EQ(second->lease_holder("name ann"), ::getpid());
    lease.reset();
    EXPECT_TRUE(second->lease("name ann"));
}

TEST_F(SeveralServers, MissNoTextThatAnothersRetentionRemoved) {
    options.max_age = 1h;
    open();
    auto second = open_another();
    // The second remembers the text of this page as what the next one is a difference to.
    call_in(*second, "s2", page(1));
    second->record(SessionRecord{.session_id = "s2", .state = SessionState::Closed});
    settle(*second);
    now += 2h;
    fakes::run_until(loop, [&] { return get(store->history({.limit = 10})).empty(); });

    std::string same = call_in(*second, "s2", page(1));
    settle(*second);
    std::string next = call_in(*second, "s2", page(2));
    settle(*second);

    EXPECT_EQ(second->health().dropped, 0u);
    EXPECT_EQ(get(second->snapshot(same)), page(1));
    EXPECT_EQ(get(second->snapshot(next)), page(2));
}

TEST_F(SeveralServers, SpareEachOthersSessionsWhenTheRecordIsTooLarge) {
    options.max_bytes = 1;
    open();
    Options roomy = options;
    roomy.max_bytes = 0;
    auto second = open_another(roomy);
    std::string theirs = call_in(*second, "theirs", page(1));
    settle(*second);
    std::string ended = call_in(*store, "ended", page(2));
    store->record(SessionRecord{.session_id = "ended", .state = SessionState::Closed});
    settle(*store);
    fakes::run_until(loop, [&] { return !wait(store->call(ended)); });

    EXPECT_EQ(get(second->snapshot(theirs)), page(1));
    second.reset();
    fakes::run_until(loop, [&] { return !wait(store->call(theirs)); });
}

TEST_F(SeveralServers, GoOnInTheNewRecordThatAnotherBegan) {
    open();
    auto second = open_another();
    call_in(*second, "s2", page(1));
    settle(*second);
    // As one does that finds the file damaged.
    ASSERT_TRUE(set_aside(options.path));
    std::string first_ref = call_in(*store, "s1", page(2));
    settle(*store);
    std::string second_ref = call_in(*second, "s2", page(3));
    settle(*second);
    EXPECT_EQ(get(store->snapshot(second_ref)), page(3));
    second.reset();
    EXPECT_EQ(get(store->snapshot(first_ref)), page(2)) << "the end of the other took its log away";
}

TEST_F(SeveralServers, TakeOverSessionsOfANumberedRecordOnce) {
    Options numbered = options;
    numbered.path = directory / "record-2.db";
    {
        auto earlier = open_another(numbered);
        ASSERT_TRUE(wait(earlier->save_state("name ann", "cookies")));
        ASSERT_TRUE(wait(earlier->save_state("name bob", "old")));
    }
    now += 1s;
    open();
    ASSERT_TRUE(wait(store->save_state("name bob", "new")));
    EXPECT_EQ(import_states({options.path, {}}, {numbered.path, {}}).value(), 2u);
    EXPECT_EQ(get(store->load_state("name ann")), "cookies");
    EXPECT_EQ(get(store->load_state("name bob")), "new");

    store->forget_state("name ann");
    settle(*store);
    EXPECT_EQ(import_states({options.path, {}}, {numbered.path, {}}).value(), 0u);
    EXPECT_FALSE(get(store->load_state("name ann")));
}

namespace {

std::map<std::string, SessionState> states_of(const std::vector<SessionInfo>& sessions) {
    std::map<std::string, SessionState> states;
    for (const SessionInfo& each : sessions) states[each.session_id] = each.state;
    return states;
}

}  // namespace

TEST_F(SeveralServers, HaveActiveSessionsOnlyWhileTheyLive) {
    using enum SessionState;
    open();
    auto second = open_another();
    second->record(SessionRecord{.session_id = "kept", .state_id = "name kept"});
    second->record(SessionRecord{.session_id = "lost"});
    second->record(SessionRecord{.session_id = "asleep in memory", .state = Hibernated});
    second->record(SessionRecord{.session_id = "closed", .state = Closed});
    call_in(*second, "known by its calls", page(1));
    ASSERT_TRUE(wait(second->save_state("name kept", "cookies")));
    settle(*second);
    EXPECT_EQ(states_of(get(store->sessions())),
              (std::map<std::string, SessionState>{{"kept", Active},
                                                   {"lost", Active},
                                                   {"asleep in memory", Hibernated},
                                                   {"closed", Closed},
                                                   {"known by its calls", Active}}));

    // As if it had been killed: it tells the record nothing of its sessions.
    second.reset();
    const std::map<std::string, SessionState> afterwards{{"kept", Hibernated},
                                                         {"lost", Closed},
                                                         {"asleep in memory", Closed},
                                                         {"closed", Closed},
                                                         {"known by its calls", Closed}};
    EXPECT_EQ(states_of(get(store->sessions())), afterwards) << "in a server that was there before";
    EXPECT_EQ(get(store->session("kept"))->state, Hibernated);
    open();
    EXPECT_EQ(states_of(get(store->sessions())), afterwards) << "in the next one";
    EXPECT_EQ(open_for_reading(options.path)
                  .value()
                  ->number("SELECT count(*) FROM sessions WHERE state = 'active'")
                  .value(),
              0);

    store->record(SessionRecord{.session_id = "kept"});
    EXPECT_EQ(get(store->session("kept"))->state, Active) << "whoever uses it has it";
}

TEST_F(SeveralServers, ReadSessionsOfAFileThatNoServerOfThisVersionWrote) {
    open();
    store->record(SessionRecord{.session_id = "killed"});
    store->record(SessionRecord{.session_id = "asleep", .state = SessionState::Hibernated});
    settle(*store);
    store.reset();
    ASSERT_TRUE(
        Database::open(options.path, Database::Access::ReadWrite)
            .value()
            ->execute("ALTER TABLE sessions DROP COLUMN server; ALTER TABLE sessions DROP COLUMN state_id; "
                      "PRAGMA user_version = 3"));
    const std::map<std::string, SessionState> expected{{"asleep", SessionState::Hibernated},
                                                       {"killed", SessionState::Closed}};
    EXPECT_EQ(states_of(list_sessions(*open_for_reading(options.path).value()).value()), expected);
    open();
    EXPECT_EQ(states_of(get(store->sessions())), expected);
}

}  // namespace store
