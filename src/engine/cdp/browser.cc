#include "engine/cdp/browser.h"

#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

// Not even what is on this machine goes around the proxy.
constexpr std::string_view kNoBypass = "<-loopback>";

// A shared worker hears us only once its script has come: whoever leaves before that leaves it paused.
Task<> run_and_detach(std::shared_ptr<Connection> connection, std::string id) {
    std::shared_ptr<Session> session = connection->session(id);
    (void)co_await as_result(session->send("Runtime.runIfWaitingForDebugger"));
    connection->browser()->post("Target.detachFromTarget", {{"sessionId", id}});
}

}  // namespace

Browser::Browser(Loop& loop, std::shared_ptr<Connection> connection, Log& log)
    : loop_(loop), log_(log), connection_(std::move(connection)) {
    downloads_.emplace(connection_->browser(), [this](const std::string& frame) { return owner_of(frame); });
}

Browser::~Browser() { connection_->on_lost(nullptr); }

void Browser::listen() {
    std::weak_ptr<Browser> weak = shared_from_this();
    auto root = connection_->browser();
    subscriptions_.push_back(root->on("Target.attachedToTarget", [weak](const json::object& params) {
        if (auto self = weak.lock()) self->attached(params);
    }));
    connection_->on_lost([weak](const std::string& reason) {
        auto self = weak.lock();
        if (!self) return;
        self->log_.warn("the browser is gone", {{"reason", reason}});
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
    Pending attach = root->begin("Target.setAutoAttach",
                                 {{"autoAttach", true}, {"waitForDebuggerOnStart", true}, {"flatten", true}});
    json::value answer = co_await (co_await version);
    co_await (co_await attach);
    browser->version_ = std::string(json::find_string(answer.as_object(), "product").value_or(""));
    co_return browser;
}

void Browser::attached(const json::object& params) {
    const json::object* target = json::find_object(params, "targetInfo");
    std::string session(json::find_string(params, "sessionId").value_or(""));
    if (!target || session.empty()) return;
    auto type = json::find_string(*target, "type");
    if (type == "browser") return;  // a second line to the browser itself, which somebody asked for
    if (type != "page") return let_go(session);
    std::string context(json::find_string(*target, "browserContextId").value_or(""));
    auto it = contexts_.find(context);
    if (it == contexts_.end()) it = contexts_.find("");
    auto owner = it == contexts_.end() ? nullptr : it->second.lock();
    if (!is_ours()) {
        auto tab = our_tabs_.find(text_of(*target, "targetId"));
        // Its context went, or it took too long.
        if (!owner || tab == our_tabs_.end()) return let_go(session);
        tab->second = session;
    }
    if (owner) {
        owner->take_target(connection_->session(session), *target);
    } else {
        waiting_.push_back({session, *target});
    }
}

// Workers and other targets are none of ours: they run on, unwatched.
void Browser::let_go(const std::string& id) {
    std::erase_if(letting_go_, [](const Running& each) { return each.done(); });
    letting_go_.push_back(start(run_and_detach(connection_, id)));
}

Task<std::shared_ptr<engine::Context>> Browser::new_context(engine::ContextOptions options,
                                                            Deadline deadline) {
    json::object params{{"disposeOnDetach", true}};
    if (options.way && !options.way->proxy_server.empty()) {
        params["proxyServer"] = options.way->proxy_server;
        params["proxyBypassList"] = kNoBypass;
    } else if (!options.proxy_server.empty()) {
        params["proxyServer"] = options.proxy_server;
        if (!options.proxy_bypass.empty()) params["proxyBypassList"] = options.proxy_bypass;
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
    if (!is_ours()) options = leave_profile_alone(std::move(options));
    auto context = std::make_shared<Context>(shared_from_this(), "", std::move(options));
    contexts_[""] = context;
    co_await with_deadline(loop_, context->prepare(), deadline, "Opening the browser's profile");
    if (!is_ours()) {
        co_await reuse_tab(context, deadline);
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
        for (const auto& each : context->pages()) {
            auto page = std::static_pointer_cast<Page>(each);
            if (page->has_frame(frame)) return page;
        }
    }
    return nullptr;
}

std::optional<Downloads::Owner> Browser::owner_of(const std::string& frame) {
    auto page = page_with(frame);
    auto context = page ? page->context() : nullptr;
    if (!context) return std::nullopt;
    return Downloads::Owner{.directory = context->options().download_directory,
                            .changed = [weak = std::weak_ptr<Page>(page)](const engine::Download& download) {
                                if (auto owner = weak.lock()) owner->take_download(download);
                            }};
}

void Browser::forget(const std::string& context) { contexts_.erase(context); }

void Browser::lost() {
    auto contexts = contexts_;
    for (const auto& [id, weak] : contexts) {
        if (auto context = weak.lock()) context->lose();
    }
    for (const auto& callback : std::exchange(on_lost_, {})) callback();
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
