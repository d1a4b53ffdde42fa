// Builds every object and hands each what it needs; nothing is global.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>

#include "config/help.h"
#include "config/load.h"
#include "config/print.h"
#include "config/schema.h"
#include "daemon/options_key.h"
#include "daemon/shim.h"
#include "daemon/start.h"
#include "doctor/checks.h"
#include "doctor/isolation.h"
#include "doctor/report.h"
#include "engine/cdp/browser.h"
#include "engine/cdp/connector.h"
#include "engine/cdp/launcher.h"
#include "engine/cdp/temporary_profile.h"
#include "engine/playwright/runner.h"
#include "policy/audit_log.h"
#include "record/api.h"
#include "record/command_line.h"
#include "record/open.h"
#include "record/recorder.h"
#include "session/lent_context.h"
#include "session/store_vault.h"
#include "settings.h"
#include "tools/catalog.h"
#include "tools/prompt_files.h"
#include "tools/resource_news.h"
#include "upstream/engine.h"
#include "upstream/keeper.h"
#include "upstream/memory_file.h"
#include "util/files.h"

namespace {

// Never typed by anybody: how a server starts the process that cleans up behind it.
constexpr std::string_view kRemoveProfile = "internal-remove-profile";

// A last call, SIGTERM and SIGKILL, and a little.
constexpr std::chrono::seconds kUpstreamGoodbye{10};

constexpr std::chrono::seconds kFirstTab{60};

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

std::filesystem::path audit_file(const config::Config& config) {
    const std::filesystem::path& given = config.security.audit_log;
    return given.empty() ? state_directory() / "audit.log" : given;
}

// Sessions belong to whoever was authenticated, and else to the connection. Without either, a name is all
// there is.
std::string owner_of(const tools::Caller& caller) {
    if (!caller.principal.empty()) return "principal " + caller.principal;
    return caller.connection.empty() ? "" : "connection " + caller.connection;
}

// A connection's own session is nobody else's, whoever was authenticated on it.
session::SessionKey key_of(const tools::Caller& caller) {
    const std::string& name = caller.session_name.empty() ? caller.path_name : caller.session_name;
    if (name.empty() && !caller.connection.empty()) return {"connection " + caller.connection, ""};
    return {owner_of(caller), name};
}

// Who a caller is in the record. Where only this user can connect, all calls are the user's; one client on
// standard input goes on where the one before it was.
tools::RecordIdentity identity_of(const config::ServerConfig& server, const tools::Caller& caller,
                                  const session::SessionKey& key) {
    bool alone = !server.port && server.socket.empty() && !server.daemon;
    tools::RecordIdentity identity = tools::record_identity(
        server.port ? owner_of(caller) : "local", alone && !key.name.empty() ? "" : key.owner, key.name);
    if (alone) identity.reader = identity.owner + " " + key.name;
    return identity;
}

// Failing is no matter here: the first call tries again and says why.
Task<> assign_tab(std::shared_ptr<session::Session> session) {
    session::Turn turn = co_await session->take_turn(Deadline::in(kFirstTab));
    (void)co_await as_result(session->assign_tab());
}

// Lets browsers save their profiles and go, not for long.
void close_browsers(Loop& loop, session::Sessions& sessions) {
    loop.restart();
    Running closing = start(sessions.close_all(), [&](Result<void>) { loop.stop(); });
    if (!closing.done()) loop.run_for(std::chrono::seconds(6));
}

// Learns the tools of the MCP server behind us before anybody can ask for them.
Result<void> read_tools(Loop& loop, upstream::Engine& engine) {
    Result<void> read = Error{.code = ErrorCode::Cancelled, .message = "Interrupted."};
    Running reading = start(engine.read_tools(), [&](Result<void> outcome) {
        read = std::move(outcome);
        loop.stop();
    });
    if (!reading.done()) loop.run();
    loop.restart();
    return read;
}

Error not_native(const session::SessionKey& key) {
    return {
        .code = ErrorCode::InvalidArgument,
        .message = "The engine of session \"" + key.name + "\" is upstream: this tool is not of its server.",
        .hint = "Call it in a session made by create_session with engine native."};
}

Result<Log> open_log(const config::Loaded& loaded) {
    LogOptions logging = loaded.config.logging;
    logging.channels = environment("DEBUG");
    Log log = TRY(Log::create(logging));
    for (const auto& [name, token] : auth_tokens(loaded.config.server)) log.hide(token);
    for (const std::string& warning : loaded.warnings) log.warn(warning);
    return log;
}

// Serves clients until told to end; a `daemon_socket` makes this the daemon that listens there.
int serve(config::Loaded loaded, const std::filesystem::path& directory,
          const std::filesystem::path& daemon_socket = {}) {
    auto log = open_log(loaded);
    if (!log) return fail(log.error());
    if (auto added = add_secrets(loaded.config); !added) return fail(added.error());
    session::Secrets secrets(loaded.config.secrets);
    for (std::string& text : secrets.texts()) log->hide(std::move(text));

    Loop loop(1);
    Metrics metrics;
    tools::Registry registry;
    cdp::remove_stale_profiles();
    std::unique_ptr<store::Store> store;
    if (loaded.config.store.enabled) {
        auto path = loaded.config.store.path.empty() ? record::Path::Usual : record::Path::Given;
        auto opened = record::open(loop, store_options(loaded.config), path, *log);
        if (!opened) return fail(opened.error());
        store = std::move(*opened);
    }
    if (store) record::add_metrics(metrics, *store);
    auto identify = [&](const tools::Caller& caller) {
        return identity_of(loaded.config.server, caller, key_of(caller));
    };
    record::RecorderOptions recording = recorder_options(loaded.config, directory, store.get());
    recording.identify = identify;
    record::Recorder recorder(std::move(recording));
    tools::HistoryCatalog history{
        .store = store.get(), .identify = identify, .offered = store && refers_to_record(loaded.config)};
    const config::ServerConfig& server = loaded.config.server;
    bool listens = server.port || !server.socket.empty() || !daemon_socket.empty();
    session::SessionsOptions settings =
        sessions_options(loaded.config, directory, listens ? Clients::Many : Clients::One);
    policy::AuditLog audit(audit_file(loaded.config),
                           [&](const std::string& trouble) { log->warn(trouble); });
    Counter& denials = metrics.counter("troupe_policy_denied_total", "What was refused by a rule.");
    Told denied = [&](policy::Denial denial) {
        denials.add();
        denial.what = secrets.redact(std::move(denial.what));
        log->info("denied", {{"what", denial.what}, {"rule", denial.rule}, {"session", denial.who.session}});
        audit.denied(denial);
    };
    policy::Guard guard(policy::Policy(policy_rules(loaded.config)), denied);
    policy::NetworkGate gate(loop, guard.policy(),
                             [&](const policy::Denial& denial) { guard.denied(denial); });
    if (auto enforced = enforce(guard, gate, denied, settings); !enforced) return fail(enforced.error());
    tools::CallGateOptions gating = call_gate_options(loaded.config);
    gating.denied = denied;
    gating.confirmed = [&](const policy::Denial& asked) { audit.confirmed(asked); };
    tools::CallGate call_gate(loop, std::move(gating));
    settings.session.code_runner = [&](const auto& context, const std::filesystem::path& workspace) {
        return code_runner(loop, context, helper_options(loaded.config, directory, workspace), *log);
    };
    tools::ResourceNews news(loop, registry, {.owner_of = owner_of, .key_of = key_of});
    settings.changed = [&](const session::SessionKey& key, store::SessionState state) {
        recorder.session_changed(identity_of(loaded.config.server, {}, key), state);
        news.session_changed(key);
    };
    settings.tab_event = [&](const session::SessionKey& key, const std::string& tab,
                             session::TabEvent event) { news.tab_changed(key, tab, event); };
    if (store) settings.vault = std::make_shared<session::StoreVault>(*store);
    bool lasting = settings.vault && settings.vault->is_lasting(), resumable = settings.resumable;
    session::Sessions sessions(
        loop, std::move(settings),
        [&](engine::LaunchOptions launch) { return launch_browser(loop, std::move(launch), *log); }, *log,
        [&](engine::ConnectOptions connect) { return connect_browser(loop, std::move(connect), *log); });
    auto session_of = [](const tools::Call& call) { return key_of(call.client.caller()); };
    bool proxies = loaded.config.browser.engine == config::Engine::Upstream;
    tools::Registry native;  // what the engine native answers with, where sessions choose
    std::optional<upstream::Keeper> keeper;
    Descriptor settings_behind;  // with secrets in it, so it is never on disk
    std::unique_ptr<upstream::Engine> behind;
    if (loaded.config.upstream.offered) {
        auto made = upstream::Keeper::create();
        if (!made) return fail(made.error());
        keeper = std::move(*made);
        auto file = upstream::memory_file("settings", upstream_settings(loaded.values));
        if (!file) return fail(file.error());
        settings_behind = std::move(*file);
        auto upstream = upstream_options(
            loaded, directory,
            "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(settings_behind.get()));
        if (!upstream) return fail(upstream.error());
        upstream->keeper = keeper->command();
        upstream->native = {
            .tools = &native,
            .has_session = [&](const session::SessionKey& key) { return sessions.find(key) != nullptr; },
            .is_default = !proxies};
        upstream->ended = [&](const session::SessionKey& key) {
            recorder.session_changed(identity_of(loaded.config.server, {}, key), store::SessionState::Closed);
        };
        behind = std::make_unique<upstream::Engine>(loop, std::move(*upstream), registry, session_of, *log);
    }
    tools::SessionCatalog named_sessions{.sessions = &sessions,
                                         .owner_of = owner_of,
                                         .key_of = key_of,
                                         .upstream = behind.get(),
                                         .upstream_by_default = proxies};
    tools::CatalogContext catalog{
        .effective_config = [&] { return json::value(config::effective(loaded.values)); },
        .sessions = [&](const tools::Caller& caller) -> Result<std::shared_ptr<session::Session>> {
            session::SessionKey key = key_of(caller);
            if (behind && behind->owns(key)) return not_native(key);
            return sessions.session(key, {.principal = caller.principal}, caller.directory);
        },
        .run_playwright_code = [](tools::Tab& tab, std::string code,
                                  Deadline deadline) { return tab.run_code(std::move(code), deadline); },
        .named_sessions = named_sessions,
        .session_param = session_param(loaded.config),
        .history = history,
        .permit = [&](const std::string& tool,
                      const tools::Caller& caller) { return call_gate.permit(tool, caller); }};
    if (behind) tools::register_tools(native, loaded.config.capabilities, catalog);
    if (proxies) {
        // Ours, whatever the engine.
        for (const auto& tool : native.tools())
            if (tool->capability == "sessions" || tool->capability == "history") registry.add(*tool);
        if (auto read = read_tools(loop, *behind); !read) return fail(read.error());
        // Whoever knows other names from elsewhere is told, as a native server would.
        for (const tools::Tool& tool : tools::all_tools(catalog))
            if (!registry.find_tool(tool.name)) registry.add_hidden(*native.find_tool(tool.name));
    } else {
        sessions.start_browsers();
        tools::register_tools(registry, loaded.config.capabilities, catalog);
    }
    for (tools::Prompt& prompt : tools::built_in_prompts([&] { return secrets.names(); }))
        registry.add(std::move(prompt));
    tools::PromptDirectory own_prompts(loaded.config.prompts_dir, registry, *log);
    Running watching;
    if (!loaded.config.prompts_dir.empty()) {
        own_prompts.refresh();
        watching = start(own_prompts.watch(loop), [](Result<void>) {});
    }
    transport::ServiceOptions options = service_options(loaded.config);
    options.server.keeper = &recorder;
    options.server.gate = &call_gate;
    if (store || behind) {
        options.endpoints.health = [&] {
            json::object health;
            if (store) health["store"] = record::describe(store->health()).at("status");
            if (behind) health["upstream"] = behind->degraded_count() == 0 ? "ok" : "degraded";
            return health;
        };
    }
    std::map<std::string, Running> assigning;
    if (loaded.config.session.auto_assign_tab && !proxies) {
        options.server.on_connection_began = [&](const tools::Caller& caller) {
            auto session =
                sessions.session(key_of(caller), {.principal = caller.principal}, caller.directory);
            if (session) assigning[caller.connection] = start(assign_tab(*session));
        };
    }
    bool ending = false;
    options.server.on_connection_ended = [&](const tools::Caller& caller, bool lost) {
        assigning.erase(caller.connection);
        if ((proxies || !resumable) && key_of(caller).owner == "connection " + caller.connection)
            recorder.session_changed(identify(caller), store::SessionState::Closed);
        // At the end, close_all keeps those that can be resumed by another run.
        if (ending && lasting) return;
        // What belongs to whoever was authenticated stays.
        using Leave = session::Sessions::Leave;
        sessions.end_owner("connection " + caller.connection, lost ? Leave::Lost : Leave::Goodbye);
        if (behind) behind->close_owner("connection " + caller.connection);
    };
    record::Api api({.version = TROUPE_VERSION,
                     .history = history,
                     .sessions = named_sessions,
                     .closed_for =
                         [&](const tools::Caller& caller) {
                             return behind ? behind->closed_for(key_of(caller)) : std::chrono::seconds(0);
                         }},
                    recorder);
    options.endpoints.api = [&](mcp::Server& server, const auto& exchange, tools::Caller caller) {
        api.handle(server, exchange, std::move(caller));
    };
    Running closing;
    bool only_closing = false;
    options.stopping = [&] {
        api.close();
        ending = true;
        sessions.announce_close();
        if (!behind) return;
        closing = start(behind->close(), [&](Result<void>) {
            if (only_closing) loop.stop();
        });
    };
    if (!daemon_socket.empty()) make_daemon(options, loaded.config, daemon_socket, [&] { loop.stop(); });
    options.ready = [&](int port) {
        if (port != 0) {
            guard.protect(port);
            gate.protect(port);
        }
        if (loaded.config.logging.format == LogFormat::Json || !daemon_socket.empty()) {
            const auto& socket = daemon_socket.empty() ? loaded.config.server.socket : daemon_socket;
            log->info("listening",
                      {{"version", TROUPE_VERSION}, {"port", port}, {"socket", socket.string()}});
        } else if (port != 0) {
            print_client_configs(loaded.config.server, port);
        } else if (!loaded.config.server.socket.empty()) {
            std::cerr << "Listening on " << loaded.config.server.socket.string() << std::endl;
        }
    };
    auto outcome = transport::run_service(loop, registry, std::move(options), *log, metrics);
    close_browsers(loop, sessions);
    only_closing = true;
    loop.restart();
    if (!closing.done()) loop.run_for(kUpstreamGoodbye);
    return outcome ? 0 : fail(outcome.error());
}

// Hands standard input and output on to the daemon for these options.
int attach(const config::Loaded& loaded, const std::filesystem::path& directory, char** argv) {
    auto log = open_log(loaded);
    if (!log) return fail(log.error());
    // The shim reads no configuration: what is its own goes with it.
    ::setenv("TROUPE_AGENT_ID", loaded.config.session.agent_id.c_str(), 1);
    auto place = daemons::find_place(daemons::options_key(loaded, directory));
    Error error = place ? daemons::become_shim(*place, argv) : place.error();
    log->warn("serving this client alone: " + error.to_string());
    return serve(loaded, directory);
}

// Runs behind clients of any directory, so it stays in none that it does not need.
int serve_as_daemon(const config::Loaded& loaded, const std::filesystem::path& directory,
                    const std::filesystem::path& socket) {
    // Held until we end, and by nobody that we start.
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
    // Shows that the checks can fail; servers know nothing of it.
    options.broken = !environment("TROUPETEST_BREAK_ISOLATION").empty();
    return show(doctor::examine_isolation(std::move(options), *log));
}

int examine(const config::Config& config) {
    doctor::DoctorOptions options;
    options.browser = config.browser.channel;
    options.executable = config.browser.executable_path;
    options.headless = config.browser.headless;
    options.sandbox = config.browser.sandbox.value_or(true);
    options.host = config.server.host;
    options.port = config.server.port.value_or(8931);
    return show(doctor::examine(options));
}

int show_history(const config::Loaded& loaded) {
    const std::filesystem::path& path = loaded.config.store.path;
    record::HistoryCommand command{.action = loaded.history.action,
                                   .refs = loaded.history.refs,
                                   .flags = loaded.history.flags,
                                   .as_json = loaded.as_json};
    auto text = record::run_history(
        path.empty() ? record::find_databases(state_directory()) : std::vector{path}, command);
    if (!text) return fail(text.error());
    std::cout << *text << std::flush;
    return 0;
}

int verify_audit(const config::Config& config, const std::string& named) {
    std::filesystem::path file = named.empty() ? audit_file(config) : std::filesystem::path(named);
    auto entries = policy::verify_audit(file);
    if (!entries) return fail(entries.error());
    std::cout << file.string() << ": " << *entries << " entries, each as it was written.\n" << std::flush;
    return 0;
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
    auto loaded = config::load({arguments, argv + argc}, config::current_environment(), directory);
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
