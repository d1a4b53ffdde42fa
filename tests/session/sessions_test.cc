// Sessions and what becomes of them while they have no browser.
#include "session/sessions.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/durable_checkpoint_store.h"
#include "tests/fakes/test_browser.h"
#include "tests/fakes/wait.h"

namespace {

using fakes::TestBrowser;
using session::Session;
using session::SessionKey;
using session::Sessions;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

class SessionsTest : public testing::Test {
protected:
    SessionsTest() {
        options.checkpoints = std::make_shared<session::MemoryCheckpointStore>();
        options.resumable = true;
        restart();
    }
    // Another run of the server, on the same checkpoint store.
    void restart() {
        sessions.reset();
        sessions.emplace(loop, options, [this](engine::LaunchOptions) { return launch(); }, log);
    }
    Task<std::shared_ptr<engine::Browser>> launch() {
        browsers.push_back(std::make_shared<TestBrowser>(loop, contexts));
        co_return browsers.back();
    }
    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    // What a call does: takes the turn, wakes the session, and uses its tab.
    static Task<std::string> visit(std::shared_ptr<Session> session, std::string url) {
        session::Turn turn = co_await session->take_turn(Deadline::never());
        co_await session->wake();
        auto tab = co_await session->ensure_tab();
        if (!url.empty()) co_await tab->page().navigate(url, Deadline::never());
        co_return tab->page().url();
    }
    std::string use(const SessionKey& key, std::string url = {}) {
        return run(visit(sessions->session(key).value(), std::move(url))).value();
    }
    std::shared_ptr<Session> get(const SessionKey& key) { return sessions->session(key).value(); }

    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::create({.file = directory.path() / "log"}).value();
    session::SessionsOptions options = fakes::contexts_in(directory.path());
    std::vector<std::shared_ptr<TestBrowser>> browsers;
    std::vector<std::shared_ptr<fakes::FakeContext>> contexts;
    std::optional<Sessions> sessions;
};

const SessionKey kAnn{"", "ann"}, kBob{"", "bob"};

TEST_F(SessionsTest, ComesBackFromHibernationWithItsTabsAndSaysSo) {
    use(kAnn, "http://a/");
    ASSERT_TRUE(run(get(kAnn)->hibernate()).value());
    EXPECT_TRUE(contexts[0]->was_closed || sessions->live_count() == 0);
    EXPECT_EQ(get(kAnn)->life(), Session::Life::Hibernated);
    EXPECT_EQ(get(kAnn)->outline().url, "http://a/");

    EXPECT_EQ(use(kAnn), "http://a/");

    EXPECT_EQ(contexts.size(), 2u);
    EXPECT_EQ(json::serialize(contexts[1]->restored_state.at("cookies")), R"(["of context 0"])");
    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("was asleep")));
    EXPECT_TRUE(get(kAnn)->take_notes().empty());
}

TEST_F(SessionsTest, SleepsWhenItsBrowserWasIdleForTooLongAndComesBackAsItWas) {
    options.browser_idle = 10ms;
    options.sweep_interval = 10ms;
    restart();
    use(kAnn, "http://a/");
    auto ann = get(kAnn);
    fakes::run_until(loop, [&] { return !ann->has_browser(); });
    EXPECT_EQ(ann->life(), Session::Life::Hibernated);
    EXPECT_EQ(use(kAnn), "http://a/");
}

TEST_F(SessionsTest, BeginsInATabOfItsOwnWhileAnotherOneWorksInTheirContext) {
    options.pool.shared_context = true;
    restart();
    {
        session::Turn working = run(get(kAnn)->take_turn(Deadline::never())).value();
        auto tab = run(get(kAnn)->ensure_tab()).value();
        ASSERT_TRUE(run(tab->page().navigate("http://a/", Deadline::never())));
        EXPECT_EQ(use(kBob, "http://b/"), "http://b/");
        EXPECT_EQ(tab->page().url(), "http://a/");
    }
    EXPECT_EQ(use(kAnn), "http://a/");
    EXPECT_EQ(contexts.size(), 1u);
    // As Playwright's server does: a newcomer begins in the tab that is there, if nobody works in it.
    EXPECT_THAT(use({"", "eve"}), AnyOf("http://a/", "http://b/"));
}

