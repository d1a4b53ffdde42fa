#include "session/browsers.h"

#include <signal.h>
#include <unistd.h>

#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace session {
namespace {

using namespace std::chrono_literals;

// Chromium's own lock: a link that names the process which has the profile open. Nothing when nobody has.
std::optional<std::string> holder_of(const std::filesystem::path& profile) {
    std::error_code failed;
    std::string link = std::filesystem::read_symlink(profile / "SingletonLock", failed).string();
    std::size_t dash = link.rfind('-');
    if (failed || dash == std::string::npos) return std::nullopt;
    int pid = std::atoi(link.c_str() + dash + 1);
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) return std::nullopt;
    return std::to_string(pid);
}

Error in_use(const std::filesystem::path& profile) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Browser is already in use for " + profile.string() +
                            ", use --isolated to run multiple instances of the same browser"};
}

}  // namespace

Browsers::Browsers(Loop& loop, BrowserOptions options, SessionOptions session_options, Launch launch)
    : loop_(loop), options_(std::move(options)), session_options_(std::move(session_options)), launch_(std::move(launch)) {}

Browsers::~Browsers() = default;

std::shared_ptr<Session> Browsers::session(const std::string& key) {
    auto& place = sessions_[key];
    if (!place) {
        place = Session::create(loop_, session_options_, [this](const Workspace& workspace) { return open(workspace.root()); });
    }
    return place;
}

void Browsers::end_session(const std::string& key) {
    auto it = sessions_.find(key);
    if (it == sessions_.end()) return;
    auto session = std::move(it->second);
    sessions_.erase(it);
    std::uint64_t number = ++last_ending_;
    // Its context goes with it; the session is kept until that is done.
    Running running = start(session->close(), [this, session, number](Result<void>) { ending_.erase(number); });
    if (!running.done()) ending_.emplace(number, std::move(running));
}

std::filesystem::path Browsers::profile_for(const std::filesystem::path& workspace) const {
    if (!options_.user_data_dir.empty()) return options_.user_data_dir;
    std::filesystem::path base = options_.profiles.empty() ? cache_directory() / "profiles" : options_.profiles;
    std::string browser = options_.launch.browser.empty() ? "chromium" : options_.launch.browser;
    return base / ("mcp-" + browser + "-" + hex_encode(sha256(workspace.string())).substr(0, 7));
}

Task<std::shared_ptr<engine::Browser>> Browsers::browser(engine::LaunchOptions options) {
    std::filesystem::path key = options.user_data_dir;
    if (auto it = browsers_.find(key); it != browsers_.end() && !it->second->is_lost()) co_return it->second;
    auto browser = co_await launch_(std::move(options));
    browsers_[key] = browser;
    co_return browser;
}

Task<std::shared_ptr<engine::Context>> Browsers::open(std::filesystem::path workspace) {
    if (!options_.unsupported.empty()) co_return Error{.code = ErrorCode::InvalidArgument, .message = options_.unsupported};
    if (auto shared = shared_.lock(); shared && options_.shared_context && !shared->is_lost()) co_return shared;
    engine::ContextOptions context_options = co_await options_.context();
    engine::LaunchOptions launch = options_.launch;
    Deadline deadline = Deadline::in(launch.timeout);
    std::shared_ptr<engine::Context> context;
    if (options_.isolated) {
        auto running = co_await browser(std::move(launch));
        context = co_await running->new_context(std::move(context_options), deadline);
    } else {
        launch.user_data_dir = profile_for(workspace);
        if (auto holder = profiles_in_use_[launch.user_data_dir].lock(); holder && !holder->is_lost()) co_return in_use(launch.user_data_dir);
        if (holder_of(launch.user_data_dir)) co_return in_use(launch.user_data_dir);
        std::filesystem::path profile = launch.user_data_dir;
        std::error_code failed;
        std::filesystem::create_directories(profile, failed);
        auto running = co_await browser(std::move(launch));
        context = co_await running->default_context(std::move(context_options), deadline);
        profiles_in_use_[profile] = context;
        // The profile's browser goes with its context.
        browsers_.erase(profile);
    }
    if (options_.shared_context) shared_ = context;
    co_return context;
}

Task<> Browsers::close() {
    for (auto& [key, session] : std::exchange(sessions_, {})) (void)co_await as_result(session->close());
    for (auto& [key, browser] : std::exchange(browsers_, {})) (void)co_await as_result(browser->close(Deadline::in(5s)));
}

}  // namespace session
