// A browser context as the session that borrowed it sees it.
#pragma once

#include <memory>
#include <vector>

#include "browsers/pool.h"

namespace browsers {

// One context and its listeners: passes the context's events to each of them. Lives on the main loop.
class SharedContext : public std::enable_shared_from_this<SharedContext> {
public:
    struct Listener {
        std::function<void(std::shared_ptr<engine::Page>)> opened;
        std::function<void(engine::Page&)> closed;
        std::function<void()> lost;
    };

    // `network_access` is the context's own, when network rules apply.
    static std::shared_ptr<SharedContext> create(std::shared_ptr<engine::Context> context,
                                                 std::shared_ptr<engine::NetworkAccess> network_access = {});
    ~SharedContext();

    const std::shared_ptr<engine::Context>& context() const { return context_; }
    std::shared_ptr<Listener> listen();
    // Sets the identity of the page's network requests; null: none.
    void set_page_identity(const std::string& page, std::shared_ptr<const engine::SessionIdentity> identity);

private:
    SharedContext(std::shared_ptr<engine::Context> context,
                  std::shared_ptr<engine::NetworkAccess> network_access)
        : context_(std::move(context)), network_access_(std::move(network_access)) {}
    template <class Notify>
    void notify(Notify notify) {
        for (const auto& weak : std::vector(listeners_)) {
            if (auto listener = weak.lock()) notify(*listener);
        }
        std::erase_if(listeners_, [](const auto& weak) { return weak.expired(); });
    }

    std::shared_ptr<engine::Context> context_;
    std::shared_ptr<engine::NetworkAccess> network_access_;
    std::vector<std::weak_ptr<Listener>> listeners_;
};

// Which tabs of a context a session sees.
enum class TabVisibility {
    All,
    Own  // tabs it opened, and their popups
};

// Gives the context back to the pool when closed, dropped, or lost with its browser.
class ContextLease final : public engine::Context {
public:
    // `first_page` exists already; the session gets it from its first new_page().
    ContextLease(std::shared_ptr<Pool> pool, Pool::HostPtr host,
                 std::shared_ptr<SharedContext> shared_context, TabVisibility visibility, Slot slot,
                 std::shared_ptr<engine::Page> first_page = {});
    ~ContextLease() override;

    const std::vector<std::shared_ptr<engine::Page>>& pages() const override {
        return visibility_ == TabVisibility::All && !first_page_ ? real().pages() : own_;
    }
    Task<std::shared_ptr<engine::Page>> new_page(Deadline deadline) override;
    void on_page_opened(std::function<void(std::shared_ptr<engine::Page>)> callback) override {
        opened_ = std::move(callback);
    }
    void on_page_closed(std::function<void(engine::Page&)> callback) override {
        closed_ = std::move(callback);
    }
    void on_lost(std::function<void()> callback) override { lost_ = std::move(callback); }
    bool is_lost() const override { return real().is_lost(); }
    Task<> close(Deadline deadline) override;

    // The engine's context.
    const std::shared_ptr<engine::Context>& underlying() const { return shared_context_->context(); }
    Task<json::array> cookies(Deadline deadline) override { return real().cookies(deadline); }
    Task<> add_cookies(json::array cookies, Deadline deadline) override {
        return real().add_cookies(std::move(cookies), deadline);
    }
    Task<> clear_cookies(engine::CookieFilter filter, Deadline deadline) override {
        return real().clear_cookies(std::move(filter), deadline);
    }
    Task<json::value> storage_state(Deadline deadline) override { return real().storage_state(deadline); }
    Task<> set_storage_state(json::value state, Deadline deadline) override {
        return real().set_storage_state(std::move(state), deadline);
    }
    Task<json::value> save_state(Reach reach, Deadline deadline) override {
        return real().save_state(reach, deadline);
    }
    Task<> restore_state(json::value state, Deadline deadline) override {
        return real().restore_state(std::move(state), deadline);
    }
    // With TabVisibility::Own, these apply to the session's own tabs.
    Task<> set_offline(bool offline, Deadline deadline) override;
    Task<> set_throttling(engine::Throttling throttling, Deadline deadline) override;
    const std::vector<engine::Route>& routes() const override;
    Task<> set_routes(std::vector<engine::Route> routes, Deadline deadline) override;
    Task<> set_rules(std::vector<std::shared_ptr<engine::Page>> pages, engine::NetworkRules rules,
                     Deadline deadline) override {
        return real().set_rules(std::move(pages), std::move(rules), deadline);
    }

    // Sets the identity of the session's own pages.
    void set_identity(std::shared_ptr<const engine::SessionIdentity> identity) {
        identity_ = std::move(identity);
    }
    // Whether other sessions may have pages in the same context.
    bool has_own_tabs() const { return visibility_ == TabVisibility::Own; }
    bool shares_with(const ContextLease& other) const { return shared_context_ == other.shared_context_; }
    // Moves the page to that session and applies that session's rules to it.
    Task<> hand_over(std::shared_ptr<engine::Page> page, std::shared_ptr<ContextLease> to, Deadline deadline);
    // Reports when another session's page closes, until unwatch().
    void watch(std::shared_ptr<engine::Page> page) { watched_.push_back(std::move(page)); }
    void unwatch(const engine::Page& page);

    // Lets the next session open a context: the first call has ended or takes long.
    void finish_opening() {
        if (slot_) slot_->opened();
    }

private:
    engine::Context& real() const { return *shared_context_->context(); }
    void lose();
    bool owns(std::string_view page) const;
    void take_own(const std::shared_ptr<engine::Page>& page);
    void take_opened(const std::shared_ptr<engine::Page>& page);
    void take_closed(engine::Page& page);
    bool has_rules() const { return rules_.routes || rules_.offline || rules_.throttling; }
    Task<> change_rules(engine::NetworkRules rules, Deadline deadline);

    std::shared_ptr<Pool> pool_;
    Pool::HostPtr host_;
    std::shared_ptr<SharedContext> shared_context_;
    std::shared_ptr<SharedContext::Listener> listener_;
    TabVisibility visibility_;
    std::optional<Slot> slot_;
    std::shared_ptr<engine::Page> first_page_;
    std::vector<std::shared_ptr<engine::Page>> own_;  // with TabVisibility::Own: the session's own tabs
    std::vector<std::shared_ptr<engine::Page>> watched_;
    std::shared_ptr<const engine::SessionIdentity> identity_;
    engine::NetworkRules rules_;     // of own pages
    std::vector<Running> applying_;  // to popups
    std::function<void(std::shared_ptr<engine::Page>)> opened_;
    std::function<void(engine::Page&)> closed_;
    std::function<void()> lost_;
    bool given_back_ = false;
};

}  // namespace browsers