TEST_F(SessionsTest, TellsWhatBecomesOfTabsAndWhoseTheyAre) {
    std::vector<std::string> reported;
    options.tab_event = [&](const SessionKey& key, const std::string& tab, session::TabEvent event) {
        reported.push_back(key.name + " " + tab + " " + std::to_string(static_cast<int>(event)));
    };
    restart();
    use(kAnn, "http://a/");
    auto watcher = contexts[0]->page(0).document_watcher.lock();
    ASSERT_TRUE(watcher);
    (*watcher)(engine::DocumentEvent::Navigated);
    (*watcher)(engine::DocumentEvent::Loaded);
    watcher.reset();
    ASSERT_TRUE(run(get(kAnn)->hibernate()).value());

    EXPECT_THAT(reported, ElementsAre("ann page0 0", "ann page0 1", "ann page0 2", "ann page0 3"));
}

TEST_F(SessionsTest, LooksAtEveryOriginBeforeItHibernates) {
    use(kAnn, "http://a/");
    ASSERT_TRUE(run(get(kAnn)->hibernate()).value());
    EXPECT_THAT(contexts[0]->saved_reaches, ElementsAre(engine::Context::Reach::Everything));
}

TEST_F(SessionsTest, DoesNotHibernateInTheMiddleOfSomething) {
    use(kAnn, "http://a/");
    contexts[0]->page(0).open_dialog("alert", "hello");
    EXPECT_FALSE(get(kAnn)->can_hibernate());
    EXPECT_FALSE(run(get(kAnn)->hibernate()).value());

    run(contexts[0]->page(0).answer_dialog(true, {}, Deadline::never())).value();
    contexts[0]->page(0).download_list = {{.state = engine::Download::State::Started}};
    EXPECT_FALSE(get(kAnn)->can_hibernate());

    contexts[0]->page(0).download_list = {};
    auto turn = run(get(kAnn)->take_turn(Deadline::never())).value();
    EXPECT_FALSE(get(kAnn)->can_hibernate());
}

TEST_F(SessionsTest, PutsTheLeastRecentlyUsedToSleepToMakeRoom) {
    options.pool.admission.max_contexts = 2;
    restart();
    use(kAnn, "http://a/");
    use(kBob, "http://b/");
    use(kAnn);
    use({"", "eve"}, "http://e/");

    EXPECT_EQ(sessions->live_count(), 2u);
    EXPECT_EQ(get(kBob)->life(), Session::Life::Hibernated);
    EXPECT_EQ(use(kBob), "http://b/");
    EXPECT_EQ(get(kAnn)->life(), Session::Life::Hibernated);
}

TEST_F(SessionsTest, SaysWhenAllAreInUse) {
    options.pool.admission.max_contexts = 1;
    options.pool.admission.queue_timeout = std::chrono::milliseconds(1);
    restart();
    use(kAnn, "http://a/");
    auto turn = run(get(kAnn)->take_turn(Deadline::never())).value();

    auto outcome = run(visit(get(kBob), ""));

    EXPECT_EQ(outcome.error().code, ErrorCode::ResourceExhausted);
    EXPECT_THAT(outcome.error().message, HasSubstr("No browser context became free"));
}

TEST_F(SessionsTest, HibernatesWhatWasNotUsedForAWhile) {
    options.hibernate_after = options.sweep_interval = std::chrono::milliseconds(1);
    restart();
    use(kAnn, "http://a/");
    fakes::run_until(loop, [&] { return get(kAnn)->life() == Session::Life::Hibernated; });
}

TEST_F(SessionsTest, LeavesProfilesWindowsAndOtherPeoplesBrowsersAsTheyAre) {
    const SessionKey own{"connection 1", ""};
    options.pool.isolation = browsers::Isolation::Profile;
    options.pool.profiles = directory.path();
    restart();
    EXPECT_FALSE(get(own)->persistence().hibernates);
    EXPECT_TRUE(get(own)->persistence().survives_crashes);
    EXPECT_TRUE(get({"connection 1", "named"})->persistence().hibernates);

    options.pool.launch.headless = false;
    restart();
    EXPECT_FALSE(get({"connection 1", "named"})->persistence().hibernates);
    EXPECT_FALSE(get(own)->persistence().survives_crashes);

    options.pool.launch.headless = true;
    options.pool.isolation = browsers::Isolation::Shared;
    restart();
    EXPECT_FALSE(get(own)->persistence().survives_crashes);

    options.pool.connect.endpoint = "http://localhost:9222";
    restart();
    EXPECT_FALSE(get(own)->persistence().survives_crashes);
}

