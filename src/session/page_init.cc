#include "session/page_init.h"

namespace session {
namespace {

// Timeout of one module; its waits in the page have limits of their own.
constexpr std::chrono::seconds kLimit{60};

}  // namespace

Error no_code_runner() {
    return {.code = ErrorCode::NotFound,
            .message = "This browser cannot be driven by Playwright code.",
            .hint = "browser_evaluate runs JavaScript in the page."};
}

void PageInit::start(std::shared_ptr<engine::CodeRunner> runner, std::shared_ptr<engine::Page> page,
                     std::vector<std::filesystem::path> modules) {
    running_ =
        ::start(run(std::move(runner), std::move(page), std::move(modules)), [this](Result<void> result) {
            outcome_ = std::move(result);
            if (done_) done_->set(true);
        });
}

Task<> PageInit::wait() {
    if (is_done()) co_return;
    done_.emplace(loop_);
    co_await *done_;
}

Task<> PageInit::run(std::shared_ptr<engine::CodeRunner> runner, std::shared_ptr<engine::Page> page,
                     std::vector<std::filesystem::path> modules) {
    if (!runner) co_await no_code_runner();
    for (const std::filesystem::path& module : modules) {
        auto replaced = co_await as_result(runner->initialize(page, module, Deadline::in(kLimit)));
        if (!replaced) {
            Error error = replaced.error();
            error.message.insert(0, "Failed to load init page \"" + module.string() + "\": ");
            co_await std::move(error);
        }
        replaced_.insert(replaced->begin(), replaced->end());
    }
}

}  // namespace session
