// Scripts and navigations that a caller awaits, and their cleanup if the caller gives up.
#pragma once

#include <algorithm>

#include "engine/cdp/page.h"

namespace cdp {

// A navigation without a new document for this long gives way to callers that need the page.
inline constexpr std::chrono::seconds kLongNavigation{10};

class Page::AwaitedScript {
public:
    AwaitedScript(Page& page, std::shared_ptr<Session> session, std::shared_ptr<PendingScript> script)
        : page_(page), session_(std::move(session)), script_(std::move(script)) {}
    AwaitedScript(const AwaitedScript&) = delete;
    // A script that a dialog blocks goes on once the dialog is answered.
    ~AwaitedScript() {
        if (!ended_) page_.abandon_script(session_, script_);
    }
    template <class T>
    void end(const Result<T>& result) {
        ended_ = result || result.error().code != ErrorCode::Timeout;
    }

private:
    Page& page_;
    std::shared_ptr<Session> session_;
    std::shared_ptr<PendingScript> script_;
    bool ended_ = false;
};

class Page::AwaitedNavigation {
public:
    explicit AwaitedNavigation(Page& page) : page_(page), before_(page.navigations_) {
        ++page_.awaited_navigations_;
    }
    AwaitedNavigation(const AwaitedNavigation&) = delete;
    // A document that has arrived may go on loading: it answers, and its scripts may need pending resources.
    ~AwaitedNavigation() {
        --page_.awaited_navigations_;
        bool came = page_.navigations_ > before_ && !page_.awaits_document();
        if (!ended_ && !came && page_.dialogs_.open().empty()) page_.session_->post("Page.stopLoading");
    }
    template <class T>
    void end(const Result<T>& result) {
        ended_ = result || result.error().code != ErrorCode::Timeout;
    }

private:
    Page& page_;
    std::size_t before_;  // number of earlier documents of the page
    bool ended_ = false;
};

template <class T>
Task<T> Page::stopped_when_late(Task<T> navigation) {
    auto self = shared_from_this();
    co_await end_busy_script();
    AwaitedNavigation awaited(*this);
    Result<T> result = co_await as_result(std::move(navigation));
    awaited.end(result);
    if constexpr (std::is_void_v<T>) {
        co_await std::move(result);
    } else {
        co_return std::move(result);
    }
}

template <class T>
Task<T> Page::freed_when_late(Task<T> task) {
    auto self = shared_from_this();
    reclaim();
    Result<T> result = co_await as_result(std::move(task));
    bool late = !result && result.error().code == ErrorCode::Timeout;
    bool long_ago = Deadline::Clock::now() - navigation_begun_ >= kLongNavigation;
    if (late && long_ago && awaits_document()) session_->post("Page.stopLoading");
    co_return std::move(result);
}

}  // namespace cdp