TEST_F(SessionsTest, KeepsToItsContextWhereTheProfileWasInUse) {
    options.pool.isolation = browsers::Isolation::Profile;
    options.pool.profiles = directory.path() / "profiles";
    restart();
    const SessionKey first{"connection 1", ""}, second{"connection 2", ""};
    use(first, "http://a/");
    use(second, "http://b/");
    EXPECT_THAT(get(first)->take_notes(), ElementsAre());
    EXPECT_THAT(get(second)->take_notes(),
                ElementsAre(HasSubstr("in use by another session of this server")));

    // It is as every session in memory, and the profile is never mixed with what it has there.
    ASSERT_TRUE(run(sessions->close(first)).value());
    ASSERT_TRUE(run(get(second)->hibernate()).value());
    EXPECT_EQ(use(second), "http://b/");
    EXPECT_THAT(get(second)->take_notes(), ElementsAre(HasSubstr("was asleep")));
    EXPECT_EQ(sessions->find(second)->setup.isolation, browsers::Isolation::Context);

    // Whoever is new may have it.
    const SessionKey third{"connection 3", ""};
    use(third);
    EXPECT_THAT(get(third)->take_notes(), ElementsAre());
}

TEST_F(SessionsTest, RestoresTheLastAddressesAfterACrash) {
    use(kAnn, "http://a/");
    browsers[0]->lose();
    EXPECT_EQ(get(kAnn)->life(), Session::Life::Crashed);

    EXPECT_EQ(use(kAnn), "http://a/");

    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("The browser crashed")));
    EXPECT_EQ(sessions->live_count(), 1u);
}

TEST_F(SessionsTest, ComesBackFromACheckpointAfterACrash) {
    use(kAnn, "http://a/");
    run(get(kAnn)->checkpoint()).value();
    browsers[0]->lose();
    use(kAnn);
    EXPECT_EQ(json::serialize(contexts[1]->restored_state.at("cookies")), R"(["of context 0"])");
}

TEST_F(SessionsTest, QuarantinesASessionThatKeepsCrashing) {
    use(kBob, "http://b/");
    for (int i = 0; i < 3; ++i) {
        use(kAnn, "http://a/");
        browsers.back()->lose();
    }
    use(kBob);
    std::size_t shared = browsers.size();
    use(kAnn);
    EXPECT_EQ(browsers.size(), shared + 1) << "it shares a browser";
    browsers.back()->lose();
    EXPECT_EQ(get(kBob)->life(), Session::Life::Awake);
}

TEST_F(SessionsTest, FindsANamedSessionAgainAfterARestart) {
    use(kAnn, "http://a/");
    run(get(kAnn)->checkpoint()).value();
    restart();

    EXPECT_EQ(use(kAnn), "http://a/");

    EXPECT_THAT(get(kAnn)->take_notes(), ElementsAre(HasSubstr("earlier")));
}

TEST_F(SessionsTest, RemembersWhatASessionWasMadeWith) {
    ASSERT_TRUE(sessions->session(kAnn, {.user_agent = "Agent/7", .viewport = engine::Size{300, 200}}));
    use(kAnn, "http://a/");
    run(get(kAnn)->checkpoint()).value();
    restart();
    use(kAnn);

    const auto& setup = sessions->find(kAnn)->setup;
    EXPECT_EQ(setup.user_agent, "Agent/7");
    EXPECT_EQ(setup.viewport->width, 300);
}

TEST_F(SessionsTest, OfAConnectionIsFoundAgainByItsIdOnly) {
    use({"connection 1", "shop"}, "http://a/");
    run(get({"connection 1", "shop"})->checkpoint()).value();
    std::string id = Sessions::resume_id(*sessions->find({"connection 1", "shop"}));
    EXPECT_EQ(run(sessions->resume("connection 2", id)).error().code, ErrorCode::SessionNotFound)
        << "its owner is there";
    restart();

    EXPECT_FALSE(run(sessions->resume("connection 2", "shop")));
    auto resumed = run(sessions->resume("connection 2", id));
    ASSERT_TRUE(resumed);
    EXPECT_EQ(run(visit(*resumed, "")).value(), "http://a/");
    EXPECT_EQ(run(sessions->resume("connection 3", id)).error().code, ErrorCode::SessionNotFound);
}

// Keeps its leases from this process until it is told otherwise, as another server would.
class SharedCheckpointStore final : public session::CheckpointStore {
public:
    Task<> save(std::string id, std::string state) override {
        return kept.save(std::move(id), std::move(state));
    }
    Task<std::optional<std::string>> load(std::string id) override { return kept.load(std::move(id)); }
    void forget(std::string id) override { kept.forget(std::move(id)); }
    Task<std::vector<std::string>> ids() override { return kept.ids(); }
    bool is_lasting() const override { return true; }
    std::shared_ptr<void> lease(const std::string& id) override {
        return id == held ? nullptr : std::make_shared<int>();
    }
    pid_t lease_holder(const std::string& id) const override { return id == held ? 7 : 0; }

