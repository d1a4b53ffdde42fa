// Builds every object and hands each what it needs; nothing is global.

#include <csignal>
#include <cstdio>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>

#include "config/help.h"
#include "config/load.h"
#include "config/print.h"
#include "config/schema.h"
#include "doctor/checks.h"
#include "doctor/report.h"
#include "engine/cdp/browser.h"
#include "engine/cdp/connector.h"
#include "engine/cdp/launcher.h"
#include "engine/cdp/temporary_profile.h"
#include "engine/playwright/runner.h"
#include "session/lent_context.h"
#include "settings.h"
#include "tools/catalog.h"
#include "tools/prompt_files.h"
#include "util/files.h"

namespace {

// Never typed by anybody: how a server starts the process that cleans up behind it.
constexpr std::string_view kRemoveProfile = "internal-remove-profile";

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

// What to paste into a client. Never shows the token itself.
void print_client_configs(const config::ServerConfig& server, int port) {
    bool any_address = server.host == "0.0.0.0" || server.host == "::";
    std::string base = "http://" + (any_address ? "localhost" : server.host) + ":" + std::to_string(port);
    std::string url = base + "/mcp";
    std::string flag, code_member, member;
    if (!server.auth_token.empty()) {
        flag = " --header \"Authorization: Bearer $TROUPE_AUTH_TOKEN\"";
        code_member = R"(, "headers": {"Authorization": "Bearer ${env:TROUPE_AUTH_TOKEN}"})";
        member = R"(, "headers": {"Authorization": "Bearer ${TROUPE_AUTH_TOKEN}"})";
    }
    std::cerr << "Listening on " << base << "\n\n"
              << "Claude Code:\n  claude mcp add --transport http troupe " << url << flag << "\n"
              << "VS Code (.vscode/mcp.json):\n  {\"servers\": {\"troupe\": {\"type\": \"http\", \"url\": \""
              << url << "\"" << code_member << "}}}\n"
              << "Other clients:\n  {\"mcpServers\": {\"troupe\": {\"url\": \"" << url << "\"" << member
              << "}}}\n"
              << std::endl;
}

Task<std::shared_ptr<engine::Browser>> launch_browser(Loop& loop, engine::LaunchOptions options, Log& log) {
    options.remover = {"/proc/self/exe", std::string(kRemoveProfile)};
    auto headless = options.headless ? cdp::Headless::Yes : cdp::Headless::No;
    auto process = co_await cdp::launch(loop, std::move(options), log);
    co_return co_await cdp::Browser::create(loop, std::move(process), headless, log);
}

Task<std::shared_ptr<engine::Browser>> connect_browser(Loop& loop, engine::ConnectOptions options, Log& log) {
    auto connected = co_await cdp::connect(loop, options, log);
    co_return co_await cdp::Browser::attach(loop, std::move(connected), std::move(options.tabs_in_use), log);
}

// Null for a context that is not Chromium's.
std::shared_ptr<engine::CodeRunner> code_runner(Loop& loop, const std::shared_ptr<engine::Context>& context,
                                                playwright::HelperOptions options, Log& log) {
    auto lent = std::dynamic_pointer_cast<session::LentContext>(context);
    auto own = std::dynamic_pointer_cast<cdp::Context>(lent ? lent->underlying() : context);
    return own ? playwright::make_runner(loop, own, std::move(options), log) : nullptr;
}

std::vector<std::string> secret_names(const config::Config& config) {
    return session::Secrets(config.secrets).names();
}

// Lets browsers save their profiles and go, not for long.
void close_browsers(Loop& loop, session::Browsers& browsers) {
    loop.restart();
    Running closing = start(browsers.close(), [&](Result<void>) { loop.stop(); });
    if (!closing.done()) loop.run_for(std::chrono::seconds(6));
}

int serve(const config::Loaded& loaded, const std::filesystem::path& directory) {
    LogOptions logging = loaded.config.logging;
    logging.channels = environment("DEBUG");
    auto log = Log::create(logging);
    if (!log) return fail(log.error());
    log->hide(loaded.config.server.auth_token);
    for (const std::string& warning : loaded.warnings) log->warn(warning);

    Loop loop(1);
    Metrics metrics;
    tools::Registry registry;
    cdp::remove_stale_profiles();
    session::SessionOptions sessions = session_options(loaded.config, directory);
    sessions.code_runner = [&](const auto& context, const std::filesystem::path& workspace) {
        return code_runner(loop, context, helper_options(loaded.config, directory, workspace), *log);
    };
    session::Browsers browsers(
        loop, browser_options(loaded.config), std::move(sessions),
        [&](engine::LaunchOptions launch) { return launch_browser(loop, std::move(launch), *log); }, *log,
        [&](engine::ConnectOptions connect) { return connect_browser(loop, std::move(connect), *log); });
    auto key_of = [](const tools::Caller& caller) {
        return caller.connection.empty() ? caller.principal + "/" + caller.path_name : caller.connection;
    };
    tools::register_tools(
        registry, loaded.config.capabilities,
        {.effective_config = [&] { return json::value(config::effective(loaded.values)); },
         .sessions = [&](const tools::Caller& caller) { return browsers.session(key_of(caller)); },
         .run_playwright_code = [](tools::Tab& tab, std::string code,
                                   Deadline deadline) { return tab.run_code(std::move(code), deadline); }});
    for (tools::Prompt& prompt : tools::built_in_prompts([&] { return secret_names(loaded.config); }))
        registry.add(std::move(prompt));
    tools::PromptDirectory own_prompts(loaded.config.prompts_dir, registry, *log);
    Running watching;
    if (!loaded.config.prompts_dir.empty()) {
        own_prompts.refresh();
        watching = start(own_prompts.watch(loop), [](Result<void>) {});
    }
    transport::ServiceOptions options = service_options(loaded.config);
    options.server.on_connection_ended = [&](const tools::Caller& caller) {
        browsers.end_session(key_of(caller));
    };
    options.stopping = [&] { browsers.announce_close(); };
    options.ready = [&](int port) {
        if (loaded.config.logging.format == LogFormat::Json) {
            log->info("listening", {{"version", TROUPE_VERSION},
                                    {"port", port},
                                    {"socket", loaded.config.server.socket.string()}});
        } else if (port != 0) {
            print_client_configs(loaded.config.server, port);
        } else if (!loaded.config.server.socket.empty()) {
            std::cerr << "Listening on " << loaded.config.server.socket.string() << std::endl;
        }
    };
    auto outcome = transport::run_service(loop, registry, std::move(options), *log, metrics);
    close_browsers(loop, browsers);
    return outcome ? 0 : fail(outcome.error());
}

int examine(const config::Config& config) {
    doctor::DoctorOptions options;
    options.browser = config.browser.channel;
    options.executable = config.browser.executable_path;
    options.headless = config.browser.headless;
    options.sandbox = config.browser.sandbox.value_or(true);
    options.host = config.server.host;
    options.port = config.server.port.value_or(8931);
    auto checks = doctor::examine(options);
    std::cout << doctor::render(checks, ::isatty(STDOUT_FILENO) ? doctor::Color::Yes : doctor::Color::No)
              << std::flush;
    return doctor::exit_status(checks);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && argv[1] == kRemoveProfile) return cdp::remove_when_orphaned(argv[2]);
    std::signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    std::error_code unreadable;
    std::filesystem::path directory = std::filesystem::current_path(unreadable);
    auto loaded = config::load({argv + 1, argv + argc}, config::current_environment(), directory);
    if (!loaded) return fail(loaded.error());
    switch (loaded->command) {
        case config::Command::Help:
            std::cout << config::help();
            return 0;
        case config::Command::Version:
            std::cout << "Version " << TROUPE_VERSION << "\n";
            return 0;
        case config::Command::ConfigPrint:
            std::cout << (loaded->as_json ? config::print_json(*loaded) : config::print(*loaded)) << "\n";
            return 0;
        case config::Command::ConfigSchema:
            std::cout << json::pretty(config::schema()) << "\n";
            return 0;
        case config::Command::Doctor:
            return examine(loaded->config);
        case config::Command::Serve:
            return serve(*loaded, directory);
    }
    return 1;
}
