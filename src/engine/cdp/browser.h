// Chromium as engine::Browser: its contexts and their pages.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/auto_attach.h"
#include "engine/cdp/background_workers.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/connector.h"
#include "engine/cdp/downloads.h"
#include "engine/cdp/emulation.h"
#include "engine/cdp/launcher.h"
#include "engine/page_quota.h"
#include "engine/responsiveness.h"
#include "engine/tab_claims.h"

namespace cdp {

class Page;
class Context;

// A browser that we started, or an external one that we are connected to. Lives on the main loop.
class Browser final : public engine::Browser,
                      public engine::Responsiveness,
                      public std::enable_shared_from_this<Browser> {
public:
    // Takes ownership of the process and attaches to every target that opens.
    static Task<std::shared_ptr<Browser>> create(Loop& loop, std::unique_ptr<BrowserProcess> process,
                                                 Headless headless, Log& log);
    // Takes ownership of a connection to an external browser. Attaches only to tabs that become ours: the one
    // that the default context starts with, those that we open, and their popups. Each is claimed first, so
    // that no other session owns it.
    static Task<std::shared_ptr<Browser>> attach(Loop& loop, Connected connected,
                                                 const engine::ConnectOptions& options, Log& log);
    ~Browser() override;

    Task<std::shared_ptr<engine::Context>> new_context(engine::ContextOptions options,
                                                       Deadline deadline) override;
    // Fails while an earlier default context exists: the profile's new tabs can be reported to one context
    // only.
    Task<std::shared_ptr<engine::Context>> default_context(engine::ContextOptions options,
                                                           Deadline deadline) override;
    bool is_lost() const override { return connection_->is_closed(); }
    bool is_unresponsive() const override { return connection_->is_unresponsive(); }
    void on_lost(std::function<void()> callback) override { on_lost_.push_back(std::move(callback)); }
    const std::string& version() const override { return version_; }
    int process_id() const override { return process_ ? process_->id() : 0; }
    Task<> close(Deadline deadline) override;
    // Whether a new tab was refused because this browser of ours is being closed from outside, e.g. by a
    // signal.
    bool is_closing(const Error& refused) const;
    // Waits until the browser has ended, a few seconds at most, then counts it as lost. Always fails with
    // BrowserCrashed.
    Task<> see_off();

    const std::shared_ptr<Connection>& connection() const { return connection_; }
    Headless headless() const { return headless_; }
    // Whether we started it. An external browser is never closed, and its windows and profile stay unchanged.
    bool is_ours() const { return process_ != nullptr; }
    // Whether a user may be looking at its window.
    bool has_window() const { return !is_ours() || headless_ == Headless::No; }
    // Whether it also draws hidden tabs. Only the headless shell does.
    bool draws_all_tabs() const { return process_ && process_->is_headless_shell(); }
    Loop& loop() const { return loop_; }
    Log& log() const { return log_; }

    // Call when a context has shown a document, from which text may have been copied.
    void note_visitor(const std::string& context) {
        if (!visitor_) visitor_ = context;
        shares_clipboard_ |= *visitor_ != context;
    }
    bool shares_clipboard() const { return shares_clipboard_; }
    // Whether contexts are being opened, or were a moment ago.
    bool opens_contexts() const;

private:
    friend class Context;

    // A target that opened before its context was requested.
    struct Waiting {
        std::string session;
        json::object target;
    };
    // A tab of an external browser that we own.
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
    // The distinct quotas of the context's pages.
    std::set<std::shared_ptr<engine::PageQuota>> quotas_of(const std::string& context);
    bool attached(const AutoAttach::Target& target);
    // browser_attached.cc: external browsers
    void discovered(const json::object& params);
    // Claims the tab and attaches to it. Returns false if another session owns it. `opener` is the page that
    // opened it, if any.
    bool take_tab(const std::string& target, const std::string& opener = "");
    // Call when the tab has closed.
    void drop_tab(const std::string& target) { our_tabs_.erase(target); }
    void attached_popup(const std::string& target);
    // Whether the page opened a tab that is known but not attached yet.
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
    std::optional<BackgroundWorkers> workers_;
    std::string version_;
    AutoAttach targets_;
    std::optional<std::string> visitor_;  // the first context that showed a document
    bool shares_clipboard_ = false;
    Deadline::Clock::time_point last_opening_ = {};           // when a context was last opened
    std::map<std::string, std::weak_ptr<Context>> contexts_;  // by the browser's id; the default one under ""
    std::vector<Waiting> waiting_;
    std::map<std::string, std::string> openers_;  // of open popups, by target
    // For an external browser: its tabs when we connected, last used first, and our tabs with their sessions.
    std::vector<std::string> recent_tabs_;
    engine::FirstTab first_tab_ = engine::FirstTab::Unattached;
    std::optional<engine::TabClaims> claims_;
    std::map<std::string, OurTab> our_tabs_;
    std::map<std::string, std::string> attaching_popups_;  // with the page that opened them
    std::vector<std::function<void()>> on_lost_;
    std::vector<Subscription> subscriptions_;
};

}  // namespace cdp
