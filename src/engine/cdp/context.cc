#include "engine/cdp/context.h"

#include "engine/cdp/emulation.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/storage_state.h"
#include "engine/devices.h"

namespace cdp {

using PageResult = Result<std::shared_ptr<engine::Page>>;

Context::Context(std::shared_ptr<Browser> browser, std::string id, engine::ContextOptions options)
    : browser_(std::move(browser)),
      id_(std::move(id)),
      options_(std::move(options)),
      popups_(browser_->loop()) {
    options_.user_agent = engine::agent_of_version(std::move(options_.user_agent), browser_->version());
}

Context::~Context() {
    opening_.clear();
    pages_.clear();
    browser_->forget(*this);
    if (!id_.empty() && !disposed_)
        browser_->connection()->browser()->post("Target.disposeBrowserContext", {{"browserContextId", id_}});
}

Task<> Context::prepare() {
    co_await prepare_context(browser_->connection()->browser(), id_, options_,
                             is_users() ? Owner::User : Owner::Us);
}

Task<> Context::restore_storage() {
    const json::object* state = options_.storage_state.if_object();
    const json::array* origins = state ? json::find_array(*state, "origins") : nullptr;
    if (!origins || origins->empty()) co_return;
    for (const json::value& each : *origins) {
        if (each.is_object()) note_visit(json::find_string(each.get_object(), "origin").value_or(""));
    }
    std::shared_ptr<WorkTab> tab = co_await open_work_tab();
    co_await restore_local_storage(tab->session, options_.storage_state);
}

void Context::take_target(const std::shared_ptr<Session>& session, const json::object& target) {
    if (opening_work_tabs_ > 0) {
        held_.push_back({session, target});
        for (const auto& waiter : std::exchange(target_held_, {})) waiter.set(true);
        return;
    }
    auto opener = browser_->opener_of(text_of(target, "targetId"));
    auto quota = opener ? opener->quota() : nullptr;
    auto place = quota ? quota->take(engine::PageQuota::Kind::Tab) : nullptr;
    // Close it without setup: a page can open popups faster than that. A paused popup would block its opener,
    // and could not be resumed once it is closed.
    if (quota && !place) {
        session->post("Runtime.runIfWaitingForDebugger");
        browser_->connection()->browser()->post("Target.closeTarget",
                                                {{"targetId", text_of(target, "targetId")}});
        return;
    }
    auto page = Page::create(*this, session, target);
    page->join_quota(std::move(quota), std::move(place));
    std::erase_if(all_pages_, [](const auto& each) { return each.expired(); });
    all_pages_.push_back(page);
    std::string id = page->id();
    bool held = false;
    for (const NewPageHandler& handler : new_page_handlers_) held = handler(session, target) || held;
    Running running = start(open(page, held), [this, page, id](Result<void> result) {
        auto waiters = std::exchange(wanted_[id], {});
        wanted_.erase(id);
        if (result) {
            for (const auto& waiter : waiters) waiter.set(PageResult(page));
        } else {
            for (const auto& waiter : waiters) waiter.set(PageResult(result.error()));
        }
        opening_.erase(id);
        popups_.check();
    });
    if (!running.done()) opening_.emplace(id, std::move(running));
}

Subscription Context::hold_new_pages(NewPageHandler handler) {
    auto place = new_page_handlers_.insert(new_page_handlers_.end(), std::move(handler));
    return Subscription([weak = weak_from_this(), place] {
        if (auto self = weak.lock()) self->new_page_handlers_.erase(place);
    });
}

Subscription Context::watch_downloads(DownloadWatch watch) {
    auto place = download_watches_.insert(download_watches_.end(), std::move(watch));
    return Subscription([weak = weak_from_this(), place] {
        if (auto self = weak.lock()) self->download_watches_.erase(place);
    });
}

void Context::notify_download(const Page& page, const engine::Download& download) {
    for (const DownloadWatch& watch : std::list(download_watches_)) watch(page, download);
}

Task<> Context::open(std::shared_ptr<Page> page, bool held) {
    co_await page->initialize(held);
    if (!page->opener().empty()) co_await page->first_document();
    if (page->is_given_up() || page->is_closed())
        co_await Error{.code = ErrorCode::BrowserCrashed, .message = "The tab was closed."};
    pages_.push_back(page);
    if (opened_) opened_(page);
}

Task<std::shared_ptr<engine::Page>> Context::wait_for_page(std::string target) {
    for (const auto& page : pages_) {
        if (page->id() == target) co_return page;
    }
    Completion<PageResult> ready(browser_->loop());
    wanted_[target].push_back(ready);
    PageResult result = co_await ready;
    co_return std::move(result);
}

Task<> Context::opened_all() {
    std::vector<std::string> targets;
    for (const auto& [target, running] : opening_) targets.push_back(target);
    for (const std::string& target : targets) {
        if (opening_.contains(target)) (void)co_await as_result(wait_for_page(target));
    }
}

Task<std::string> Context::create_target(json::object params) {
    for (;;) {
        auto made =
            co_await as_result(browser_->connection()->browser()->send("Target.createTarget", params));
        if (!made && browser_->is_closing(made.error())) co_await browser_->see_off();
        std::string target((co_await std::move(made)).at("targetId").as_string());
        // In an external browser, another server may have claimed the new tab before we knew of it.
        if (browser_->is_ours() || browser_->take_tab(target)) co_return target;
    }
}

bool Context::is_opening(Page& opener, Deadline::Clock::time_point since) {
    if (browser_->is_attaching_popup(opener.id())) return true;
    return std::ranges::any_of(living_pages(), [&](const auto& page) {
        return opening_.contains(page->id()) && page->opened_at() >= since &&
               opener.has_frame(page->opener());
    });
}

Task<> Context::popups_opened(std::shared_ptr<Page> opener, Deadline::Clock::time_point since) {
    auto self = shared_from_this();
    co_await popups_.wait_until([this, opener, since] { return !is_opening(*opener, since); });
}

Task<std::shared_ptr<engine::Page>> Context::new_page(Deadline deadline) {
    auto self = shared_from_this();
    json::object params{{"url", "about:blank"}};
    if (!id_.empty()) params["browserContextId"] = id_;
    // Do not change the window that a user may be looking at.
    if (browser_->has_window()) params["background"] = true;
    std::string target =
        co_await with_deadline(browser_->loop(), create_target(std::move(params)), deadline, "Opening a tab");
    co_return co_await with_deadline(browser_->loop(), wait_for_page(target), deadline, "Opening a tab");
}

void Context::remove(Page& page) {
    popups_.check();
    auto it =
        std::find_if(pages_.begin(), pages_.end(), [&](const auto& each) { return each.get() == &page; });
    if (it == pages_.end()) return;
    auto keep = *it;
    pages_.erase(it);
    browser_->drop_tab(page.id());
    if (closed_) closed_(page);
}

void Context::lose() {
    auto self = shared_from_this();
    opening_.clear();
    popups_.fail(Error{.code = ErrorCode::BrowserCrashed, .message = "The browser is gone."});
    for (auto& [target, waiters] : std::exchange(wanted_, {})) {
        for (const auto& waiter : waiters)
            waiter.set(
                PageResult(Error{.code = ErrorCode::BrowserCrashed, .message = "The browser is gone."}));
    }
    if (auto callback = std::exchange(lost_, nullptr)) callback();
}

// The tabs stay open: they belong to the user, or hold work done for the user.
Task<> Context::detach_all() {
    std::vector<std::string> targets;
    for (const auto& [target, running] : std::exchange(opening_, {})) targets.push_back(target);
    for (const auto& page : pages_) targets.push_back(page->id());
    for (std::string& target : targets) co_await browser_->detach(std::move(target));
}

Task<> Context::close(Deadline deadline) {
    auto self = shared_from_this();
    opened_ = nullptr;
    if (is_lost()) co_return;
    if (is_users()) {
        co_await with_deadline(browser_->loop(), detach_all(), deadline, "Leaving the browser");
        co_return;
    }
    if (id_.empty()) {
        auto all = pages_;
        for (const auto& page : all) co_await page->close(deadline);
        co_return;
    }
    disposed_ = true;
    co_await with_deadline(
        browser_->loop(),
        browser_->connection()->browser()->send("Target.disposeBrowserContext", {{"browserContextId", id_}}),
        deadline, "Closing a browser context");
}

}  // namespace cdp
