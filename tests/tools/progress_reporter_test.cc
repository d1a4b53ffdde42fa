#include "tools/progress_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ListeningClient final : public tools::Client {
public:
    explicit ListeningClient(bool wants) : wants_(wants) {}
    const tools::Caller& caller() const override { return caller_; }
    bool answers(std::string_view) const override { return false; }
    bool wants_progress() const override { return wants_; }
    void report_progress(double progress, std::optional<double>, std::string_view message) override {
        EXPECT_GT(progress, last_);
        last_ = progress;
        reported.emplace_back(message);
    }
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest>) override {
        co_return std::map<std::string, json::value>{};
    }

    std::vector<std::string> reported;

private:
    bool wants_;
    double last_ = 0;
    tools::Caller caller_;
};

TEST(ProgressReporter, TellsEachStepOnceAndThenAgainThatItTakesLong) {
    Loop loop;
    ListeningClient client(true);
    tools::ProgressReporter progress(loop, client, std::chrono::milliseconds(1));
    progress.report("opening");
    progress.report("opening");
    progress.report("loading");
    EXPECT_THAT(client.reported, ElementsAre("opening", "loading"));

    fakes::run_until(loop, [&] { return client.reported.size() == 4; });

    EXPECT_THAT(client.reported, ElementsAre("opening", "loading", "loading (0 s)", "loading (0 s)"));
}

TEST(ProgressReporter, TellsNothingToAClientThatDidNotAsk) {
    Loop loop;
    ListeningClient client(false);
    tools::ProgressReporter progress(loop, client, std::chrono::milliseconds(1));
    progress.report("opening");
    loop.run();  // ends at once: nothing is under way
    EXPECT_THAT(client.reported, IsEmpty());
}

}  // namespace
