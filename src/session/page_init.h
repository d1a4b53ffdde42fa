// The modules of --init-page: user code that gets each new page before anything else uses it.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/code_runner.h"
#include "util/async.h"

namespace session {

// The error when nothing can run the code.
Error no_code_runner();

// Runs the modules on one page. Lives on the main loop, within its tab.
class PageInit {
public:
    explicit PageInit(Loop& loop) : loop_(loop) {}

    // Runs the modules one after the other, up to the first that fails.
    void start(std::shared_ptr<engine::CodeRunner> runner, std::shared_ptr<engine::Page> page,
               std::vector<std::filesystem::path> modules);
    bool is_done() const { return running_.done(); }
    // Waits until they have run; one waiter at a time.
    Task<> wait();
    // Their result; success until they have run.
    Result<void> outcome() const { return outcome_; }
    bool replaces(std::string_view method) const { return replaced_.contains(method); }

private:
    Task<> run(std::shared_ptr<engine::CodeRunner> runner, std::shared_ptr<engine::Page> page,
               std::vector<std::filesystem::path> modules);

    Loop& loop_;
    Running running_;
    std::optional<Completion<bool>> done_;
    Result<void> outcome_ = ok();
    std::set<std::string, std::less<>> replaced_;
};

}  // namespace session
