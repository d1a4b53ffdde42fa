#include "session/browsers.h"

namespace session {

Browsers::Browsers(Loop& loop, PoolOptions options, SessionOptions session_options, Launch launch, Log& log,
                   Connect connect)
    : loop_(loop),
      session_options_(std::move(session_options)),
      log_(log),
      pool_(Pool::create(loop, std::move(options), std::move(launch), log, std::move(connect))) {}

Browsers::~Browsers() = default;

std::shared_ptr<Session> Browsers::session(const std::string& key, const std::filesystem::path& directory) {
    auto& place = sessions_[key];
    if (!place) {
        SessionOptions options = session_options_;
        if (!directory.empty()) options.working_directory = directory;
        place = Session::create(loop_, std::move(options), [pool = pool_](const Workspace& workspace) {
            return pool->open(workspace.root());
        });
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
    Running running =
        start(session->close(), [this, session, number](Result<void>) { ending_.erase(number); });
    if (!running.done()) ending_.emplace(number, std::move(running));
}

void Browsers::announce_close() {
    log_.channel("pw:mcp:test", "gracefully closing " + std::to_string(pool_->browser_count()));
}

Task<> Browsers::close() {
    co_await pool_->close();
    sessions_.clear();
}

}  // namespace session
