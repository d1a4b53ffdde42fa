// A browser context over CDP.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/browser.h"
#include "engine/cdp/conditions.h"
#include "engine/cdp/routes.h"
#include "util/task_set.h"

namespace cdp {

// Owns its pages. Dropping it disposes of the browser's context, unless that is the default one.
class Context final : public engine::Context,
                      public engine::Responsiveness,
                      public std::enable_shared_from_this<Context> {
public:
    Context(std::shared_ptr<Browser> browser, std::string id, engine::ContextOptions options);
    ~Context() override;

    const std::vector<std::shared_ptr<engine::Page>>& pages() const override { return pages_; }
    Task<std::shared_ptr<engine::Page>> new_page(Deadline deadline) override;
    void on_page_opened(std::function<void(std::shared_ptr<engine::Page>)> callback) override {
        opened_ = std::move(callback);
    }
    void on_page_closed(std::function<void(engine::Page&)> callback) override {
        closed_ = std::move(callback);
    }
    void on_lost(std::function<void()> callback) override { lost_ = std::move(callback); }
    bool is_lost() const override { return browser_->is_lost(); }
    bool is_unresponsive() const override { return browser_->is_unresponsive(); }
    Task<> close(Deadline deadline) override;

    // context_storage.cc
    Task<json::array> cookies(Deadline deadline) override;
    Task<> add_cookies(json::array cookies, Deadline deadline) override;
    Task<> clear_cookies(engine::CookieFilter filter, Deadline deadline) override;
    Task<json::value> storage_state(Deadline deadline) override;
    Task<> set_storage_state(json::value state, Deadline deadline) override;

    // context_saved_state.cc
    Task<json::value> save_state(Reach reach, Deadline deadline) override;
    Task<> restore_state(json::value state, Deadline deadline) override;

    // context_network.cc
    Task<> set_offline(bool offline, Deadline deadline) override;
    Task<> set_throttling(engine::Throttling throttling, Deadline deadline) override;
    const std::vector<engine::Route>& routes() const override { return routes_->all(); }
    Task<> set_routes(std::vector<engine::Route> routes, Deadline deadline) override;
    Task<> set_rules(std::vector<std::shared_ptr<engine::Page>> pages, engine::NetworkRules rules,
                     Deadline deadline) override;
    const std::shared_ptr<const Routes>& shared_routes() const { return routes_; }

    const engine::ContextOptions& options() const { return options_; }
    const std::string& id() const { return id_; }
    Browser& browser() const { return *browser_; }
    // Whether its tabs are in an external browser's own profile, in a window that is not ours.
    bool is_users() const { return id_.empty() && !browser_->is_ours(); }

    // Applies the context-wide options; call before the first page.
    Task<> prepare();
    // Fills local storage as the options say; call before the first page.
    Task<> restore_storage();
    // Takes a paused, attached page target of this context.
    void take_target(const std::shared_ptr<Session>& session, const json::object& target);
    // Called for each new page before it runs. A handler that returns true must resume the page with
    // Runtime.runIfWaitingForDebugger on this session.
    using NewPageHandler =
        std::function<bool(const std::shared_ptr<Session>& session, const json::object& target)>;
    [[nodiscard]] Subscription hold_new_pages(NewPageHandler handler);
    // Waits until the targets taken so far have become pages or are gone.
    Task<> opened_all();
    // The page of a target that was taken or will be.
    Task<std::shared_ptr<engine::Page>> wait_for_page(std::string target);
    // Stops setting up a target.
    void abandon(const std::string& target) { opening_.erase(target); }
    void remove(Page& page);
    // Whether popups that this page opened since then are still being set up; popups_opened waits for them.
    bool is_opening(Page& opener, Deadline::Clock::time_point since);
    Task<> popups_opened(std::shared_ptr<Page> opener, Deadline::Clock::time_point since);
    void check_popups() { popups_.check(); }
    void lose();
    // All pages, including those being set up.
    std::vector<std::shared_ptr<Page>> living_pages();
    // Called when a download begins and ends, with the page that it belongs to.
    using DownloadWatch = std::function<void(const Page& page, const engine::Download& download)>;
    [[nodiscard]] Subscription watch_downloads(DownloadWatch watch);
    void notify_download(const Page& page, const engine::Download& download);
    // The text last copied in this context with the keyboard.
    std::string& clipboard() { return clipboard_; }
    // Call when a document of that URL was shown: its origin may have stored something.
    void note_visit(std::string_view url);

private:
    // An internal tab that is never reported. Closed when dropped.
    struct WorkTab {
        std::shared_ptr<Browser> browser;
        std::string target;
        std::shared_ptr<Session> session = nullptr;

        WorkTab(std::shared_ptr<Browser> browser, std::string target)
            : browser(std::move(browser)), target(std::move(target)) {}
        WorkTab(const WorkTab&) = delete;
        ~WorkTab() {
            browser->connection()->browser()->post("Target.closeTarget", {{"targetId", target}});
            browser->drop_tab(target);
        }
    };
    struct Attached {
        std::shared_ptr<Session> session;
        json::object target;
    };

    Task<std::shared_ptr<WorkTab>> open_work_tab();
    Task<std::shared_ptr<WorkTab>> make_work_tab();
    Task<> delete_cookies(engine::CookieFilter filter);
    Task<json::value> capture_state();
    Task<> replace_state(json::value state);
    Task<json::value> capture_saved_state(Reach reach);
    Task<> take_saved_state(json::value state, Deadline deadline);

    Task<std::string> create_target(json::object params);
    Task<> open(std::shared_ptr<Page> page, bool held);
    Task<> detach_all();

    std::shared_ptr<Browser> browser_;
    std::string id_;
    engine::ContextOptions options_;
    bool disposed_ = false;
    std::vector<std::shared_ptr<engine::Page>> pages_;
    std::vector<std::weak_ptr<Page>> all_pages_;  // including those being set up
    std::shared_ptr<const Routes> routes_ = std::make_shared<Routes>();
    std::set<std::string> visited_;  // origins
    std::string clipboard_;
    // While a work tab is being opened, any new target may be that tab.
    int opening_work_tabs_ = 0;
    std::vector<Attached> held_;
    std::vector<Completion<bool>> target_held_;  // waiters for the next target
    TaskSet making_work_tabs_;
    // Pages being set up, and their waiters, by target.
    std::map<std::string, Running> opening_;
    std::map<std::string, std::vector<Completion<Result<std::shared_ptr<engine::Page>>>>> wanted_;
    std::list<NewPageHandler> new_page_handlers_;
    Conditions popups_;
    std::list<DownloadWatch> download_watches_;
    std::function<void(std::shared_ptr<engine::Page>)> opened_;
    std::function<void(engine::Page&)> closed_;
    std::function<void()> lost_;
};

}  // namespace cdp
