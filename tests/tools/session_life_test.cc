// What an agent is told when its session comes back.
#include "session/checkpoint_store.h"
#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;
using testing::Not;

class SessionLifeTest : public fakes::ToolTest {
protected:
    SessionLifeTest() {
        session->set_persistence({.checkpoints = std::make_shared<session::MemoryCheckpointStore>(),
                                  .id = "ann",
                                  .hibernates = true,
                                  .survives_crashes = true});
        show_page();
        page().page_url = "http://a/";
    }
    void hibernate() { ASSERT_TRUE(fakes::run_task(loop, session->hibernate()).value()); }
};

TEST_F(SessionLifeTest, EndsTheAnswerWithWhatBecameOfTheSession) {
    call("browser_snapshot", "{}");
    hibernate();

    auto outcome = call("browser_tabs", R"({"action": "list"})");

    EXPECT_THAT(outcome.text, HasSubstr("(http://a/)"));
    EXPECT_THAT(outcome.text, HasSubstr("\n### Session\n- This session was asleep"));
    EXPECT_THAT(call("browser_tabs", R"({"action": "list"})").text, Not(HasSubstr("### Session")));
}

TEST_F(SessionLifeTest, TellsItWithAnErrorToo) {
    call("browser_snapshot", "{}");
    hibernate();

    auto outcome = call("browser_click", R"({"target": "e77"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("Ref e77 not found"));
    EXPECT_THAT(outcome.text, HasSubstr("### Session\n- This session was asleep"));
}

TEST_F(SessionLifeTest, IsNotWokenToBeClosed) {
    call("browser_snapshot", "{}");
    hibernate();

    auto outcome = call("browser_close", "{}");

    EXPECT_FALSE(outcome.is_error);
    EXPECT_EQ(contexts.size(), 1u);
    EXPECT_EQ(session->life(), session::Session::Life::Awake);
}

TEST_F(SessionLifeTest, SaysThatTheBrowserCrashed) {
    call("browser_snapshot", "{}");
    context().lose();

    EXPECT_THAT(call("browser_tabs", R"({"action": "list"})").text,
                HasSubstr("### Session\n- The browser crashed"));
}

}  // namespace
