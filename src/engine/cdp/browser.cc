#include "engine/cdp/browser.h"

#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

// Even local addresses must go through the proxy.
constexpr std::string_view kNoBypass = "<-loopback>";

Task<> until(Completion<bool> done) { co_await done; }

}  // namespace

Browser::Browser(Loop& loop, std::shared_ptr<Connection> connection, Log& log)
    : loop_(loop),
      log_(log),
      connection_(std::move(connection)),
      targets_(connection_, [this](const AutoAttach::Target& target) { return attached(target); }) {
    downloads_.emplace(connection_->browser(), [this](const std::string& frame) { return owner_of(frame); });
    workers_.emplace(
        connection_,
        [this](const std::string& context) -> std::optional<std::size_t> {
            auto quotas = quotas_of(context);
            return quotas.empty() ? std::nullopt : (*quotas.begin())->limits().workers;
        },
        [this](const std::string& context) {
            for (const auto& quota : quotas_of(context)) quota->note_refused(engine::PageQuota::Kind::Worker);
        });
}

Browser::~Browser() { connection_->on_lost(nullptr); }

void Browser::listen() {
    std::weak_ptr<Browser> weak = shared_from_this();
    for (const char* event : {"Target.detachedFromTarget", "Target.targetDestroyed"}) {
        subscriptions_.push_back(connection_->browser()->on(
            event, [this](const json::object& params) { openers_.erase(text_of(params, "targetId")); }));
    }
    connection_->on_lost([weak](const std::string& reason) {
        auto self = weak.lock();
        if (!self) return;
        self->log_.warn("the browser is gone", {{"reason", reason}});
        // It would go on using its profile.
        if (self->is_unresponsive() && self->process_) self->process_->kill();
        self->lost();
    });
}

Task<std::shared_ptr<Browser>> Browser::create(Loop& loop, std::unique_ptr<BrowserProcess> process,
                                               Headless headless, Log& log) {
    std::shared_ptr<Browser> browser(new Browser(loop, process->connection(), log));
    browser->process_ = std::move(process);
    browser->headless_ = headless;
    browser->listen();
    auto root = browser->connection_->browser();
    Pending version = root->begin("Browser.getVersion");
    Pending attach = browser->targets_.watch(root);
    json::value answer = co_await (co_await version);
    co_await (co_await attach);
    browser->version_ = std::string(json::find_string(answer.as_object(), "product").value_or(""));
    co_return browser;
}

// Workers and other targets are not ours: they run unattached, as far as their limit allows.
bool Browser::attached(const AutoAttach::Target& target) {
    auto self = shared_from_this();
    std::string type = text_of(target.info, "type");
    if (type == "browser") return true;  // another session with the browser itself, explicitly requested
    if (BackgroundWorkers::is_one(type)) return workers_->take(target);
    if (type != "page") return false;
    auto it = contexts_.find(text_of(target.info, "browserContextId"));
    if (it == contexts_.end()) it = contexts_.find("");
    auto owner = it == contexts_.end() ? nullptr : it->second.lock();
    if (!is_ours()) {
        auto tab = our_tabs_.find(text_of(target.info, "targetId"));
        // The context is gone, or attaching took too long.
        if (!owner || tab == our_tabs_.end()) return false;
        tab->second.session = target.session->id();
    }
    note_opener(target.info);
    if (owner) {
        owner->take_target(target.session, target.info);
    } else {
        waiting_.push_back({target.session->id(), target.info});
    }
    return true;
}

Task<std::shared_ptr<engine::Context>> Browser::new_context(engine::ContextOptions options,
                                                            Deadline deadline) {
    json::object params{{"disposeOnDetach", true}};
    if (options.network_access && !options.network_access->proxy_server.empty()) {
        params["proxyServer"] = options.network_access->proxy_server;
        params["proxyBypassList"] = kNoBypass;
    } else if (!options.proxy_server.empty()) {
        params["proxyServer"] = options.proxy_server;
        params["proxyBypassList"] = bypass_list(options.proxy_bypass);
    }
    auto self = shared_from_this();
    last_opening_ = Deadline::Clock::now();
    json::value made = co_await with_deadline(
        loop_, connection_->browser()->send("Target.createBrowserContext", std::move(params)), deadline,
        "Opening a browser context");
    std::string id(made.at("browserContextId").as_string());
    auto context = std::make_shared<Context>(self, id, std::move(options));
    contexts_[id] = context;
    co_await with_deadline(loop_, context->prepare(), deadline, "Opening a browser context");
    co_await with_deadline(loop_, context->restore_storage(), deadline, "Filling local storage");
    co_return std::shared_ptr<engine::Context>(context);
}

bool Browser::opens_contexts() const {
    constexpr std::chrono::milliseconds kPause{500};
    return Deadline::Clock::now() < last_opening_ + kPause;
}