    session::MemoryCheckpointStore kept;
    std::string held;
};

TEST_F(SessionsTest, GivesTheOtherServersSessionOnceThatHasEnded) {
    auto checkpoints = std::make_shared<SharedCheckpointStore>();
    options.checkpoints = checkpoints;
    restart();
    use(kAnn, "http://theirs/");
    run(get(kAnn)->checkpoint()).value();
    checkpoints->held = "name ann";
    restart();
    use(kAnn, "http://ours/");
    EXPECT_THAT(get(kAnn)->take_notes(), Contains(HasSubstr("Another Troupe server (process 7)")));
    EXPECT_EQ(run(sessions->resume("", "ann")).value(), get(kAnn)) << "the other server is still there";

    checkpoints->held.clear();
    auto resumed = run(sessions->resume("", "ann")).value();

    EXPECT_EQ(run(visit(resumed, "")).value(), "http://theirs/");
    auto notes = resumed->take_notes();
    ASSERT_THAT(notes, Contains(HasSubstr("until now is session")));
    EXPECT_EQ(get(kAnn), resumed);
    std::string line =
        *std::ranges::find_if(notes, [](const auto& each) { return each.contains("until now"); });
    std::string name = line.substr(line.rfind("session \"") + 9, 36);
    auto ours = run(sessions->resume("", name)).value();
    EXPECT_EQ(run(visit(ours, "")).value(), "http://ours/");
    EXPECT_EQ(contexts.size(), 3u) << "ours went on as it was";
}

TEST_F(SessionsTest, SaysThatASessionEndedWithAnotherServer) {
    const SessionKey own{"connection 1", ""};
    auto made = sessions->session(own, {.is_successor = true}).value();
    EXPECT_THAT(made->take_notes(), ElementsAre(HasSubstr("begins anew")));
    EXPECT_THAT(sessions->session(kAnn, {.is_successor = true}).value()->take_notes(), IsEmpty())
        << "it is looked for by its name";
}

TEST_F(SessionsTest, OfAPrincipalIsNobodyElses) {
    const SessionKey ann{"principal ann", "shop"};
    use(ann, "http://a/");
    run(get(ann)->checkpoint()).value();
    restart();

    EXPECT_EQ(run(sessions->resume("principal bob", "shop")).error().code, ErrorCode::SessionNotFound);
    EXPECT_EQ(run(sessions->resume("connection 1", "shop")).error().code, ErrorCode::SessionNotFound);
    EXPECT_TRUE(run(sessions->resume("principal ann", "shop")));
}

TEST_F(SessionsTest, WaitsForALostConnectionAndIsTakenOver) {
    options.grace = std::chrono::hours(1);
    restart();
    const SessionKey plain{"connection 1", ""};
    use(plain, "http://a/");
    std::string id = Sessions::resume_id(*sessions->find(plain));

    sessions->end_owner("connection 1", Sessions::Leave::Lost);
    auto resumed = run(sessions->resume("connection 2", id));

    ASSERT_TRUE(resumed);
    EXPECT_EQ(run(visit(*resumed, "")).value(), "http://a/");
    EXPECT_EQ(contexts.size(), 1u) << "it was restarted";
    EXPECT_EQ(sessions->list("connection 1").size(), 0u);
    ASSERT_TRUE(run(sessions->close({"connection 2", id})));
}

TEST_F(SessionsTest, IsTakenOverWhileItsOwnerIsAway) {
    bool is_away = false;
    options.is_absent = [&](const std::string& owner) { return owner == "connection 1" && is_away; };
    restart();
    const SessionKey plain{"connection 1", ""};
    use(plain, "http://a/");
    std::string id = Sessions::resume_id(*sessions->find(plain));
    EXPECT_FALSE(run(sessions->resume("connection 2", id))) << "its owner is there";

    is_away = true;
    auto resumed = run(sessions->resume("connection 2", id));

    ASSERT_TRUE(resumed);
    EXPECT_EQ(run(visit(*resumed, "")).value(), "http://a/");
    EXPECT_EQ(contexts.size(), 1u) << "it was restarted";
    is_away = false;
    EXPECT_NE(get(plain), *resumed) << "whoever comes back has another one";
}

