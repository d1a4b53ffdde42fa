#include "tools/progress_reporter.h"

namespace tools {

ProgressReporter::ProgressReporter(Loop& loop, Client& client, std::chrono::milliseconds interval)
    : loop_(loop), client_(client) {
    if (client.wants_progress()) repeating_ = start(repeat(interval), [](Result<void>) {});
}

void ProgressReporter::report(const std::string& step) {
    if (!client_.wants_progress() || step == step_) return;
    step_ = step;
    client_.report_progress(++count_, std::nullopt, step_);
}

Task<> ProgressReporter::repeat(std::chrono::milliseconds interval) {
    for (auto begun = std::chrono::steady_clock::now();;) {
        co_await sleep_for(loop_, interval);
        auto passed = std::chrono::steady_clock::now() - begun;
        auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
        client_.report_progress(++count_, std::nullopt, step_ + " (" + std::to_string(seconds) + " s)");
    }
}

}  // namespace tools