Task<std::shared_ptr<engine::Context>> Browser::default_context(engine::ContextOptions options,
                                                                Deadline deadline) {
    if (auto it = contexts_.find(""); it != contexts_.end() && !it->second.expired())
        co_await Error{.code = ErrorCode::InternalError, .message = "The profile's context is open already."};
    if (!is_ours()) options = leave_profile_alone(std::move(options));
    auto context = std::make_shared<Context>(shared_from_this(), "", std::move(options));
    contexts_[""] = context;
    co_await with_deadline(loop_, context->prepare(), deadline, "Opening the browser's profile");
    if (!is_ours()) {
        if (first_tab_ != engine::FirstTab::None) co_await reuse_tab(context, deadline);
        co_return std::shared_ptr<engine::Context>(context);
    }
    for (const Waiting& each : std::exchange(waiting_, {}))
        context->take_target(connection_->session(each.session), each.target);
    co_await with_deadline(loop_, context->opened_all(), deadline, "Opening the browser's tabs");
    co_return std::shared_ptr<engine::Context>(context);
}

std::shared_ptr<Page> Browser::page_with(const std::string& frame) {
    for (const auto& [id, weak] : contexts_) {
        auto context = weak.lock();
        if (!context) continue;
        for (const auto& page : context->living_pages()) {
            if (page->has_frame(frame)) return page;
        }
    }
    return nullptr;
}

void Browser::note_opener(const json::object& target) {
    std::string opener = text_of(target, "openerId"), id = text_of(target, "targetId");
    if (!opener.empty()) openers_[id] = opener;
}

std::shared_ptr<Page> Browser::opener_of(const std::string& target) {
    auto opener = openers_.find(target);
    return opener == openers_.end() ? nullptr : page_with(opener->second);
}

// Downloads of a new tab that shows no page yet belong to the page that opened the tab. A tab that opened for
// a download only and never had a document is closed: Chromium does that itself, headless-shell leaves it
// open.
std::optional<Downloads::Owner> Browser::owner_of(const std::string& frame) {
    auto page = page_with(frame);
    if (auto opener = opener_of(frame); opener && (!page || page->url() == "about:blank")) {
        if (!page || page->is_blank()) {
            if (page) page->give_up();
            connection_->browser()->post("Target.closeTarget", {{"targetId", frame}});
        }
        page = opener;
    }
    auto context = page ? page->context() : nullptr;
    if (!context) return std::nullopt;
    return Downloads::Owner{.directory = context->options().download_directory,
                            .copies = context->is_users(),
                            .refuses = !context->is_users() && !context->options().accept_downloads,
                            .context = context->id(),
                            .quota = page->quota(),
                            .changed = [weak = std::weak_ptr<Page>(page)](const engine::Download& download) {
                                if (auto owner = weak.lock()) owner->take_download(download);
                            }};
}

std::set<std::shared_ptr<engine::PageQuota>> Browser::quotas_of(const std::string& id) {
    auto it = contexts_.find(id);
    if (it == contexts_.end()) it = contexts_.find("");
    auto context = it == contexts_.end() ? nullptr : it->second.lock();
    std::set<std::shared_ptr<engine::PageQuota>> quotas;
    if (!context) return quotas;
    for (const auto& page : context->living_pages()) {
        if (page->quota()) quotas.insert(page->quota());
    }
    return quotas;
}

void Browser::forget(const Context& context) {
    // A new context may have taken its place by now.
    auto it = contexts_.find(context.id());
    if (it != contexts_.end() && it->second.expired()) contexts_.erase(it);
}

void Browser::lost() {
    our_tabs_.clear();
    auto contexts = contexts_;
    for (const auto& [id, weak] : contexts) {
        if (auto context = weak.lock()) context->lose();
    }
    for (const auto& callback : std::exchange(on_lost_, {})) callback();
}

bool Browser::is_closing(const Error& refused) const {
    return is_ours() && refused.message.ends_with("): Not supported");
}

Task<> Browser::see_off() {
    constexpr std::chrono::seconds kLimit{3};
    auto self = shared_from_this();
    Completion<bool> gone(loop_);
    // The browser may have a profile to save.
    Subscription watching = connection_->browser()->on_closed([gone] { gone.set(true); });
    if (!is_lost())
        (void)co_await as_result(with_deadline(loop_, until(gone), Deadline::in(kLimit), "Closing"));
    connection_->close();
    co_await Error{.code = ErrorCode::BrowserCrashed,
                   .message = "Target page, context or browser has been closed"};
}

Task<> Browser::close(Deadline deadline) {
    auto self = shared_from_this();
    connection_->on_lost(nullptr);
    if (process_)
        co_await process_->close(deadline);
    else
        (void)co_await as_result(with_deadline(loop_, detach_all(), deadline, "Leaving the browser"));
    connection_->close();
    lost();
}

}  // namespace cdp
