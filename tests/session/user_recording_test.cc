#include "session/user_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using engine::UserEvent;
using Kind = UserEvent::Kind;
using Step = session::UserRecording::Step;
using namespace std::chrono_literals;
using testing::ElementsAre;

class UserRecordingTest : public testing::Test, public fakes::FakeBrowser {
protected:
    void SetUp() override {
        page().page_url = "http://localhost/";
        ASSERT_TRUE(fakes::run_task(loop, session->ensure_tab()));
        recording = std::make_shared<session::UserRecording>(*session);
        recording->watch(*session->current_tab());
        session->set_user_recording(recording);
    }

    void emit(UserEvent event) { page().user_callback(std::move(event)); }
    void click(int count = 1, const std::string& locator = "it") {
        emit({.locator = locator, .click = {.count = count}});
    }
    void type(const std::string& text, const std::string& locator = "field") {
        emit({.kind = Kind::Fill, .locator = locator, .text = text});
    }
    void navigate(const std::string& url) { emit({.kind = Kind::Navigated, .text = url}); }

    session::UserRecording::Recorded stop() {
        auto recorded = fakes::run_task(loop, recording->stop(Deadline::never()));
        EXPECT_TRUE(recorded);
        return std::move(*recorded);
    }
    // "click it", "fill field abc", "go http://…"
    std::vector<std::string> steps() {
        std::vector<std::string> texts;
        for (const Step& step : stop().steps) {
            const UserEvent& event = step.event;
            std::string what = event.kind == Kind::Click  ? "click" + std::to_string(event.click.count) + " "
                               : event.kind == Kind::Fill ? "fill "
                                                          : "go ";
            texts.push_back(what + event.locator + event.text);
        }
        return texts;
    }

    std::shared_ptr<session::UserRecording> recording;
};

TEST_F(UserRecordingTest, TakesTypingForOneStep) {
    type("A");
    type("Al");
    type("x", "other");
    type("Al!");

    EXPECT_THAT(steps(), ElementsAre("fill fieldAl", "fill otherx", "fill fieldAl!"));
}

TEST_F(UserRecordingTest, TakesClicksInOnePlaceForOne) {
    click(1);
    click(2);
    click(1);
    click(1, "other");

    EXPECT_THAT(steps(), ElementsAre("click2 it", "click1 it", "click1 other"));
}

TEST_F(UserRecordingTest, TakesANavigationForTheEffectOfAnActionShortlyBefore) {
    navigate("about:blank");
    navigate("http://localhost/1");
    now += 100ms;
    navigate("http://localhost/redirected");
    now += 1s;
    navigate("http://localhost/2");
    click();
    now += 4s;
    navigate("http://localhost/3");
    now += 2s;
    navigate("http://localhost/4");

    EXPECT_THAT(steps(), ElementsAre("go http://localhost/redirected", "go http://localhost/2", "click1 it",
                                     "go http://localhost/4"));
}

TEST_F(UserRecordingTest, KnowsWhatAnActionLedTo) {
    click();
    context().open_page(page().id());
    emit({.kind = Kind::Download});
    emit({.kind = Kind::DialogAccepted, .text = "yes"});
    context().page(1).user_callback({.locator = "inside"});

    auto recorded = stop().steps;

    ASSERT_EQ(recorded.size(), 2);
    EXPECT_EQ(recorded[0].popup, context().page(1).id());
    EXPECT_TRUE(recorded[0].download);
    ASSERT_TRUE(recorded[0].dialog);
    EXPECT_EQ(recorded[0].dialog->text, "yes");
    EXPECT_EQ(recorded[1].page, context().page(1).id());
    EXPECT_FALSE(recorded[1].dialog);
}

TEST_F(UserRecordingTest, HoldsSoMuchAndCountsTheRest) {
    for (int i = 0; i < 1003; ++i) click(1, "it" + std::to_string(i));
    emit({.kind = Kind::Lost});

    auto recorded = stop();

    EXPECT_EQ(recorded.steps.size(), 1000);
    EXPECT_EQ(recorded.left_out, 4);
}

TEST_F(UserRecordingTest, HoldsSoMuchText) {
    for (int i = 0; i < 100; ++i) type(std::string(65'536, 'x'), "field" + std::to_string(i));

    auto recorded = stop();

    EXPECT_LT(recorded.steps.size(), 64);
    EXPECT_EQ(recorded.steps.size() + recorded.left_out, 100);
}

TEST_F(UserRecordingTest, LooksAwayFromATabThatIsGone) {
    click();
    session->leave_tab(page());

    EXPECT_FALSE(page().user_callback);
    EXPECT_THAT(steps(), ElementsAre("click1 it"));
}

TEST_F(UserRecordingTest, EndsWithTheBrowser) {
    ASSERT_TRUE(fakes::run_task(loop, session->close()));

    EXPECT_FALSE(session->user_recording());
}

}  // namespace
