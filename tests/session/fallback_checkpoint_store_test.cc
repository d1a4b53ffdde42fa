#include "session/fallback_checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Disk final : public session::CheckpointStore {
public:
    Task<> save(std::string id, std::string state) override {
        ++saves;
        if (full) co_await Error{.message = "no space left"};
        co_await kept.save(std::move(id), std::move(state));
    }
    Task<std::optional<std::string>> load(std::string id) override { return kept.load(std::move(id)); }
    void forget(std::string id) override { kept.forget(std::move(id)); }
    Task<std::vector<std::string>> ids() override { return kept.ids(); }
    bool is_available() const override { return !known_as_full; }
    bool is_lasting() const override { return true; }
    std::shared_ptr<void> lease(const std::string&) override { return nullptr; }
    pid_t lease_holder(const std::string&) const override { return holder; }

    session::MemoryCheckpointStore kept;
    pid_t holder = 0;
    bool full = false, known_as_full = false;
    int saves = 0;
};

class FallbackCheckpointStoreTest : public testing::Test {
protected:
    Result<void> save(const std::string& id, const std::string& state) {
        return fakes::run_task(loop, store->save(id, state));
    }
    std::optional<std::string> load(const std::string& id) {
        return fakes::run_task(loop, store->load(id)).value();
    }
    std::optional<std::string> on_disk(const std::string& id) {
        return fakes::run_task(loop, disk->load(id)).value();
    }

    Loop loop;
    fakes::TemporaryDirectory directory;
    Log log = Log::create({.file = directory.path() / "log"}).value();
    std::shared_ptr<Disk> disk = std::make_shared<Disk>();
    std::shared_ptr<session::FallbackCheckpointStore> store = session::FallbackCheckpointStore::create(
        loop, disk, log, {.max_bytes = 10, .retry = std::chrono::milliseconds(1)});
};

TEST_F(FallbackCheckpointStoreTest, KeepsStateInMemoryWhileTheDiskIsFull) {
    ASSERT_TRUE(save("a", "old"));
    disk->full = true;
    ASSERT_TRUE(save("a", "new"));
    ASSERT_TRUE(save("b", "b"));
    EXPECT_EQ(load("a"), "new");
    EXPECT_EQ(load("b"), "b");
    EXPECT_EQ(on_disk("a"), "old");
    EXPECT_EQ(store->in_memory(), 2u);
    EXPECT_THAT(fakes::run_task(loop, store->ids()).value(), ElementsAre("a", "b"));
    EXPECT_TRUE(store->is_lasting());
    disk->holder = 4242;
    EXPECT_EQ(store->lease_holder("name ann"), 4242) << "which server has a session is the disk's to say";

    store->forget("a");
    EXPECT_EQ(load("a"), std::nullopt);
}

TEST_F(FallbackCheckpointStoreTest, MovesToTheDiskWhenThatWorksAgain) {
    disk->full = true;
    ASSERT_TRUE(save("a", "1"));
    ASSERT_TRUE(save("b", "2"));
    disk->full = false;
    fakes::run_until(loop, [&] { return store->in_memory() == 0; });
    EXPECT_EQ(on_disk("a"), "1");
    EXPECT_EQ(on_disk("b"), "2");
    std::string text = directory.read("log");
    EXPECT_THAT(text, HasSubstr("kept in memory"));
    EXPECT_EQ(text.find("kept in memory"), text.rfind("kept in memory")) << "it is said once";
}

TEST_F(FallbackCheckpointStoreTest, DoesNotFillTheQueueOfADiskThatIsKnownAsFull) {
    disk->full = disk->known_as_full = true;
    ASSERT_TRUE(save("a", "1"));
    ASSERT_TRUE(save("a", "2"));
    loop.restart();
    loop.run_for(std::chrono::milliseconds(5));
    EXPECT_EQ(disk->saves, 0);
    EXPECT_EQ(load("a"), "2");
}

TEST_F(FallbackCheckpointStoreTest, LeavesItToTheDiskWhichServerHasAnId) {
    disk->holder = 7;
    EXPECT_EQ(store->lease("a"), nullptr);
    EXPECT_EQ(store->lease_holder("a"), 7);
}

TEST_F(FallbackCheckpointStoreTest, RefusesWhatMemoryCannotHold) {
    disk->full = true;
    ASSERT_TRUE(save("a", "12345678"));
    EXPECT_THAT(save("b", "12345678").error().message, HasSubstr("neither on disk nor in memory"));
    // In the place of what it has, it counts once.
    EXPECT_TRUE(save("a", "1234567890"));
    EXPECT_EQ(load("a"), "1234567890");
}

}  // namespace
