// Wake-ups that are interrupted, fail or find only a part of what was there: nothing is lost by them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/sessions.h"
#include "tests/fakes/test_browser.h"
#include "tests/fakes/wait.h"

namespace {

using fakes::TestBrowser;
using session::Session;
using session::SessionKey;
using session::Sessions;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Life = Session::Life;
using namespace std::chrono_literals;

const SessionKey kAnn{"", "ann"}, kBob{"", "bob"};

// A checkpoint store that can be kept from answering.
class SlowCheckpointStore final : public session::CheckpointStore {
public:
    explicit SlowCheckpointStore(Loop& loop) : released_(loop) {}
    Task<> save(std::string id, std::string state) override {
        co_await kept.save(std::move(id), std::move(state));
    }
    Task<std::optional<std::string>> load(std::string id) override {
        if (load_error) co_await *std::exchange(load_error, std::nullopt);
        if (holds) co_await released_;
        co_return co_await kept.load(std::move(id));
    }
    void forget(std::string id) override { kept.forget(std::move(id)); }
    Task<std::vector<std::string>> ids() override { return kept.ids(); }
    bool is_lasting() const override { return true; }
    std::shared_ptr<void> lease(const std::string&) override { return std::make_shared<int>(); }
    pid_t lease_holder(const std::string&) const override { return 0; }
    void release() {
        holds = false;
        released_.set(true);
    }

    session::MemoryCheckpointStore kept;
    std::optional<Error> load_error;
    bool holds = false;

private:
    Completion<bool> released_;
};

class WakingTest : public testing::Test {
protected:
    WakingTest() {
        options.checkpoints = checkpoints;
        options.resumable = true;
        options.clock = [this] { return Session::Clock::now() + later; };
        restart();
    }
    void restart() {
        sessions.reset();
        sessions.emplace(loop, options, [this](engine::LaunchOptions) { return launch(); }, log);
    }
    Task<std::shared_ptr<engine::Browser>> launch() {
        browsers.push_back(std::make_shared<TestBrowser>(loop, contexts));
        browsers.back()->prepare_context = [this](fakes::FakeContext& context) {
            context.saved_state = {{"origins", json::array{}}};
            context.prepare_page = [this](fakes::FakePage& page) {
                page.down = down;
                if (!held.empty()) page.hold(held);
                pages.push_back(&page);
            };
        };
        co_return browsers.back();
    }
    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    static Task<std::string> visit(std::shared_ptr<Session> session, std::string url, Deadline deadline) {
        session::Turn turn = co_await session->take_turn(deadline);
        co_await session->wake();
        auto tab = co_await session->ensure_tab();
        if (!url.empty()) co_await tab->page().navigate(url, Deadline::never());
        co_return tab->page().url();
    }
    Result<std::string> use(const SessionKey& key, std::string url = {},
                            Deadline deadline = Deadline::never()) {
        return run(visit(get(key), std::move(url), deadline));
    }
    std::shared_ptr<Session> get(const SessionKey& key) { return sessions->session(key).value(); }
    void sleep(const SessionKey& key) { ASSERT_TRUE(run(get(key)->hibernate()).value()); }
    // Two tabs, the second with something typed.
    void fall_asleep_with_two_tabs() {
        ASSERT_TRUE(use(kAnn, "http://a/"));
        auto second = contexts.back()->open_page();
        second->page_url = "http://b/";
        second->saved_state = {{"document", json::object{{"fields", "typed"}}}};
        sleep(kAnn);
    }
    std::string kept() { return *run(checkpoints->load("name ann")).value(); }
    // Starts a call that comes as far as `happened` says, and cancels it.
    template <class Happened>
    void cancel_a_call_when(Happened happened) {
        Running call = start(visit(get(kAnn), "", Deadline::never()), [](Result<std::string>) {});
        fakes::run_until(loop, happened);
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::create({.file = directory.path() / "log"}).value();
    std::shared_ptr<SlowCheckpointStore> checkpoints = std::make_shared<SlowCheckpointStore>(loop);
    session::SessionsOptions options = fakes::contexts_in(directory.path());
    std::vector<std::shared_ptr<TestBrowser>> browsers;
    std::vector<std::shared_ptr<fakes::FakeContext>> contexts;
    std::set<std::string> down;  // addresses that pages cannot be opened at
    std::string held;            // what pages do not end
    std::vector<fakes::FakePage*> pages;
    Session::Clock::duration later{};
    std::optional<Sessions> sessions;
};

TEST_F(WakingTest, GoesOnWithoutTheCallThatAskedForIt) {
    fall_asleep_with_two_tabs();
    for (const std::string operation : {"fill_storage", "restore_state"}) {
        std::string before = kept();
        held = operation;
        std::size_t opened = contexts.size();
        cancel_a_call_when([&] { return contexts.size() > opened && contexts.back()->pages().size() == 2; });
        EXPECT_EQ(get(kAnn)->life(), Life::Hibernated) << operation;
        EXPECT_FALSE(get(kAnn)->has_browser());
        EXPECT_EQ(kept(), before);

        // The next call joins the same one.
        held.clear();
        for (const auto& page : contexts.back()->pages())
            static_cast<fakes::FakePage&>(*page).release(operation);
        EXPECT_EQ(use(kAnn).value(), "http://a/");
        EXPECT_EQ(contexts.size(), opened + 1);
        EXPECT_EQ(get(kAnn)->tabs().size(), 2u);
        EXPECT_EQ(get(kAnn)->take_notes().size(), 1u);
        sleep(kAnn);
    }
}

TEST_F(WakingTest, EndsByItselfWhenNobodyWaitsForIt) {
    fall_asleep_with_two_tabs();
    checkpoints->holds = true;
    cancel_a_call_when([] { return true; });
    checkpoints->release();
    fakes::run_until(loop, [&] { return get(kAnn)->life() == Life::Awake; });
    EXPECT_EQ(get(kAnn)->tabs().size(), 2u);
    EXPECT_TRUE(get(kAnn)->can_hibernate());
}

TEST_F(WakingTest, IsToldOnceAlsoAfterTwoSleeps) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    for (int i = 0; i < 2; ++i) {
        sleep(kAnn);
        ASSERT_TRUE(use(kAnn));
    }
    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("is awake again")));
}

