// The sessions of this process, by who they belong to.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "session/pool.h"
#include "session/session.h"

namespace session {

// Makes sessions when they are first asked for, and ends them with their connection. Lives on the main loop.
class Browsers {
public:
    Browsers(Loop& loop, PoolOptions options, SessionOptions session_options, Launch launch, Log& log,
             Connect connect);
    ~Browsers();

    // The session of a connection, or of a name where there is no connection; made on first use, in the
    // client's working directory where that is known.
    std::shared_ptr<Session> session(const std::string& key, const std::filesystem::path& directory = {});
    // The connection is gone: its session is too.
    void end_session(const std::string& key);
    std::size_t session_count() const { return sessions_.size(); }

    // Says what `close` is going to do.
    void announce_close();
    // Ends all sessions and browsers.
    Task<> close();

private:
    Loop& loop_;
    SessionOptions session_options_;
    Log& log_;
    std::shared_ptr<Pool> pool_;
    std::map<std::string, std::shared_ptr<Session>> sessions_;
    std::map<std::uint64_t, Running> ending_;
    std::uint64_t last_ending_ = 0;
};

}  // namespace session
