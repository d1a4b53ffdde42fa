#include <fstream>
#include <sstream>

#include "store/database.h"
#include "store/sealed_state.h"
#include "tests/store/fixture.h"

using testing::HasSubstr;
using testing::Not;

namespace store {
namespace {

struct StateTest : StoreTest {
    std::string error_of_loading(const std::string& session) {
        auto state = wait(store->load_state(session));
        return state ? "no error" : state.error().to_string();
    }
    std::string all_bytes() {
        std::string bytes;
        for (const char* suffix : {"", "-wal"}) {
            std::stringstream text;
            text << std::ifstream(options.path.string() + suffix, std::ios::binary).rdbuf();
            bytes += text.str();
        }
        return bytes;
    }
    void change(const std::string& sql) {
        store.reset();
        auto db = Database::open(options.path, Database::Access::ReadWrite);
        ASSERT_TRUE((*db)->execute(sql));
        db->reset();
        open();
    }
};

}  // namespace

TEST_F(StateTest, ComesBackAlsoAfterARestart) {
    open();
    std::string state = "{\"cookies\":[" + hex_encode(random_bytes(50'000)) + "]}";
    ASSERT_TRUE(wait(store->save_state("s1", "older")));
    ASSERT_TRUE(wait(store->save_state("s1", state)));
    EXPECT_EQ(get(store->load_state("s1")), state);
    open();
    EXPECT_EQ(get(store->load_state("s1")), state);
    EXPECT_EQ(get(store->load_state("s2")), std::nullopt);
    store->forget_state("s1");
    EXPECT_EQ(get(store->load_state("s1")), std::nullopt);
}

TEST_F(StateTest, CannotBeReadFromTheFile) {
    open();
    ASSERT_TRUE(wait(store->save_state("s1", "a-secret-cookie-value")));
    EXPECT_THAT(all_bytes(), Not(HasSubstr("secret-cookie")));
}

TEST_F(StateTest, SavedWithAnotherKeySaysSo) {
    open();
    ASSERT_TRUE(wait(store->save_state("s1", "state")));
    std::filesystem::remove(options.path.string() + ".key");
    open();
    EXPECT_THAT(error_of_loading("s1"), HasSubstr("saved with another key. Set store.keyFile"));
}

TEST_F(StateTest, ThatWasChangedIsRefused) {
    open();
    ASSERT_TRUE(wait(store->save_state("s1", "state")));
    ASSERT_TRUE(wait(store->save_state("s2", "state")));
    change(
        "UPDATE session_states SET sealed = (SELECT sealed FROM session_states WHERE session_id = 's1') "
        "WHERE session_id = 's2'");
    EXPECT_EQ(get(store->load_state("s1")), "state");
    // Another session's.
    EXPECT_THAT(error_of_loading("s2"), HasSubstr("changed after it was saved"));
    change("UPDATE session_states SET sealed = substr(sealed, 1, length(sealed) - 1) || x'00'");
    EXPECT_THAT(error_of_loading("s1"), HasSubstr("changed after it was saved"));
    change("UPDATE session_states SET sealed = x'01'");
    EXPECT_THAT(error_of_loading("s1"), HasSubstr("changed after it was saved"));
}

TEST_F(StateTest, NeedsAKeyFileThatHoldsAKey) {
    options.key_file = directory / "key";
    std::ofstream(options.key_file) << "not a key";
    open();
    auto saved = wait(store->save_state("s1", "state"));
    ASSERT_FALSE(saved);
    EXPECT_THAT(saved.error().message, HasSubstr("does not hold a key"));
    // Nothing else suffers.
    EXPECT_EQ(store->health().state, Health::State::Ok);
    EXPECT_EQ(get(store->load_state("s1")), std::nullopt);
}

TEST_F(StateTest, IsNeverSealedTheSameWayTwice) {
    Result<StateKey> key = StateKey::load_or_create(directory / "key");
    ASSERT_TRUE(key);
    EXPECT_NE(key->seal("s1", "state"), key->seal("s1", "state"));
    EXPECT_EQ(*key->open("s1", key->seal("s1", "")), "");
}

}  // namespace store