TEST_F(WakingTest, LeavesTheEventsOfItsDownloadsToTheNextAnswer) {
    fakes::TemporaryDirectory directory;
    options.session.working_directory = directory.path();
    restart();
    ASSERT_TRUE(use(kAnn, "http://a/"));
    // It ended, and was not saved yet.
    directory.write("file", "text");
    pages.back()->download_list = {{.number = 1,
                                    .url = "http://a/x.txt",
                                    .suggested_name = "x.txt",
                                    .file = directory.path() / "file",
                                    .state = engine::Download::State::Finished}};
    sleep(kAnn);
    ASSERT_TRUE(use(kAnn));
    auto events = get(kAnn)->take_left_events();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_THAT(events[1], HasSubstr("Downloaded file x.txt to"));
    EXPECT_THAT(get(kAnn)->take_left_events(), IsEmpty());
}

TEST_F(WakingTest, OutlastsTheTimeOfACall) {
    fall_asleep_with_two_tabs();
    held = "restore_state";
    auto call = use(kAnn, {}, Deadline::in(1ms));
    EXPECT_EQ(call.error().code, ErrorCode::Timeout);
    EXPECT_THAT(call.error().hint, HasSubstr("nothing is lost"));
    EXPECT_EQ(get(kAnn)->life(), Life::Hibernated);

    for (const auto& page : contexts.back()->pages())
        static_cast<fakes::FakePage&>(*page).release("restore_state");
    EXPECT_EQ(use(kAnn).value(), "http://a/");
    EXPECT_EQ(get(kAnn)->tabs().size(), 2u);
    EXPECT_EQ(contexts.size(), 2u);
}

TEST_F(WakingTest, IsUndoneWhenItFails) {
    fall_asleep_with_two_tabs();
    std::string before = kept();
    checkpoints->load_error = Error{.code = ErrorCode::ResourceExhausted, .message = "busy"};
    EXPECT_EQ(use(kAnn).error().message, "busy");
    EXPECT_EQ(get(kAnn)->life(), Life::Hibernated);

    // The browser dies in the middle.
    held = "restore_state";
    Result<std::string> outcome = std::string();
    Running call =
        start(visit(get(kAnn), "", Deadline::never()), [&](Result<std::string> r) { outcome = r; });
    fakes::run_until(loop, [&] { return contexts.size() == 2 && contexts[1]->pages().size() == 2; });
    for (auto* page : {&contexts[1]->page(0), &contexts[1]->page(1)}) {
        page->fail("restore_state", Error{.code = ErrorCode::BrowserCrashed, .message = "gone"});
        page->release("restore_state");
    }
    browsers.back()->lose();
    fakes::run_until(loop, [&] { return !outcome; });
    EXPECT_EQ(outcome.error().code, ErrorCode::BrowserCrashed);
    EXPECT_EQ(get(kAnn)->life(), Life::Hibernated);
    EXPECT_EQ(get(kAnn)->recent_crashes(), 1u);
    EXPECT_EQ(kept(), before);

    held.clear();
    EXPECT_EQ(use(kAnn).value(), "http://a/");
    EXPECT_EQ(get(kAnn)->tabs().size(), 2u);
}

