// The modules of --init-page: code of the user's that is given each new page before anything else is done
// with it.
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

// What is said where there is nothing that could run the code.
Error no_code_runner();

// Of one page. Lives on the main loop, within its tab.
class PageInit {
public:
    explicit PageInit(Loop& loop) : loop_(loop) {}

    // Runs the modules one after the other, up to the first that fails.
    void start(std::shared_ptr<engine::CodeRunner> runner, std::shared_ptr<engine::Page> page,
               std::vector<std::filesystem::path> modules);
    bool is_done() const { return running_.done(); }
    // Until they have run; by one waiter at a time.
    Task<> wait();
    // How they ended; good until they have.
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
