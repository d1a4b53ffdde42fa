#include "upstream/server_process.h"

#include "util/files.h"
#include "util/strings.h"

namespace upstream {
namespace {

constexpr std::size_t kShownWords = 500;

// Such a server logs our sessions and exit as those of its client; we log our own.
bool is_about_us(std::string_view line) {
    return line.find(" http session") != line.npos || line.find("gracefully closing ") != line.npos;
}

// After an error, programs often print a stack trace and their own version.
bool names_an_error(std::string_view line) {
    return line.find("rror") != line.npos && !trim(line).starts_with("at ");
}

// Playwright's browser directory depends on variables that give_profile() changes, and must not change.
std::string browsers_path() {
    std::string path = environment("PLAYWRIGHT_BROWSERS_PATH");
    return path.empty() ? (cache_directory().parent_path() / "ms-playwright").string() : path;
}

}  // namespace

Result<void> ServerProcess::give_profile(transport::ChildOptions& child) {
    if (options_.own_profile == OwnProfile::None || options_.shared) return ok();
    // A killed server leaves its profile to the next one's cleanup: a process for each would cost too much.
    profile_ = TRY(cdp::TemporaryProfile::create({}));
    if (options_.own_profile == OwnProfile::UserDataDir) {
        child.command.insert(child.command.end(), {"--user-data-dir", profile_->path().string()});
        return ok();
    }
    child.environment.insert(child.environment.begin(),
                             {{"XDG_CONFIG_HOME", (profile_->path() / "config").string()},
                              {"XDG_CACHE_HOME", (profile_->path() / "cache").string()},
                              {"PLAYWRIGHT_BROWSERS_PATH", browsers_path()}});
    return ok();
}

Result<std::shared_ptr<ServerProcess>> ServerProcess::start(Loop& loop, const Options& options,
                                                            const StartOptions& own, Ports& ports, Log& log) {
    std::shared_ptr<ServerProcess> self(new ServerProcess(options, log));
    transport::ChildOptions child{.command = options.command,
                                  .reaper = options.reaper,
                                  .environment = options.environment,
                                  .directory = options.directory,
                                  .max_line = options.max_message,
                                  .max_queue = options.max_message};
    child.command.insert(child.command.end(), own.flags.begin(), own.flags.end());
    TRY(self->give_profile(child));
    // A wrapper that drops flags still passes its environment on.
    if (!own.output.empty() && !options.shared)
        child.environment.emplace_back("PLAYWRIGHT_MCP_OUTPUT_DIR", own.output.string());
    if (options.transport == Transport::Http) {
        self->port_ = TRY(ports.take(own.session));
        child.command.insert(child.command.end(), {"--port", std::to_string(*self->port_)});
    }
    std::weak_ptr<ServerProcess> weak = self;
    child.on_stderr = [weak](std::string_view line) {
        if (auto process = weak.lock()) process->take_error_line(line);
    };
    self->child_ = TRY(transport::ChildProcess::create(loop, std::move(child)));
    self->pid_ = self->child_->pid();
    if (!self->port_) return self;
    self->child_->start({
        .on_message =
            [weak](const std::string& line) {
                if (auto process = weak.lock())
                    process->log_.debug("An MCP server prints.", {{"pid", process->pid_}, {"line", line}});
            },
        .on_request_failed = [](std::int64_t, const Error&) {},
        .on_close =
            [weak](Error reason) {
                if (auto process = weak.lock()) process->end(std::move(reason));
            },
    });
    return self;
}

void ServerProcess::take_error_line(std::string_view line) {
    if (trim(line).empty()) return;
    if (names_an_error(line) || !names_an_error(last_words_)) last_words_ = trim(line).substr(0, kShownWords);
    if (ready_ && options_.shows && options_.shows(line) && !is_about_us(line)) return log_.verbatim(line);
    // Logs the server's address only for debugging; users would mistake it for ours.
    if (port_ && !ready_)
        log_.debug("An MCP server says.", {{"pid", pid_}, {"line", line}});
    else
        log_.info("An MCP server says.", {{"pid", pid_}, {"line", line}});
}

void ServerProcess::end(Error reason) {
    ended_ = std::move(reason);
    port_.reset();
    auto self = shared_from_this();
    for (const auto& handler : std::exchange(end_handlers_, {})) handler(*ended_);
}

Task<> ServerProcess::stop(std::shared_ptr<ServerProcess> self) {
    if (self->is_over()) co_return;
    self->stopping_ = true;
    milliseconds timeout = self->options_.timing.terminate;
    static_cast<void>(co_await as_result(self->child_->stop(timeout, timeout)));
    self->port_.reset();
}

}  // namespace upstream
