// A browser that makes up its contexts, for what needs a pool of them.
#pragma once

#include "session/sessions.h"
#include "tests/fakes/fake_browser.h"

namespace fakes {

// Adds each context to a list of the test's.
class TestBrowser final : public engine::Browser {
public:
    TestBrowser(Loop& loop, std::vector<std::shared_ptr<FakeContext>>& all) : loop_(loop), all_(all) {}

    Task<std::shared_ptr<engine::Context>> new_context(engine::ContextOptions options, Deadline) override {
        auto context = std::make_shared<FakeContext>(loop_);
        context->options = std::move(options);
        context->saved_state = {{"cookies", json::array{"of context " + std::to_string(all_.size())}}};
        if (prepare_context) prepare_context(*context);
        contexts_.push_back(context);
        all_.push_back(context);
        co_return context;
    }
    Task<std::shared_ptr<engine::Context>> default_context(engine::ContextOptions options,
                                                           Deadline deadline) override {
        return new_context(std::move(options), deadline);
    }
    bool is_lost() const override { return lost_; }
    void on_lost(std::function<void()>) override {}
    const std::string& version() const override { return version_; }
    Task<> close(Deadline) override { co_return; }
    std::function<void(FakeContext&)> prepare_context;
    void lose() {
        lost_ = true;
        for (const auto& context : contexts_) context->lose();
    }

private:
    Loop& loop_;
    std::vector<std::shared_ptr<FakeContext>>& all_;
    std::vector<std::shared_ptr<FakeContext>> contexts_;
    std::string version_ = "Test/1";
    bool lost_ = false;
};

// Sessions with a context each, in browsers like that.
inline session::SessionsOptions contexts_in(const std::filesystem::path& directory) {
    session::SessionsOptions options;
    options.pool.isolation = browsers::Isolation::Context;
    options.pool.context = [] { return engine::ContextOptions{}; };
    options.session.working_directory = directory;
    options.min_stay = std::chrono::milliseconds(0);
    return options;
}

}  // namespace fakes
