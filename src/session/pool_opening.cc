// Contexts of a profile, of somebody else's browser, and those that sessions share.
#include <algorithm>

#include "session/pool_host.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr auto kCloseTimeout = 10s;
constexpr std::string_view kThisServer = "another session of this server";
// The key of the browser whose context sessions share that would share the profile.
constexpr const char* kInMemory = "in memory";

// What an agent is told that has no part in the profile which it might expect.
std::string no_profile(const std::filesystem::path& profile, const std::string& holder) {
    std::string what = "The browser profile " + profile.string() + " is in use by " + holder +
                       ": this session has a browser context of its own, in memory. ";
    if (holder == kThisServer)
        return what +
               "Start the server with --isolated to give every session its own, or with --isolation shared "
               "to have "
               "them share one.";
    return what +
           "To have the profile, end that server first; to work beside it, use --isolated, another "
           "--user-data-dir, or --daemon with --isolation shared.";
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
    // One directory has one name.
    std::error_code failed;
    auto resolved = std::filesystem::weakly_canonical(profile, failed);
    return failed ? profile : resolved;
}

Task<std::shared_ptr<engine::Context>> Pool::open(ContextRequest request) {
    auto self = shared_from_this();
    if (!options_.unsupported.empty())
        co_await Error{.code = ErrorCode::InvalidArgument, .message = options_.unsupported};
    // What is wrong with the options is said before a browser is started for them.
    engine::ContextOptions options = co_await options_.context();
    if (request.adjust) request.adjust(options);
    // A context of several sessions is none's; its pages are.
    if (options.way && !shares_context()) options.way->holder = request.holder;
    Deadline limit = request.deadline.earlier(Deadline::in(options_.admission.patience));
    begin_stage(request, "a place for its browser context", limit);
    Place place = co_await admission_.enter(request.owner, limit);
    if (is_for_contexts(request))
        co_return co_await open_context(std::move(options), std::move(place), std::move(request));
    bool isolated = is_isolated(request);
    bool has_own_browser = request.isolation.value_or(options_.isolation) == Isolation::Browser;
    Opening opening{.request = std::move(request), .options = std::move(options), .place = std::move(place)};
    std::filesystem::path key;
    if (attaches()) {
        // Each session that has tabs in somebody else's profile has a line of its own to it.
        bool alone = !isolated && !shares_context();
        if (alone) key = "line " + std::to_string(++last_line_);
    } else if (has_own_browser) {
        key = "browser " + std::to_string(++last_line_);
        begin_stage(opening.request, kTurn, opening.request.deadline);
        co_await opening.place.wait_to_open(opening.request.deadline);
    } else if (!isolated) {
        co_return co_await open_in_profile(std::move(opening));
    }
    co_return co_await open_in(std::move(key), options_.launch, std::move(opening));
}

// The profile is one session's, unless all share it, and one server's. Whoever comes second does without it.
Task<std::shared_ptr<engine::Context>> Pool::open_in_profile(Opening opening) {
    std::filesystem::path profile = profile_for(opening.request.workspace);
    begin_stage(opening.request, "the profile's browser to close", start_limit());
    while (closing_.contains(profile)) (void)co_await as_result(closing_.at(profile)->get());
    auto in_memory = hosts_.find(kInMemory);
    // Those that share a context share the one that is there.
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
        // A profile's own context goes where its browser does.
        const auto& way = opening.options.way;
        if (way && way->holder && !way->proxy_server.empty())
            launch.arguments.push_back("--proxy-server=" + way->proxy_server);
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
    auto told = opening.request.profile_in_use;
    std::string note = opening.note;
    std::shared_ptr<engine::Context> context;
    if (shares_context())
        context = co_await open_in(kInMemory, options_.launch, std::move(opening));
    else
        context = co_await open_context(std::move(opening.options), std::move(opening.place),
                                        std::move(opening.request));
    if (told) told(std::move(note));
    co_return context;
}