TEST_F(SessionsTest, OfAnAuthenticatedConnectionIsNobodyElsesEvenById) {
    options.grace = std::chrono::hours(1);
    restart();
    SessionKey own{"connection 1", ""};
    run(visit(sessions->session(own, {.principal = "ann"}).value(), "http://a/")).value();
    std::string id = Sessions::resume_id(*sessions->find(own));
    sessions->end_owner("connection 1", Sessions::Leave::Lost);
    EXPECT_FALSE(run(sessions->resume("principal bob", id)));
    EXPECT_FALSE(run(sessions->resume("connection 2", id)));

    auto resumed = run(sessions->resume("principal ann", id));
    ASSERT_TRUE(resumed);
    EXPECT_EQ(run(visit(*resumed, "")).value(), "http://a/");

    // Nor in another run.
    run((*resumed)->checkpoint()).value();
    restart();
    EXPECT_FALSE(run(sessions->resume("principal bob", id)));
    EXPECT_TRUE(run(sessions->resume("principal ann", id)));
}

TEST_F(SessionsTest, EndsAfterTheGraceUnlessItHasAName) {
    options.grace = std::chrono::milliseconds(1);
    restart();
    const SessionKey plain{"connection 1", ""}, named{"connection 1", "shop"};
    use(plain, "http://a/");
    use(named, "http://b/");
    std::string id = Sessions::resume_id(*sessions->find(named));
    std::string gone = Sessions::resume_id(*sessions->find(plain));

    sessions->end_owner("connection 1", Sessions::Leave::Lost);
    fakes::run_until(loop, [&] { return sessions->count() == 0; });
    fakes::run_until(loop, [&] { return run(options.checkpoints->load("id " + id)).value().has_value(); });

    EXPECT_FALSE(run(sessions->resume("connection 2", gone)));
    auto resumed = run(sessions->resume("connection 2", id));
    ASSERT_TRUE(resumed);
    EXPECT_EQ(run(visit(*resumed, "")).value(), "http://b/");
}

TEST_F(SessionsTest, EndsAtOnceWithAGoodbye) {
    options.grace = std::chrono::hours(1);
    restart();
    use({"connection 1", "shop"}, "http://a/");
    std::string id = Sessions::resume_id(*sessions->find({"connection 1", "shop"}));

    sessions->end_owner("connection 1");

    EXPECT_EQ(sessions->count(), 0u);
    EXPECT_FALSE(run(sessions->resume("connection 2", id)));
}

TEST_F(SessionsTest, ForgetsWhatWasClosed) {
    use(kAnn, "http://a/");
    run(get(kAnn)->checkpoint()).value();
    run(sessions->close(kAnn)).value();
    EXPECT_EQ(use(kAnn), "about:blank");
}

TEST_F(SessionsTest, TellsWhatBecomesOfEach) {
    std::vector<std::string> reported;
    options.changed = [&](const SessionKey& key, store::SessionState state) {
        reported.push_back(key.name + " " + std::string(to_string(state)));
    };
    restart();
    use(kAnn, "http://a/");
    run(get(kAnn)->hibernate()).value();
    use(kAnn);
    browsers.back()->lose();
    use(kAnn);
    run(sessions->close(kAnn)).value();
    use({"connection 1", "shop"}, "http://a/");
    sessions->end_owner("connection 1");
    EXPECT_THAT(reported, ElementsAre("ann hibernated", "ann active", "ann error", "ann active", "ann closed",
                                      "shop closed"));
}

class DurableCheckpointStoreTest : public SessionsTest {};

TEST_F(DurableCheckpointStoreTest, KeepsSessionsOverARestart) {
    store::Options where{.path = directory.path() / "record.db", .key_file = directory.path() / "key"};
    {
        auto store = store::Store::open(loop, where).value();
        options.checkpoints = std::make_shared<session::DurableCheckpointStore>(*store);
        restart();
        use(kAnn, "http://a/");
        run(sessions->close_all()).value();
        EXPECT_EQ(sessions->count(), 0u);
        sessions.reset();
    }
    auto store = store::Store::open(loop, where).value();
    options.checkpoints = std::make_shared<session::DurableCheckpointStore>(*store);
    restart();
    EXPECT_EQ(use(kAnn), "http://a/");
    sessions.reset();
}

TEST(MemoryCheckpointStore, LetsTheOldestGo) {
    Loop loop;
    session::MemoryCheckpointStore checkpoints(2);
    for (std::string id : {"a", "b", "a", "c"})
        fakes::run_task(loop, checkpoints.save(id, "state of " + id)).value();
    EXPECT_EQ(fakes::run_task(loop, checkpoints.load("a")).value(), "state of a");
    EXPECT_FALSE(fakes::run_task(loop, checkpoints.load("b")).value());
    EXPECT_THAT(fakes::run_task(loop, checkpoints.ids()).value(), ElementsAre("a", "c"));
}

}  // namespace
