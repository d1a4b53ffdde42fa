// The command line: dispatches to the requested action.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "browsers.h"
#include "cli/command_line.h"
#include "config/help.h"
#include "config/print.h"
#include "config/schema.h"
#include "daemon/options_key.h"
#include "daemon/shim.h"
#include "daemon/start.h"
#include "doctor/checks.h"
#include "doctor/isolation.h"
#include "doctor/report.h"
#include "engine/cdp/temporary_profile.h"
#include "program.h"
#include "record/open.h"

namespace {

int fail(const Error& error) {
    std::cerr << "troupe: " << error.message << "\n";
    if (!error.hint.empty()) std::cerr << "  " << error.hint << "\n";
    return 1;
}

// A thousand clients need a thousand descriptors; shells give 1024 by default but allow more.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

Result<Log> open_log(const config::Loaded& loaded) {
    LogOptions logging = loaded.config.logging;
    logging.channels = environment("DEBUG");
    Log log = TRY(Log::create(logging));
    for (const auto& [name, token] : auth_tokens(loaded.config.server)) log.hide(token);
    for (const std::string& warning : loaded.warnings) log.warn(warning);
    return log;
}

// Serves clients until stopped; a `daemon_socket` makes this the daemon that listens there.
int serve(const config::Loaded& loaded, const std::filesystem::path& directory,
          const std::filesystem::path& daemon_socket = {}) {
    auto log = open_log(loaded);
    if (!log) return fail(log.error());
    Program program(loaded, directory, daemon_socket, *log);
    auto served = program.run();
    return served ? 0 : fail(served.error());
}

// Forwards standard input and output to the daemon for these options.
int attach(const config::Loaded& loaded, const std::filesystem::path& directory, char** argv) {
    auto log = open_log(loaded);
    if (!log) return fail(log.error());
    // The shim reads no configuration, so its own settings go through the environment.
    ::setenv("TROUPE_AGENT_ID", loaded.config.session.agent_id.c_str(), 1);
    auto paths = daemons::find_paths(daemons::options_key(loaded, directory));
    Error error = paths ? daemons::become_shim(*paths, argv) : paths.error();
    log->warn("serving this client alone: " + error.to_string());
    return serve(loaded, directory);
}

// The daemon serves clients of any directory, so it leaves its directory unless it depends on it.
int serve_as_daemon(const config::Loaded& loaded, const std::filesystem::path& directory,
                    const std::filesystem::path& socket) {
    // The daemon holds the lock until it ends; its child processes do not inherit it.
    ::fcntl(daemons::kLockDescriptor, F_SETFD, FD_CLOEXEC);
    if (!daemons::depends_on_directory(loaded.config) && ::chdir("/") != 0) return 1;
    return serve(loaded, directory, socket);
}

int show(const std::vector<doctor::Check>& checks) {
    std::cout << doctor::render(checks, ::isatty(STDOUT_FILENO) ? doctor::Color::Yes : doctor::Color::No)
              << std::flush;
    return doctor::exit_status(checks);
}

int examine_isolation(const config::Loaded& loaded, const std::filesystem::path& directory) {
    auto log = open_log(loaded);
    if (!log) return fail(log.error());
    doctor::IsolationOptions options;
    options.sessions = sessions_options(loaded.config, directory, Clients::One);
    options.launch = [&](Loop& loop, engine::LaunchOptions launch) {
        return launch_browser(loop, std::move(launch), *log);
    };
    // For tests that show that the checks can fail; servers ignore the variable.
    options.broken = !environment("TROUPETEST_BREAK_ISOLATION").empty();
    return show(doctor::examine_isolation(std::move(options), *log));
}

int examine(const config::Config& config, const std::filesystem::path& directory) {
    doctor::DoctorOptions options;
    options.browser = config.browser.channel;
    options.executable = config.browser.executable_path;
    options.headless = config.browser.headless;
    options.sandbox = config.browser.sandbox.value_or(true);
    options.host = config.server.host;
    options.port = config.server.port.value_or(8931);
    if (!config.browser.isolated && config.browser.cdp_endpoint.empty())
        options.profile = config.browser.user_data_dir.empty() ? cache_directory() / "profiles"
                                                               : config.browser.user_data_dir;
    options.directory = directory;
    options.playwright_module = config.playwright_module;
    return show(doctor::examine(options));
}

int show_history(const config::Loaded& loaded) {
    const std::filesystem::path& path = loaded.config.store.path;
    cli::HistoryCommand command{.action = loaded.history.action,
                                .refs = loaded.history.refs,
                                .flags = loaded.history.flags,
                                .as_json = loaded.as_json};
    auto text = cli::run_history(path.empty() ? record::find_databases(state_directory()) : std::vector{path},
                                 command);
    if (!text) return fail(text.error());
    std::cout << *text << std::flush;
    return 0;
}

int verify_audit(const config::Config& config, const std::string& named) {
    auto place = audit_place(config, named);
    if (!place) return fail(place.error());
    auto entries = policy::verify_audit(*place);
    if (!entries) return fail(entries.error());
    std::cout << place->file.string() << ": " << *entries << " entries, each as it was written.\n"
              << std::flush;
    return 0;
}

// An MCP client starts the server with a pipe or a socket pair on standard input, not a terminal.
bool has_client_on_stdin() {
    struct stat status;
    return ::fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

int main(int argc, char** argv) {
    std::string_view part = argc > 1 ? argv[1] : "";
    if (argc == 3 && part == kRemoveProfile) return cdp::remove_when_orphaned(argv[2]);
    if (part == daemons::kShimCommand) return daemons::run_shim({argv, argv + argc}, TROUPE_VERSION);
    std::signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    std::error_code unreadable;
    std::filesystem::path directory = std::filesystem::current_path(unreadable);
    bool as_daemon = argc > 2 && part == daemons::kDaemonCommand, alone = part == daemons::kAloneCommand;
    char** arguments = argv + (as_daemon ? 3 : alone ? 2 : 1);
    auto loaded = config::load({arguments, argv + argc}, config::current_environment(), directory,
                               has_client_on_stdin());
    if (!loaded) return fail(loaded.error());
    switch (loaded->command) {
        case config::Command::Help:
            std::cout << config::help();
            return 0;
        case config::Command::Version:
            std::cout << "Version " << TROUPE_VERSION << "\n";
            return 0;
        case config::Command::ConfigPrint:
            for (const std::string& warning : loaded->warnings) std::cerr << "troupe: " << warning << "\n";
            std::cout << (loaded->as_json ? config::print_json(*loaded) : config::print(*loaded)) << "\n";
            return 0;
        case config::Command::ConfigSchema:
            std::cout << json::pretty(config::schema()) << "\n";
            return 0;
        case config::Command::Doctor:
            return examine(loaded->config, directory);
        case config::Command::History:
            return show_history(*loaded);
        case config::Command::AuditVerify:
            return verify_audit(loaded->config, loaded->file);
        case config::Command::DoctorIsolation:
            return examine_isolation(*loaded, directory);
        case config::Command::Serve:
            if (as_daemon) return serve_as_daemon(*loaded, directory, argv[2]);
            if (loaded->config.server.daemon && !alone) return attach(*loaded, directory, argv);
            return serve(*loaded, directory);
    }
    return 1;
}
