// A browser context as the session that borrowed it sees it.
#pragma once

#include <memory>
#include <vector>

#include "session/pool.h"

namespace session {

// One context, and everybody who looks at it: hands each of them what it has to tell. Lives on the main loop.
class ContextHub : public std::enable_shared_from_this<ContextHub> {
public:
    struct Listener {
        std::function<void(std::shared_ptr<engine::Page>)> opened;
        std::function<void(engine::Page&)> closed;
        std::function<void()> lost;
    };

    // `way` is the context's own, where rules hold.
    static std::shared_ptr<ContextHub> create(std::shared_ptr<engine::Context> context,
                                              std::shared_ptr<engine::Way> way = {});
    ~ContextHub();

    const std::shared_ptr<engine::Context>& context() const { return context_; }
    std::shared_ptr<Listener> listen();
    // Whose the page is, for what it asks the network for; null: nobody's.
    void set_page_holder(const std::string& page, std::shared_ptr<const engine::Holder> holder);

private:
    ContextHub(std::shared_ptr<engine::Context> context, std::shared_ptr<engine::Way> way)
        : context_(std::move(context)), way_(std::move(way)) {}
    template <class Tell>
    void tell(Tell tell) {
        for (const auto& weak : std::vector(listeners_)) {
            if (auto listener = weak.lock()) tell(*listener);
        }
        std::erase_if(listeners_, [](const auto& weak) { return weak.expired(); });
    }

    std::shared_ptr<engine::Context> context_;
    std::shared_ptr<engine::Way> way_;
    std::vector<std::weak_ptr<Listener>> listeners_;
};

// Which tabs of a context a session sees.
enum class Sight {
    All,
    Own  // those it opened, and what these open
};

// Gives the context back to the pool when closed, dropped, or lost with its browser.
class LentContext final : public engine::Context {
public:
    // With a first page, that one is there already; to the session it opens with its first new_page().
    LentContext(std::shared_ptr<Pool> pool, Pool::HostPtr host, std::shared_ptr<ContextHub> hub, Sight sight,
                Place place, std::shared_ptr<engine::Page> first_page = {});
    ~LentContext() override;

    const std::vector<std::shared_ptr<engine::Page>>& pages() const override {
        return sight_ == Sight::All && !first_page_ ? real().pages() : own_;
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

    // The engine's own.
    const std::shared_ptr<engine::Context>& underlying() const { return hub_->context(); }
    Task<json::array> cookies(Deadline deadline) override { return real().cookies(deadline); }
    Task<> add_cookies(json::array cookies, Deadline deadline) override {
        return real().add_cookies(std::move(cookies), deadline);
    }
    Task<> clear_cookies(std::optional<std::string> name, Deadline deadline) override {
        return real().clear_cookies(std::move(name), deadline);
    }
    Task<json::value> storage_state(Deadline deadline) override { return real().storage_state(deadline); }
    Task<> set_storage_state(json::value state, Deadline deadline) override {
        return real().set_storage_state(std::move(state), deadline);
    }
    Task<json::value> remember(Reach reach, Deadline deadline) override {
        return real().remember(reach, deadline);
    }
    Task<> recall(json::value memory, Deadline deadline) override {
        return real().recall(std::move(memory), deadline);
    }
    // With Sight::Own these hold for the session's own tabs.
    Task<> set_offline(bool offline, Deadline deadline) override;
    Task<> set_throttling(engine::Throttling throttling, Deadline deadline) override;
    const std::vector<engine::Route>& routes() const override;
    Task<> set_routes(std::vector<engine::Route> routes, Deadline deadline) override;
    Task<> set_rules(std::vector<std::shared_ptr<engine::Page>> pages, engine::NetworkRules rules,
                     Deadline deadline) override {
        return real().set_rules(std::move(pages), std::move(rules), deadline);
    }

    // Whose its own pages are.
    void set_holder(std::shared_ptr<const engine::Holder> holder) { holder_ = std::move(holder); }
    // Whether its pages are some of a context that others have pages in, too.
    bool has_own_tabs() const { return sight_ == Sight::Own; }
    bool shares_with(const LentContext& other) const { return hub_ == other.hub_; }
    // The page is that session's from now on, and its rules hold there.
    Task<> hand_over(std::shared_ptr<engine::Page> page, std::shared_ptr<LentContext> to, Deadline deadline);
    // Is told when a page of another session closes; until unwatched.
    void watch(std::shared_ptr<engine::Page> page) { watched_.push_back(std::move(page)); }
    void unwatch(const engine::Page& page);

    // Its first call is done, or takes its time: the next session may open a context.
    void settle() {
        if (place_) place_->opened();
    }

private:
    engine::Context& real() const { return *hub_->context(); }
    void lose();
    bool owns(std::string_view page) const;
    void take_own(const std::shared_ptr<engine::Page>& page);
    void take_opened(const std::shared_ptr<engine::Page>& page);
    void take_closed(engine::Page& page);
    bool has_rules() const { return rules_.routes || rules_.offline || rules_.throttling; }
    Task<> change_rules(engine::NetworkRules rules, Deadline deadline);

    std::shared_ptr<Pool> pool_;
    Pool::HostPtr host_;
    std::shared_ptr<ContextHub> hub_;
    std::shared_ptr<ContextHub::Listener> listener_;
    Sight sight_;
    std::optional<Place> place_;
    std::shared_ptr<engine::Page> first_page_;
    std::vector<std::shared_ptr<engine::Page>> own_;  // with Sight::Own: what this session opened
    std::vector<std::shared_ptr<engine::Page>> watched_;
    std::shared_ptr<const engine::Holder> holder_;
    engine::NetworkRules rules_;     // of own pages
    std::vector<Running> applying_;  // to popups
    std::function<void(std::shared_ptr<engine::Page>)> opened_;
    std::function<void(engine::Page&)> closed_;
    std::function<void()> lost_;
    bool given_back_ = false;
};

}  // namespace session