TEST_F(WakingTest, LeavesAnEarlierStateAloneThatCannotBeReadNow) {
    fall_asleep_with_two_tabs();
    std::string before = kept();
    restart();
    checkpoints->load_error = Error{.code = ErrorCode::ResourceExhausted, .message = "busy"};
    EXPECT_EQ(use(kAnn, "http://new/").value(), "http://new/");
    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("could not be restored: busy")));
    sleep(kAnn);
    EXPECT_EQ(use(kAnn).value(), "http://new/");
    EXPECT_EQ(kept(), before);

    restart();
    EXPECT_EQ(use(kAnn).value(), "http://a/");
}

TEST_F(WakingTest, EndsWithItsSession) {
    options.pool.admission.max_contexts = 1;
    restart();
    fall_asleep_with_two_tabs();
    held = "restore_state";
    Result<std::string> outcome = std::string();
    Running call =
        start(visit(get(kAnn), "", Deadline::never()), [&](Result<std::string> r) { outcome = r; });
    fakes::run_until(loop, [&] { return contexts.size() == 2 && contexts[1]->pages().size() == 2; });

    ASSERT_TRUE(run(sessions->close(kAnn)).value());
    fakes::run_until(loop, [&] { return !outcome; });
    EXPECT_EQ(outcome.error().code, ErrorCode::SessionNotFound);
    EXPECT_FALSE(run(checkpoints->load("name ann")).value());
    EXPECT_TRUE(use(kBob, "http://b/")) << "its place is free";
}

TEST_F(WakingTest, KeepsATabWhoseSiteIsDownForTheNextTime) {
    fall_asleep_with_two_tabs();
    down = {"http://b/"};
    ASSERT_TRUE(use(kAnn));
    EXPECT_THAT(get(kAnn)->take_notes(),
                ElementsAre(HasSubstr("was asleep"), HasSubstr("http://b/ could not be opened"),
                            HasSubstr("tried again")));
    // Every kind of checkpoint has it.
    ASSERT_TRUE(run(get(kAnn)->checkpoint()));
    EXPECT_THAT(kept(), HasSubstr(R"("fields":"typed")"));
    sleep(kAnn);
    EXPECT_THAT(kept(), HasSubstr(R"("fields":"typed")"));

    // Also after a crash, and after a restart.
    ASSERT_TRUE(use(kAnn));
    browsers.back()->lose();
    ASSERT_TRUE(use(kAnn));
    run(sessions->close_all()).value();
    restart();
    down.clear();
    ASSERT_TRUE(use(kAnn));
    EXPECT_EQ(get(kAnn)->tabs().at(1)->page().url(), "http://b/");
    EXPECT_THAT(contexts.back()->page(1).done, Contains(HasSubstr(R"("fields":"typed")")));
}

TEST_F(WakingTest, ForgetsATabThatTheAgentWentOnWith) {
    fall_asleep_with_two_tabs();
    down = {"http://b/"};
    ASSERT_TRUE(use(kAnn));
    auto tab = get(kAnn)->tabs().at(1);
    get(kAnn)->note_change(*tab);
    sleep(kAnn);
    EXPECT_THAT(kept(), HasSubstr("http://b/")) << "nothing was done but to an error page";

    ASSERT_TRUE(use(kAnn));
    tab = get(kAnn)->tabs().at(1);
    ASSERT_TRUE(run(tab->page().navigate("http://c/", Deadline::never())));
    get(kAnn)->note_change(*tab);
    sleep(kAnn);
    EXPECT_THAT(kept(), testing::AllOf(HasSubstr("http://c/"), testing::Not(HasSubstr("http://b/"))));
}

TEST_F(WakingTest, DoesNotListATabThatWasClosedMeanwhile) {
    fall_asleep_with_two_tabs();
    held = "restore_state";
    Running call = start(visit(get(kAnn), "", Deadline::never()), [](Result<std::string>) {});
    fakes::run_until(loop, [&] { return contexts.size() == 2 && contexts[1]->pages().size() == 2; });
    run(contexts[1]->page(1).close(Deadline::never())).value();
    contexts[1]->open_page("page0")->page_url = "http://popup/";
    for (std::size_t i : {0u, 1u}) contexts[1]->page(i).release("restore_state");
    fakes::run_until(loop, [&] { return get(kAnn)->life() == Life::Awake; });

    ASSERT_EQ(get(kAnn)->tabs().size(), 2u);
    EXPECT_EQ(get(kAnn)->tabs()[1]->page().url(), "http://popup/");
}

