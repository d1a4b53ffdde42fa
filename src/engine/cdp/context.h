// A browser context over DevTools.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/browser.h"

namespace cdp {

// Owns its pages. Dropping it disposes of the browser's context, unless that is the default one.
class Context final : public engine::Context, public std::enable_shared_from_this<Context> {
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
    Task<> close(Deadline deadline) override;

    const engine::ContextOptions& options() const { return options_; }
    const std::string& id() const { return id_; }
    Browser& browser() const { return *browser_; }
    // Whether its tabs are among those of somebody else's profile, in a window that is not ours.
    bool is_users() const { return id_.empty() && !browser_->is_ours(); }

    // Applies what concerns the whole context; before the first page.
    Task<> prepare();
    // Fills local storage as the options say; before the first page.
    Task<> restore_storage();
    // A page target of this context was attached and waits for us.
    void take_target(const std::shared_ptr<Session>& session, const json::object& target);
    // Asked about each new page before it runs. Who says true has to let it run, with
    // Runtime.runIfWaitingForDebugger on this session.
    using Holder = std::function<bool(const std::shared_ptr<Session>& session, const json::object& target)>;
    [[nodiscard]] Subscription hold_new_pages(Holder holder);
    // The targets taken so far are pages, or have gone again.
    Task<> opened_all();
    // The page of a target that was taken or will be.
    Task<std::shared_ptr<engine::Page>> wait_for_page(std::string target);
    // Sets a target up no further.
    void abandon(const std::string& target) { opening_.erase(target); }
    void remove(Page& page);
    void lose();

private:
    Task<> open(std::shared_ptr<Page> page, bool held);
    Task<> detach_all();

    std::shared_ptr<Browser> browser_;
    std::string id_;
    engine::ContextOptions options_;
    bool disposed_ = false;
    std::vector<std::shared_ptr<engine::Page>> pages_;
    // Pages that are being set up, and who waits for them, by target.
    std::map<std::string, Running> opening_;
    std::map<std::string, std::vector<Completion<Result<std::shared_ptr<engine::Page>>>>> wanted_;
    std::optional<Completion<std::shared_ptr<Session>>>
        scratch_;  // who waits for a page that is none of ours
    std::list<Holder> holders_;
    std::function<void(std::shared_ptr<engine::Page>)> opened_;
    std::function<void(engine::Page&)> closed_;
    std::function<void()> lost_;
};

}  // namespace cdp
