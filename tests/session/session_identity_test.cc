// Whose a context, and each page of one that is shared, is for those who judge what pages ask the network
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "browsers/context_lease.h"
#include "tests/fakes/test_browser.h"
#include "tests/fakes/wait.h"

namespace {

using session::Session;
using session::SessionKey;
using session::Sessions;

class SessionIdentityTest : public testing::Test {
protected:
    void start() {
        options.pool.context = [this]() -> Result<engine::ContextOptions> {
            engine::ContextOptions made;
            made.network_access = accesses.emplace_back(std::make_shared<engine::NetworkAccess>());
            made.network_access->proxy_server = "http://127.0.0.1:" + std::to_string(accesses.size());
            return made;
        };
        options.prepare = [this](const std::shared_ptr<const engine::SessionIdentity>& identity, auto&) {
            identities.push_back(identity);
        };
        sessions.emplace(
            loop, options, [this](engine::LaunchOptions launch) { return launched(launch); }, log);
    }
    Task<std::shared_ptr<engine::Browser>> launched(engine::LaunchOptions launch) {
        launches.push_back(launch);
        co_return std::make_shared<fakes::TestBrowser>(loop, contexts);
    }
    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    static Task<> use(std::shared_ptr<Session> session) {
        session::Turn turn = co_await session->take_turn(Deadline::never());
        co_await session->ensure_tab();
    }
    std::shared_ptr<Session> open(const SessionKey& key, const std::string& principal = "") {
        auto made = sessions->session(key, {.principal = principal}).value();
        EXPECT_TRUE(run(use(made)));
        return made;
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::create({.file = directory.path() / "log"}).value();
    session::SessionsOptions options = fakes::contexts_in(directory.path());
    std::vector<std::shared_ptr<engine::NetworkAccess>> accesses;
    std::vector<std::shared_ptr<const engine::SessionIdentity>> identities;
    std::vector<std::shared_ptr<fakes::FakeContext>> contexts;
    std::vector<engine::LaunchOptions> launches;
    std::optional<Sessions> sessions;
};

TEST_F(SessionIdentityTest, OfAContextIsTheSessionThatHasIt) {
    start();
    open({"principal ann", "shop"});
    open({"connection 1", ""}, "bob");

    ASSERT_TRUE(accesses[0]->identity && accesses[1]->identity);
    EXPECT_EQ(accesses[0]->identity->session, "shop");
    EXPECT_EQ(accesses[0]->identity->principal, "ann");
    EXPECT_EQ(accesses[1]->identity->session, "");
    EXPECT_EQ(accesses[1]->identity->principal, "bob") << "also of a connection's own session";
}

TEST_F(SessionIdentityTest, OfAContextThatWasReadyIsWhoGetsIt) {
    options.pool.sizing.warm_contexts = 1;
    options.pool.sizing.idle_timeout = std::chrono::minutes(10);
    start();
    open({"", "first"});
    fakes::run_until(loop, [&] { return contexts.size() == 2; });
    auto ready = accesses.back();
    EXPECT_FALSE(ready->identity);
    auto is_taken = [&] { return ready->identity != nullptr; };
    // It is in stock once it was warmed up.
    for (int i = 0; i < 10 && !is_taken(); ++i) open({"", "next " + std::to_string(i)});

    ASSERT_TRUE(is_taken());
    EXPECT_THAT(ready->identity->session, testing::StartsWith("next "));
}

TEST_F(SessionIdentityTest, FollowsASessionThatChangesHands) {
    options.resumable = true;
    options.grace = std::chrono::hours(1);
    start();
    SessionKey key{"connection 1", "shop"};
    open(key);
    std::string id = Sessions::resume_id(*sessions->find(key));
    sessions->end_owner("connection 1", Sessions::Leave::Lost);

    ASSERT_TRUE(run(sessions->resume("principal ann", id)));

    EXPECT_EQ(accesses[0]->identity->principal, "ann");
    EXPECT_EQ(identities[0]->principal, "ann") << "what the session was prepared with says the same";
}

TEST_F(SessionIdentityTest, OfAPageIsItsSessionWhereTheContextIsShared) {
    options.pool.isolation = browsers::Isolation::Shared;
    start();
    auto ann = open({"principal ann", ""}), bob = open({"principal bob", ""});
    engine::NetworkAccess& network_access = *accesses[0];

    EXPECT_FALSE(network_access.identity);
    EXPECT_EQ(network_access.identity_of("page0", "")->principal, "ann");
    EXPECT_EQ(network_access.identity_of("page1", "")->principal, "bob");
    EXPECT_EQ(network_access.identity_of("popup", "page1")->principal, "bob")
        << "before anybody was told of it";
    EXPECT_FALSE(network_access.identity_of("alone", ""));

    auto context = ann->tabs_context();
    ASSERT_TRUE(
        run(context->hand_over(ann->tabs()[0]->shared_page(), bob->tabs_context(), Deadline::never())));
    EXPECT_EQ(network_access.identity_of("page0", "")->principal, "bob");
    contexts[0]->close_page(contexts[0]->page(0));
    EXPECT_FALSE(network_access.identity_of("page0", ""));
}

TEST_F(SessionIdentityTest, OfAProfileHasTheBrowserToItself) {
    options.pool.isolation = browsers::Isolation::Profile;
    options.pool.profiles = directory.path();
    start();
    open({"connection 1", ""}, "ann");

    ASSERT_EQ(launches.size(), 1u);
    EXPECT_THAT(launches[0].arguments, testing::Contains("--proxy-server=" + accesses[0]->proxy_server));
    EXPECT_EQ(accesses[0]->identity->principal, "ann");
}

}  // namespace