TEST_F(WakingTest, IsNotKeptAliveByACheckpointUnderWay) {
    held = "save_state";
    ASSERT_TRUE(use(kAnn, "http://a/"));
    std::weak_ptr<Session> ann = get(kAnn);
    bool has_begun = false;
    contexts[0]->page(0).during("save_state", [&] { has_begun = true; });
    fakes::run_until(loop, [&] { return has_begun; });
    sessions.reset();
    EXPECT_TRUE(ann.expired());
}

TEST_F(WakingTest, FindsWhatASessionWasMadeWithThatWasNeverUsed) {
    json::value state{{"cookies", json::array{}}, {"origins", json::array{}}};
    session::Budget budget{.tabs = 3, .call_time = 2s};
    auto made =
        sessions->session(kAnn, {.user_agent = "Agent/7", .storage_state = state, .budget = budget}).value();
    ASSERT_TRUE(run(made->keep_beginning()));
    made.reset();
    restart();

    ASSERT_TRUE(use(kAnn));

    EXPECT_EQ(contexts.back()->options.user_agent, "Agent/7");
    EXPECT_EQ(contexts.back()->options.storage_state, state);
    EXPECT_EQ(get(kAnn)->options().budget.tabs, 3u);
    EXPECT_EQ(get(kAnn)->options().budget.call_time, 2s);
    EXPECT_THAT(get(kAnn)->take_notes(), IsEmpty()) << "nothing was lost";
}

TEST_F(WakingTest, SaysThatNothingWasKeptWhenTheServerWasKilledBefore) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    restart();

    EXPECT_EQ(use(kAnn).value(), "about:blank");

    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("ended before it had kept")));
}

TEST_F(WakingTest, SaysThatAKilledServerMayHaveDoneMoreThanItKept) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    later = 1h;
    fakes::run_until(loop, [&] { return kept().contains("http://a/"); });
    restart();
    EXPECT_EQ(use(kAnn).value(), "http://a/");
    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("was restored"), HasSubstr("was killed")));

    ASSERT_TRUE(run(get(kAnn)->checkpoint()));
    restart();
    EXPECT_EQ(use(kAnn).value(), "http://a/");
    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("was restored")));
}

TEST_F(WakingTest, NeverReplacesACheckpointByABeginning) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    ASSERT_TRUE(run(get(kAnn)->checkpoint()));
    std::string before = kept();
    ASSERT_TRUE(run(get(kAnn)->keep_beginning()));
    EXPECT_EQ(kept(), before);
}

TEST_F(WakingTest, HoldsARestoredBudgetToTheServersLimits) {
    ASSERT_TRUE(run(sessions->session(kAnn, {.budget = session::Budget{.tabs = 9, .heap = 100}})
                        .value()
                        ->keep_beginning()));
    options.session.budget = {.tabs = 5, .heap = 50};
    restart();
    ASSERT_TRUE(use(kAnn));
    EXPECT_EQ(get(kAnn)->options().budget.tabs, 5u);
    EXPECT_EQ(get(kAnn)->options().budget.heap, 50u);
}

TEST_F(WakingTest, LeavesNoSessionActiveThatEndedWithTheServer) {
    std::map<std::string, std::string> states;
    options.changed = [&](const SessionKey& key, store::SessionState state) {
        states[key.name] = to_string(state);
    };
    options.resumable = false;
    restart();
    ASSERT_TRUE(use(kAnn, "http://a/"));
    ASSERT_TRUE(use({"connection 1", "shop"}, "http://b/"));
    run(sessions->close_all()).value();
    EXPECT_THAT(states, ElementsAre(testing::Pair("ann", "hibernated"), testing::Pair("shop", "closed")));
}

class RoomTest : public WakingTest {
protected:
    RoomTest() {
        options.pool.admission.max_contexts = 1;
        options.pool.admission.ask_again = 1ms;
        options.min_stay = 1'000ms;
        restart();
    }
    bool makes_room() { return run(sessions->hibernate_one()).value(); }
};

TEST_F(RoomTest, IsNotMadeByASessionThatWasUsedAMomentAgo) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    EXPECT_FALSE(makes_room());
    later = 900ms;
    EXPECT_FALSE(makes_room());
    later = 1'100ms;
    EXPECT_TRUE(makes_room());
    EXPECT_EQ(get(kAnn)->life(), Life::Hibernated);
}