Task<std::shared_ptr<engine::Context>> Pool::open_in(std::filesystem::path key, engine::LaunchOptions launch,
                                                     Opening opening) {
    begin_stage(opening.request, kStart, start_limit());
    auto use = std::make_unique<Use>(*this, co_await host_for(std::move(key), std::move(launch)));
    co_await use->host()->ready->get();
    co_return co_await lend(std::move(use), std::move(opening));
}

// What waits for a browser may have to wait for the one before it to close, for its profile, and for its
// start.
Deadline Pool::start_limit() const {
    if (!attaches()) return Deadline::in(kCloseTimeout + 2 * options_.launch.timeout);
    auto limit = options_.connect.timeout;
    return limit.count() > 0 ? Deadline::in(kCloseTimeout + 2 * limit) : Deadline::never();
}

void Pool::begin_stage(const ContextRequest& request, const char* what, Deadline limit) {
    if (request.begin_stage) request.begin_stage(what, limit);
}

// The browser of that name, started when there is none. Whoever asks is to be counted as its user at once.
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
    std::shared_ptr<ContextHub> hub;
    if (shares_context() || !isolated) {
        hub = co_await only_context(host, std::move(opening.options), isolated, deadline);
    } else {
        std::shared_ptr<engine::Way> way = opening.options.way;
        auto context = co_await host->browser->new_context(std::move(opening.options), deadline);
        hub = ContextHub::create(std::move(context), std::move(way));
    }
    opening.place.opened();
    note("create context");
    use->keep();
    courtesy_.watch();
    bool has_own_tabs = options_.isolation == Isolation::Shared;
    auto lent = std::make_shared<LentContext>(self, host, hub, has_own_tabs ? Sight::Own : Sight::All,
                                              std::move(opening.place));
    if (has_own_tabs) lent->set_holder(std::move(request.holder));
    co_return lent;
}

namespace {

Task<std::shared_ptr<ContextHub>> open_hub(std::shared_ptr<engine::Browser> browser,
                                           engine::ContextOptions options, bool isolated, Deadline deadline) {
    std::shared_ptr<engine::Way> way = options.way;
    std::shared_ptr<engine::Context> context;
    if (isolated)
        context = co_await browser->new_context(std::move(options), deadline);
    else
        context = co_await browser->default_context(std::move(options), deadline);
    co_return ContextHub::create(std::move(context), std::move(way));
}

}  // namespace

Task<std::shared_ptr<ContextHub>> Pool::only_context(HostPtr host, engine::ContextOptions options,
                                                     bool isolated, Deadline deadline) {
    if (auto hub = host->context.lock()) co_return hub;
    if (!host->opening) {
        // Closed since its launch was waited for.
        if (!host->browser || host->browser->is_lost())
            co_await Error{.code = ErrorCode::BrowserCrashed, .message = "The browser is gone."};
        host->opening = std::make_shared<SharedResult<std::shared_ptr<ContextHub>>>(loop_);
        auto opening = host->opening;
        host->opening_task =
            start(open_hub(host->browser, std::move(options), isolated, deadline),
                  [this, weak = std::weak_ptr(host)](Result<std::shared_ptr<ContextHub>> result) {
                      if (auto opened = weak.lock()) only_context_opened(opened, std::move(result));
                  });
        co_return co_await opening->get();
    }
    co_return co_await host->opening->get();
}

void Pool::only_context_opened(const HostPtr& host, Result<std::shared_ptr<ContextHub>> result) {
    auto opening = std::exchange(host->opening, nullptr);
    if (!opening) return;  // the browser was lost under it
    // A browser whose context is half open is nobody's: the next who asks gets a new one.
    if (result)
        host->context = *result;
    else
        in_background(close_browser(host, Deadline::in(kCloseTimeout)));
    opening->set(std::move(result));
}

}  // namespace session
