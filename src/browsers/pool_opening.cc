// Contexts of a profile, of an attached browser, and those that sessions share.
#include <algorithm>

#include "browsers/pool_host.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/private_directory.h"
#include "util/strings.h"

namespace browsers {
namespace {

using namespace std::chrono_literals;

constexpr auto kCloseTimeout = 10s;
constexpr std::string_view kThisServer = "another session of this server";
// The key of the browser whose shared context replaces a busy profile.
constexpr const char* kInMemory = "in memory";

// The note for an agent that does not get the expected profile.
std::string no_profile(const std::filesystem::path& profile, const std::string& holder) {
    std::string what = "The browser profile " + profile.string() + " is in use by " + holder +
                       ": this session has a browser context of its own, in memory. ";
    if (holder == kThisServer)
        return what +
               "Start the server with --isolated to give every session its own, or with --isolation shared "
               "to have them share one.";
    return what +
           "To have the profile, end that server first; to work beside it, use --isolated, another "
           "--user-data-dir, or --daemon with --isolation shared.";
}

constexpr std::string_view kReadClipboard = "clipboard-read";

bool reads_clipboard(const engine::ContextOptions& options) {
    return std::ranges::find(options.permissions, kReadClipboard) != options.permissions.end();
}

}  // namespace

std::filesystem::path Pool::profile_for(const std::filesystem::path& workspace) const {
    std::filesystem::path profile = options_.user_data_dir;
    if (profile.empty()) {
        std::filesystem::path base =
            options_.profiles.empty() ? cache_directory() / "profiles" : options_.profiles;
        std::string browser = options_.launch.browser.empty() ? "chromium" : options_.launch.browser;
        profile = base / ("mcp-" + browser + "-" + hex_encode(sha256(workspace.string())).substr(0, 7));
    }
    // One directory must have one name.
    std::error_code failed;
    auto resolved = std::filesystem::weakly_canonical(profile, failed);
    return failed ? profile : resolved;
}

Task<std::shared_ptr<engine::Context>> Pool::open(ContextRequest request) {
    auto self = shared_from_this();
    if (!options_.unsupported.empty())
        co_await Error{.code = ErrorCode::InvalidArgument, .message = options_.unsupported};
    // Reports bad options before a browser is started for them.
    engine::ContextOptions options = co_await options_.context();
    if (request.adjust) request.adjust(options);
    separate_clipboard(request, options);
    // A shared context has no identity; its pages have.
    if (options.network_access && !shares_context()) options.network_access->identity = request.identity;
    Deadline limit = request.deadline.earlier(Deadline::in(options_.admission.queue_timeout));
    begin_stage(request, "a slot for its browser context", limit);
    Slot slot = co_await admission_.enter(request.owner, limit);
    if (is_for_contexts(request))
        co_return co_await open_context(std::move(options), std::move(slot), std::move(request));
    bool isolated = is_isolated(request);
    bool has_own_browser = request.isolation.value_or(options_.isolation) == Isolation::Browser;
    Opening opening{.request = std::move(request), .options = std::move(options), .slot = std::move(slot)};
    if (has_own_browser && !attaches()) co_return co_await open_in_own_browser(std::move(opening));
    std::filesystem::path key;
    if (attaches()) {
        // Each session with tabs in an attached profile has its own connection to it.
        bool alone = !isolated && !shares_context();
        if (alone) key = "line " + std::to_string(++last_line_);
    } else if (!isolated) {
        co_return co_await open_in_profile(std::move(opening));
    }
    co_return co_await open_in(std::move(key), options_.launch, std::move(opening));
}

Task<std::shared_ptr<engine::Context>> Pool::open_in_own_browser(Opening opening) {
    std::filesystem::path key = "browser " + std::to_string(++last_line_);
    begin_stage(opening.request, kTurn, opening.request.deadline);
    co_await opening.slot.wait_to_open(opening.request.deadline);
    co_return co_await open_in(std::move(key), options_.launch, std::move(opening));
}

// All contexts of a browser have one clipboard. A session whose pages may read it gets its own browser; they
// may not read it when our browsers share a clipboard, too, or the browser is attached.
void Pool::separate_clipboard(ContextRequest& request, engine::ContextOptions& options) {
    if (!reads_clipboard(options) || shares_context()) return;
    if (!options_.machine_clipboard && !attaches()) {
        if (is_for_contexts(request)) request.isolation = Isolation::Browser;
        return;
    }
    std::erase(options.permissions, kReadClipboard);
    log_.warn("clipboard-read is not granted: what other sessions copy would be read",
              {{"owner", request.owner}});
}

// A profile belongs to one server and one session, unless all share it. A second session does without it.
Task<std::shared_ptr<engine::Context>> Pool::open_in_profile(Opening opening) {
    std::filesystem::path profile = profile_for(opening.request.workspace);
    if (options_.user_data_dir.empty()) {
        if (options_.profiles.empty()) (void)ensure_private_directory(cache_directory());
        co_await ensure_private_directory(profile.parent_path());
        co_await ensure_private_directory(profile);
    }
    begin_stage(opening.request, "the profile's browser to close", start_limit());
    while (closing_.contains(profile)) (void)co_await as_result(closing_.at(profile)->get());
    auto in_memory = hosts_.find(kInMemory);
    // Sessions that share a context use the existing one.
    if (shares_context() && in_memory != hosts_.end() && in_memory->second->is_usable()) {
        opening.note = no_profile(profile, "another server");
        co_return co_await open_in_memory(std::move(opening));
    }
    auto it = hosts_.find(profile);
    std::string holder;
    if (it != hosts_.end() && it->second->is_usable() && !shares_context()) {
        holder = kThisServer;
    } else {
        engine::LaunchOptions launch = options_.launch;
        launch.user_data_dir = profile;
        // A profile's own context uses the proxy of its browser.
        const auto& network_access = opening.options.network_access;
        if (network_access && network_access->identity && !network_access->proxy_server.empty())
            launch.arguments.push_back("--proxy-server=" + network_access->proxy_server);
        if (!opening.options.proxy_server.empty()) {
            launch.proxy_server = opening.options.proxy_server;
            launch.proxy_bypass = opening.options.proxy_bypass;
        }
        begin_stage(opening.request, kStart, start_limit());
        auto use = std::make_unique<Use>(*this, co_await host_for(profile, std::move(launch)));
        co_await use->host()->ready->get();
        holder = use->host()->profile_holder;
        if (holder.empty()) co_return co_await lend(std::move(use), std::move(opening));
        holder.insert(0, "another server, ");
    }
    opening.note = no_profile(profile, holder);
    co_return co_await open_in_memory(std::move(opening));
}

Task<std::shared_ptr<engine::Context>> Pool::open_in_memory(Opening opening) {
    auto on_profile_in_use = opening.request.profile_in_use;
    std::string note = opening.note;
    std::shared_ptr<engine::Context> context;
    if (shares_context())
        context = co_await open_in(kInMemory, options_.launch, std::move(opening));
    else if (reads_clipboard(opening.options))
        context = co_await open_in_own_browser(std::move(opening));
    else
        context = co_await open_context(std::move(opening.options), std::move(opening.slot),
                                        std::move(opening.request));
    if (on_profile_in_use) on_profile_in_use(std::move(note));
    co_return context;
}

Task<std::shared_ptr<engine::Context>> Pool::open_in(std::filesystem::path key, engine::LaunchOptions launch,
                                                     Opening opening) {
    begin_stage(opening.request, kStart, start_limit());
    auto use = std::make_unique<Use>(*this, co_await host_for(std::move(key), std::move(launch)));
    co_await use->host()->ready->get();
    co_return co_await lend(std::move(use), std::move(opening));
}

// A caller may have to wait for the previous browser to close, for the profile, and for the start.
Deadline Pool::start_limit() const {
    if (!attaches()) return Deadline::in(kCloseTimeout + 2 * options_.launch.timeout);
    auto limit = options_.connect.timeout;
    return limit.count() > 0 ? Deadline::in(kCloseTimeout + 2 * limit) : Deadline::never();
}

void Pool::begin_stage(const ContextRequest& request, const char* what, Deadline limit) {
    if (request.begin_stage) request.begin_stage(what, limit);
}

// The browser with that key, started when there is none. The caller must count as its user at once.
Task<Pool::HostPtr> Pool::host_for(std::filesystem::path key, engine::LaunchOptions options) {
    while (closing_.contains(key)) (void)co_await as_result(closing_.at(key)->get());
    auto it = hosts_.find(key);
    if (it != hosts_.end() && it->second->is_usable()) co_return it->second;
    note(std::string("create browser (") +
         (attaches()                      ? "cdp"
          : options.user_data_dir.empty() ? "isolated"
                                          : "persistent") +
         ")");
    co_return start_host(std::make_shared<Host>(Host{.key = std::move(key)}), std::move(options));
}

Task<std::shared_ptr<engine::Context>> Pool::lend(std::unique_ptr<Use> use, Opening opening) {
    auto self = shared_from_this();
    HostPtr host = use->host();
    ContextRequest& request = opening.request;
    Deadline deadline = Deadline::in(options_.launch.timeout);
    begin_stage(request, kContext, deadline);
    bool isolated = is_isolated(request) || !opening.note.empty();
    std::shared_ptr<SharedContext> shared_context;
    if (shares_context() || !isolated) {
        shared_context = co_await only_context(host, std::move(opening.options), isolated, deadline);
    } else {
        std::shared_ptr<engine::NetworkAccess> network_access = opening.options.network_access;
        auto context = co_await host->browser->new_context(std::move(opening.options), deadline);
        shared_context = SharedContext::create(std::move(context), std::move(network_access));
    }
    opening.slot.opened();
    note("create context");
    use->keep();
    cpu_arbiter_.watch();
    bool has_own_tabs = options_.isolation == Isolation::Shared || options_.own_tabs;
    auto lease = std::make_shared<ContextLease>(self, host, shared_context,
                                                has_own_tabs ? TabVisibility::Own : TabVisibility::All,
                                                std::move(opening.slot));
    if (has_own_tabs) lease->set_identity(std::move(request.identity));
    co_return lease;
}

namespace {

Task<std::shared_ptr<SharedContext>> open_shared_context(std::shared_ptr<engine::Browser> browser,
                                                         engine::ContextOptions options, bool isolated,
                                                         Deadline deadline) {
    std::shared_ptr<engine::NetworkAccess> network_access = options.network_access;
    std::shared_ptr<engine::Context> context;
    if (isolated)
        context = co_await browser->new_context(std::move(options), deadline);
    else
        context = co_await browser->default_context(std::move(options), deadline);
    co_return SharedContext::create(std::move(context), std::move(network_access));
}

}  // namespace

Task<std::shared_ptr<SharedContext>> Pool::only_context(HostPtr host, engine::ContextOptions options,
                                                        bool isolated, Deadline deadline) {
    if (auto shared_context = host->context.lock()) co_return shared_context;
    if (!host->opening) {
        // The browser was closed after its launch.
        if (!host->browser || host->browser->is_lost())
            co_await Error{.code = ErrorCode::BrowserCrashed, .message = "The browser is gone."};
        host->opening = std::make_shared<SharedResult<std::shared_ptr<SharedContext>>>(loop_);
        auto opening = host->opening;
        host->opening_task =
            start(open_shared_context(host->browser, std::move(options), isolated, deadline),
                  [this, weak = std::weak_ptr(host)](Result<std::shared_ptr<SharedContext>> result) {
                      if (auto opened = weak.lock()) only_context_opened(opened, std::move(result));
                  });
        co_return co_await opening->get();
    }
    co_return co_await host->opening->get();
}

void Pool::only_context_opened(const HostPtr& host, Result<std::shared_ptr<SharedContext>> result) {
    auto opening = std::exchange(host->opening, nullptr);
    if (!opening) return;  // the browser was lost meanwhile
    // Closes a browser whose context failed to open: the next caller gets a new one.
    if (result)
        host->context = *result;
    else
        background_.add(close_browser(host, Deadline::in(kCloseTimeout)));
    opening->set(std::move(result));
}

}  // namespace browsers