TEST_F(RoomTest, CountsFromTheEndOfACall) {
    std::shared_ptr<Session> ann = get(kAnn);
    ASSERT_TRUE(use(kAnn, "http://a/"));
    auto before = ann->last_use();
    {
        auto turn = run(ann->take_turn(Deadline::never())).value();
    }
    EXPECT_GT(ann->last_use(), before);
}

TEST_F(RoomTest, IsMadeBetweenTwoCallsOfASessionThatIsNeverIdle) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    std::shared_ptr<Session> ann = get(kAnn);
    std::optional<session::Turn> first = run(ann->take_turn(Deadline::never())).value();
    std::optional<session::Turn> second;
    Result<bool> made = false;
    later = 900ms;
    EXPECT_FALSE(makes_room()) << "it has only just begun";

    later = options.max_stay + 100ms;
    bool is_done = false;
    Running asking = start(sessions->hibernate_one(), [&](Result<bool> result) {
        made = std::move(result);
        is_done = true;
    });
    Running calling = start(ann->take_turn(Deadline::never()), [&](Result<session::Turn> turn) {
        if (turn) second.emplace(std::move(*turn));
    });
    EXPECT_FALSE(second);
    first.reset();
    fakes::run_until(loop, [&] { return is_done && second; });
    EXPECT_TRUE(made && *made);
    EXPECT_EQ(ann->life(), Life::Hibernated) << "the call that came meanwhile wakes it up";
}

TEST_F(RoomTest, IsMadeTheSoonerTheMoreCallersWait) {
    options.min_stay = 1h;
    restart();
    ASSERT_TRUE(use(kAnn, "http://a/"));
    std::shared_ptr<Session> ann = get(kAnn);
    std::vector<Running> waiting;
    for (int i = 0; i < 8; ++i)
        waiting.push_back(start(visit(get({"", "waiter " + std::to_string(i)}), "", Deadline::never()),
                                [](Result<std::string>) {}));
    std::optional<session::Turn> turn = run(ann->take_turn(Deadline::never())).value();
    later = options.pool.admission.queue_timeout / 4 / 8;
    ASSERT_LT(later, options.max_stay);
    Running asking = start(sessions->hibernate_one(), [](Result<bool>) {});

    turn.reset();

    fakes::run_until(loop, [&] { return ann->life() == Life::Hibernated; });
}

TEST_F(RoomTest, IsNotMadeByACallThatTakesLong) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    auto turn = run(get(kAnn)->take_turn(Deadline::never())).value();
    later = 1h;
    EXPECT_FALSE(makes_room());
    EXPECT_EQ(get(kAnn)->life(), Life::Awake);
}

TEST_F(RoomTest, IsMadeInTimeByASessionThatIsInTheMiddleOfSomething) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    auto& page = contexts[0]->page(0);
    page.request_entries = {{.url = "http://slow/", .is_navigation = true}};
    later = 5'000ms;
    EXPECT_FALSE(makes_room()) << "a navigation is under way";
    page.request_entries = {};
    page.open_dialog("alert", "hello");
    EXPECT_FALSE(makes_room()) << "a dialog is open";

    // Whoever waits gets the place before giving up, and the agent hears what it cost.
    later = options.pool.admission.queue_timeout / 2 + 100ms;
    EXPECT_TRUE(makes_room());
    EXPECT_THAT(get(kAnn)->take_notes(),
                ElementsAre(HasSubstr("A dialog that was open on http://a/ is gone")));
}

TEST_F(RoomTest, IsMadeByWhoeverDoesNothingFirst) {
    options.pool.admission.max_contexts = 2;
    restart();
    ASSERT_TRUE(use(kAnn, "http://a/"));
    contexts[0]->page(0).open_dialog("alert", "hello");
    ASSERT_TRUE(use(kBob, "http://b/"));
    later = 1h;
    EXPECT_TRUE(makes_room());
    EXPECT_EQ(get(kAnn)->life(), Life::Awake);
    EXPECT_EQ(get(kBob)->life(), Life::Hibernated);
}

TEST_F(RoomTest, IsNotMadeWhenATabOpensMeanwhile) {
    ASSERT_TRUE(use(kAnn, "http://a/"));
    later = 2'000ms;
    contexts[0]->page(0).during("save_state", [&] { contexts[0]->open_page("page0"); });
    EXPECT_FALSE(makes_room());
    EXPECT_EQ(get(kAnn)->tabs().size(), 2u);
}

}  // namespace
