// Chromium as engine::Browser: its contexts, and the pages that open in them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/auto_attach.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/connector.h"
#include "engine/cdp/downloads.h"
#include "engine/cdp/emulation.h"
#include "engine/cdp/launcher.h"
#include "engine/tab_claims.h"

namespace cdp {

class Page;
class Context;

// A browser that we started, or one that we were given a line to. Lives on the main loop.
class Browser final : public engine::Browser, public std::enable_shared_from_this<Browser> {
public:
    // Takes the process over and attaches to everything that opens in it.
    static Task<std::shared_ptr<Browser>> create(Loop& loop, std::unique_ptr<BrowserProcess> process,
                                                 Headless headless, Log& log);
    // Takes a line to somebody else's browser over. Of its tabs, only those that become ours are attached to:
    // the one that the default context begins with, those that we open, and those that these open. Each is
    // claimed first, so that it is nobody else's.
    static Task<std::shared_ptr<Browser>> attach(Loop& loop, Connected connected,
                                                 const engine::ConnectOptions& options, Log& log);
    ~Browser() override;

    Task<std::shared_ptr<engine::Context>> new_context(engine::ContextOptions options,
                                                       Deadline deadline) override;
    // Fails while the one that was opened before is there: what opens in the profile can be told to one only.
    Task<std::shared_ptr<engine::Context>> default_context(engine::ContextOptions options,
                                                           Deadline deadline) override;
    bool is_lost() const override { return connection_->is_closed(); }
    void on_lost(std::function<void()> callback) override { on_lost_.push_back(std::move(callback)); }
    const std::string& version() const override { return version_; }
    int process_id() const override { return process_ ? process_->id() : 0; }
    Task<> close(Deadline deadline) override;
    // Whether a new tab was refused because somebody else, a signal say, closes this browser of ours.
    bool is_closing(const Error& refused) const;
    // Counts it as lost once it has gone, or did not go in time. Fails as what needs a browser then does.
    Task<> see_off();

    const std::shared_ptr<Connection>& connection() const { return connection_; }
    Headless headless() const { return headless_; }
    // Whether we started it. Somebody else's is never closed, and its windows and profile stay as they are.
    bool is_ours() const { return process_ != nullptr; }
    // Whether it draws the tabs that nobody sees, too. Only the headless shell does.
    bool draws_all_tabs() const { return process_ && process_->is_headless_shell(); }
    Loop& loop() const { return loop_; }
    Log& log() const { return log_; }

    // A context has shown a document, from which something may have been copied.
    void note_visitor(const std::string& context) {
        if (!visitor_) visitor_ = context;
        shares_clipboard_ |= *visitor_ != context;
    }
    bool shares_clipboard() const { return shares_clipboard_; }
    // Whether contexts are being opened, or were a moment ago.
    bool opens_contexts() const;

private:
    friend class Context;

    // A target that opened before anybody asked for its context.
    struct Waiting {
        std::string session;
        json::object target;
    };
    // A tab of somebody else's browser that is ours.
    struct OurTab {
        engine::TabClaim claim;
        std::string session = {};  // empty until it is attached
    };

    Browser(Loop& loop, std::shared_ptr<Connection> connection, Log& log);
    void listen();
    std::shared_ptr<Page> page_with(const std::string& frame);
    void note_opener(const json::object& target);
    std::shared_ptr<Page> opener_of(const std::string& target);
    std::optional<Downloads::Owner> owner_of(const std::string& frame);
    bool attached(const AutoAttach::Target& target);
    // browser_attached.cc: somebody else's browser
    void discovered(const json::object& params);
    // Claims the tab and attaches to it. False when it is somebody else's. With the page that opened it, if
    // one did.
    bool take_tab(const std::string& target, const std::string& opener = "");
    // It closed.
    void drop_tab(const std::string& target) { our_tabs_.erase(target); }
    void attached_popup(const std::string& target);
    // Whether a tab that the page opened is known of and not attached to yet.
    bool is_attaching_popup(const std::string& opener) const;
    Task<> detach(std::string target);
    Task<> detach_all();
    engine::ContextOptions leave_profile_alone(engine::ContextOptions options);
    Task<std::vector<std::string>> tabs_to_reuse();
    Task<> reuse_tab(std::shared_ptr<Context> context, Deadline deadline);
    void lost();
    void forget(const Context& context);

    Loop& loop_;
    Log& log_;
    std::unique_ptr<BrowserProcess> process_;
    std::shared_ptr<Connection> connection_;
    Headless headless_ = Headless::Yes;
    std::optional<Downloads> downloads_;
    std::string version_;
    AutoAttach targets_;
    std::optional<std::string> visitor_;  // the first context that showed a document
    bool shares_clipboard_ = false;
    Deadline::Clock::time_point last_opening_ = {};           // of a context
    std::map<std::string, std::weak_ptr<Context>> contexts_;  // by the browser's id; the default one under ""
    std::vector<Waiting> waiting_;
    std::map<std::string, std::string> openers_;  // of popups that are open, by target
    // Of somebody else's browser: what it told when we came, and the tabs that are ours with their sessions.
    std::vector<std::string> recent_tabs_;
    engine::FirstTab first_tab_ = engine::FirstTab::Unattached;
    std::optional<engine::TabClaims> claims_;
    std::map<std::string, OurTab> our_tabs_;
    std::map<std::string, std::string> attaching_popups_;  // with the page that opened them
    std::vector<std::function<void()>> on_lost_;
    std::vector<Subscription> subscriptions_;
};

}  // namespace cdp
