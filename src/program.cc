#include "program.h"

#include <iostream>
#include <unistd.h>

#include "browsers.h"
#include "caller_identity.h"
#include "config/print.h"
#include "engine/cdp/temporary_profile.h"
#include "record/open.h"
#include "session/durable_checkpoint_store.h"
#include "session/fallback_checkpoint_store.h"
#include "session/output_directory.h"
#include "store/sealed_state.h"
#include "upstream/memory_file.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/private_directory.h"
#include "util/strings.h"
#include "workspaces.h"

namespace {

// Time for a last call, SIGTERM and SIGKILL, and a margin.
constexpr std::chrono::seconds kUpstreamGoodbye{10};
constexpr std::chrono::seconds kFirstTab{60};
constexpr std::chrono::seconds kBrowsersGoodbye{6};
// Delays before memory is released: after the start, and after a session change.
constexpr std::chrono::seconds kTrimAfterStart{1}, kTrimAfterChange{10};

// Prints configurations to paste into a client. Never shows the token itself.
void print_client_configs(const config::ServerConfig& server, int port) {
    bool any_address = server.host == "0.0.0.0" || server.host == "::";
    std::string base = "http://" + (any_address ? "localhost" : server.host) + ":" + std::to_string(port);
    std::string url = base + "/mcp";
    std::string flag, code_member, member;
    if (!auth_tokens(server).empty()) {
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

// A failure is harmless: the first call tries again and reports the reason.
Task<> assign_tab(std::shared_ptr<session::Session> session) {
    session::Turn turn = co_await session->take_turn(Deadline::in(kFirstTab));
    (void)co_await as_result(session->assign_tab());
}

// Reads the tools of the upstream MCP server before any client can ask for them.
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

session::Sessions::Leave leave_of(mcp::Departure how) {
    using Leave = session::Sessions::Leave;
    switch (how) {
        case mcp::Departure::Goodbye:
            return Leave::Goodbye;
        case mcp::Departure::Lost:
            return Leave::Lost;
        case mcp::Departure::Expired:
            return Leave::Expired;
    }
    return Leave::Lost;
}

Error not_native(const session::SessionKey& key) {
    return {
        .code = ErrorCode::InvalidArgument,
        .message = "The engine of session \"" + key.name + "\" is upstream: this tool is not of its server.",
        .hint = "Call it in a session made by create_session with engine native."};
}

}  // namespace

Result<policy::AuditPlace> audit_place(const config::Config& config, std::filesystem::path file) {
    if (file.empty()) file = config.security.audit_log;
    if (file.empty()) file = state_directory() / "audit.log";
    file = std::filesystem::absolute(file).lexically_normal();
    std::filesystem::path key_file = config.store.key_file;
    if (key_file.empty()) key_file = state_directory() / "record.db.key";
    std::error_code ignored;
    std::filesystem::create_directories(key_file.parent_path(), ignored);
    store::StateKey key = TRY(store::StateKey::load_or_create(key_file));
    std::string name = "audit-" + hex_encode(sha256(file.string())).substr(0, 16) + ".end";
    return policy::AuditPlace{
        .file = std::move(file), .end_mark = state_directory() / name, .key = key.derive("audit log")};
}

Program::Program(config::Loaded loaded, std::filesystem::path directory, std::filesystem::path daemon_socket,
                 Log& log)
    : loaded_(std::move(loaded)),
      directory_(std::move(directory)),
      daemon_socket_(std::move(daemon_socket)),
      log_(log),
      caller_identity_(loaded_.config.server),
      server_id_("server " + random_uuid()),
      news_(loop_, registry_, {.owner_of = owner_of(), .key_of = key_of()}) {}

Result<void> Program::run() {
    TRY(take_secrets());
    for (const std::string& warning : TRY(check_machine(config()))) log_.warn(warning);
    if (auto made = ensure_private_directory(state_directory()); !made) log_.warn(made.error().message);
    cdp::remove_stale_profiles();
    TRY(open_record());
    TRY(make_sessions());
    TRY(make_upstream());
    offer_prompts();
    TRY(offer_tools());
    memory_.trim_in(kTrimAfterStart);
    auto outcome = transport::run_service(loop_, registry_, service(), log_, metrics_);
    close();
    return outcome;
}

Result<void> Program::take_secrets() {
    TRY(add_secrets(loaded_.config));
    secrets_.emplace(config().secrets);
    for (const auto& [name, value] : config().secrets) log_.hide(value);
    for (const auto& [user, password] : credentials(config())) log_.hide(password);
    return ok();
}

Result<void> Program::open_record() {
    if (config().store.enabled) {
        auto path = config().store.path.empty() ? record::Path::Usual : record::Path::Given;
        store_ = TRY(record::open(loop_, store_options(config()), path, log_));
        if (store_) record::add_metrics(metrics_, *store_);
        if (store_ && caller_identity_.is_alone()) reader_lease_ = store_->lease("reader on standard input");
    }
    auto who = [this](const tools::Caller& caller) {
        caller_identity_.note_named(caller);
        return identify(caller);
    };
    record::RecorderOptions recording = recorder_options(config(), directory_, store_.get());
    recording.identify = who;
    recording.loop = &loop_;
    recorder_.emplace(std::move(recording));
    history_ = {
        .store = store_.get(),
        .identify = who,
        .offered = store_ && refers_to_record(config()),
        .seen_names = [this](const tools::Caller& caller) { return caller_identity_.seen_names(caller); }};
    return ok();
}

tools::RecordIdentity Program::identify(const tools::Caller& caller) const {
    return identify(caller, caller_identity_.key_of(caller));
}

tools::RecordIdentity Program::identify(const tools::Caller& caller, const session::SessionKey& key) const {
    tools::RecordIdentity identity = caller_identity_.identity_of(caller, key, reader_lease_ != nullptr,
                                                                  is_elsewhere(key) ? server_id_ : "");
    identity.state_id = state_id_of(key);
    return identity;
}

// Whether another server holds the session that this name means, so that this server has or will have one of
// its own beside it.
bool Program::is_elsewhere(const session::SessionKey& key) const {
    if (!store_ || key.name.empty() || !key.owner.empty() || !sessions_) return false;
    std::string id = session::Sessions::stable_id(key);
    const session::Sessions::Entry* entry = sessions_->find(key);
    return entry ? entry->id != id : store_->lease_holder(id) != 0;
}

// The id under which the session's state is or will be saved. When the id is not derived from the name, only
// an existing session has one.
std::string Program::state_id_of(const session::SessionKey& key) const {
    if (!sessions_) return "";
    if (const session::Sessions::Entry* entry = sessions_->find(key)) return entry->id;
    bool is_known = !key.name.empty() && !key.owner.starts_with("connection ") && !is_elsewhere(key);
    return is_known ? session::Sessions::stable_id(key) : "";
}

void Program::session_changed(const session::SessionKey& key, store::SessionState state) {
    recorder_->session_changed(identify({}, key), state);
    if (!ending_) memory_.trim_in(kTrimAfterChange);
}

// A caller's own session always exists; using a closed id does not create it again.
std::optional<Error> Program::refuse_session(const tools::Caller& caller) {
    if (auto refusal = caller_identity_.refusal(caller)) return refusal;
    session::SessionKey key = caller_identity_.key_of(caller);
    if (!sessions_->was_closed(key)) return std::nullopt;
    if (key.name == caller.session_name) return session::Sessions::closed_error(key.name);
    sessions_->allow_again(key);
    return std::nullopt;
}

Result<void> Program::set_rules(session::SessionsOptions& settings) {
    auto place = audit_place(config());
    if (!place) {
        log_.warn("The audit log cannot be verified: " + place.error().to_string());
        place = policy::AuditPlace{.file = config().security.audit_log, .key = random_bytes(32)};
        if (place->file.empty()) place->file = state_directory() / "audit.log";
        place->end_mark = place->file.string() + ".end";
    }
    audit_.emplace(std::move(*place), [this](const std::string& trouble) { log_.warn(trouble); });
    Counter& denials = metrics_.counter("troupe_policy_denied_total", "What was refused by a rule.");
    on_denied_ = [this, &denials](policy::Denial denial) {
        denials.add();
        denial.what = secrets_->redact(std::move(denial.what));
        log_.info("denied", {{"what", denial.what}, {"rule", denial.rule}, {"session", denial.who.session}});
        audit_->denied(denial);
    };
    guard_.emplace(policies(config()), on_denied_);
    egress_proxy_.emplace(loop_, guard_->policies(),
                          [this](const policy::Denial& denial) { guard_->denied(denial); });
    auto permit = [this](const engine::SessionIdentity& identity, std::string_view tool) {
        tools::Caller caller;
        caller.session_name = identity.session;
        caller.principal = identity.principal;
        return call_gate_->permit(std::string(tool), caller);
    };
    TRY(enforce(*guard_, *egress_proxy_, on_denied_, permit, settings));
    tools::CallGateOptions gating = call_gate_options(config());
    gating.denied = on_denied_;
    gating.confirmed = [this](const policy::Denial& asked) { audit_->confirmed(asked); };
    call_gate_.emplace(loop_, std::move(gating));
    if (has_several_principals(config().server))
        log_.warn(
            "Several principals are configured: browser_run_code_unsafe and --init-page, whose code runs on "
            "this host with this server's rights, are off for each principal unless a rule names both, "
            "as {\"principal\": \"ann\", \"tools\": [\"browser_run_code_unsafe\", \"init_page\", …]}.");
    if (has_several_principals(config().server) && config().browser.shared_context)
        log_.warn(
            "Several principals share one browser context (sharedBrowserContext): each session sees only its "
            "own tabs, but all use the same cookies, storage and clipboard. In upstream servers, they see "
            "each "
            "other's tabs as well.");
    return ok();
}

std::shared_ptr<session::CheckpointStore> Program::state_on_disk() {
    auto disk = std::make_shared<session::DurableCheckpointStore>(*store_);
    auto checkpoints = session::FallbackCheckpointStore::create(loop_, std::move(disk), log_);
    metrics_.gauge("troupe_session_states_in_memory", "States of sessions that the disk did not take yet.",
                   [weak = std::weak_ptr(checkpoints)] {
                       auto states = weak.lock();
                       return states ? static_cast<double>(states->in_memory()) : 0.0;
                   });
    return checkpoints;
}

Result<void> Program::make_sessions() {
    const config::ServerConfig& server = config().server;
    bool listens = server.port || !server.socket.empty() || !daemon_socket_.empty();
    session::SessionsOptions settings =
        sessions_options(config(), directory_, listens ? Clients::Many : Clients::One);
    TRY(set_rules(settings));
    settings.place_files = [places = Workspaces(config(), directory_)](auto&... session) {
        places.place(session...);
    };
    settings.session.warn = [this](const std::string& what) { log_.warn("page", {{"what", what}}); };
    settings.session.password_typed = [this](const std::string& text) { log_.hide(text); };
    settings.session.code_runner = [this](const auto& context, const std::filesystem::path& workspace) {
        return code_runner(loop_, context, helper_options(config(), directory_, workspace), log_);
    };
    settings.is_absent = [this](const std::string& owner) {
        constexpr std::string_view kConnection = "connection ";
        return owner.starts_with(kConnection) && presence_.is_absent(owner.substr(kConnection.size()));
    };
    settings.changed = [this](const session::SessionKey& key, store::SessionState state) {
        session_changed(key, state);
        news_.session_changed(key);
    };
    settings.tab_event = [this](const session::SessionKey& key, const std::string& tab,
                                session::TabEvent event) { news_.tab_changed(key, tab, event); };
    if (store_) settings.checkpoints = state_on_disk();
    lasting_ = settings.checkpoints && settings.checkpoints->is_lasting();
    resumable_ = settings.resumable;
    Counter& unresponsive =
        metrics_.counter("troupe_browsers_unresponsive_total",
                         "Browsers that stopped answering: those that the server had started were killed.");
    sessions_.emplace(
        loop_, std::move(settings),
        [this, &unresponsive](engine::LaunchOptions launch) {
            return counting_unresponsive(launch_browser(loop_, std::move(launch), log_), unresponsive);
        },
        log_,
        [this, &unresponsive](engine::ConnectOptions connect) {
            return counting_unresponsive(connect_browser(loop_, std::move(connect), log_), unresponsive);
        });
    return ok();
}

Result<void> Program::make_upstream() {
    if (config().upstream.offered) {
        reaper_ = TRY(upstream::Reaper::create());
        upstream_config_file_ = TRY(upstream::memory_file("settings", upstream_settings(loaded_)));
        std::string file =
            "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(upstream_config_file_.get());
        upstream::Options options = TRY(upstream_options(loaded_, directory_, file));
        options.reaper = reaper_->command();
        options.native = {
            .tools = &native_,
            .has_session = [this](const session::SessionKey& key) { return sessions_->find(key) != nullptr; },
            .is_default = !proxies(),
            .tab_ids = has_tab_ids(config())};
        options.ended = [this](const session::SessionKey& key) {
            session_changed(key, store::SessionState::Closed);
        };
        options.folder_of = [this, places = Workspaces(config(), directory_)](const tools::Caller& caller) {
            return places.ensure_folder(caller, caller_identity_.key_of(caller));
        };
        if (options.separates_outputs)
            options.output_of = [places = Workspaces(config(), directory_)](const tools::Caller& caller,
                                                                            const session::SessionKey& key) {
                return places.output_for(caller, key);
            };
        options.session_param.refuse = [this](const tools::Caller& caller) { return refuse_session(caller); };
        upstream_ = std::make_unique<upstream::Engine>(loop_, std::move(options), registry_, key_of(), log_);
        metrics_.gauge("troupe_upstream_servers", "Sessions that have an MCP server behind them.",
                       [this] { return static_cast<double>(upstream_->child_count()); });
        metrics_.gauge("troupe_upstream_degraded_sessions",
                       "Sessions whose MCP server ends too often and is not started now.",
                       [this] { return static_cast<double>(upstream_->degraded_count()); });
    }
    session_catalog_ = {.sessions = &*sessions_,
                        .owner_of = owner_of(),
                        .key_of = key_of(),
                        .upstream = upstream_.get(),
                        .upstream_by_default = proxies(),
                        .requires_tab_ids = !proxies() && config().session.require_tab_id,
                        .sees = [this](const tools::Caller& caller, const std::string& name) {
                            return caller_identity_.sees(caller, name);
                        }};
    return ok();
}

tools::CatalogContext Program::catalog() {
    return {.effective_config = [this] { return json::value(config::effective(loaded_.values)); },
            .sessions = [this](const tools::Caller& caller) -> Result<std::shared_ptr<session::Session>> {
                session::SessionKey key = caller_identity_.key_of(caller);
                if (upstream_ && upstream_->owns(key)) return not_native(key);
                if (auto refusal = refuse_session(caller)) return *refusal;
                return sessions_->session(key, tools::setup_of(caller));
            },
            .run_playwright_code = [](tools::Tab& tab, std::string code,
                                      Deadline deadline) { return tab.run_code(std::move(code), deadline); },
            .session_catalog = session_catalog_,
            .session_param = session_param(config()),
            .history = history_};
}

// Tools of an upstream server that only some sessions use are unknown before the first of these sessions.
Result<void> Program::check_rules(const tools::CatalogContext& context) {
    std::vector<std::string> known;
    for (const tools::Tool& tool : tools::all_tools(context)) known.push_back(tool.name);
    for (const auto& tool : registry_.tools()) known.push_back(tool->name);
    auto checked = check_tool_names(config().security, known);
    if (checked || !upstream_ || proxies()) return checked;
    log_.warn(checked.error().to_string());
    return ok();
}

Result<void> Program::offer_tools() {
    tools::CatalogContext context = catalog();
    if (upstream_) tools::register_tools(native_, config().capabilities, context);
    if (!proxies()) {
        TRY(check_rules(context));
        sessions_->start_browsers();
        tools::register_tools(registry_, config().capabilities, context);
        return ok();
    }
    // These tools are native, whatever the engine.
    for (const auto& tool : native_.tools())
        if (tool->capability == "sessions" || tool->capability == "history") registry_.add(*tool);
    TRY(read_tools(loop_, *upstream_));
    // A call of a native tool that the upstream server lacks gets an explanation, as from a native server.
    for (const tools::Tool& tool : tools::all_tools(context))
        if (!registry_.find_tool(tool.name)) registry_.add_hidden(*native_.find_tool(tool.name));
    return check_rules(context);
}

void Program::offer_prompts() {
    for (tools::Prompt& prompt : tools::built_in_prompts([this] { return secrets_->names(); }))
        registry_.add(std::move(prompt));
    own_prompts_.emplace(config().prompts_dir, registry_, log_);
    if (config().prompts_dir.empty()) return;
    own_prompts_->refresh();
    watching_ = start(own_prompts_->watch(loop_), [](Result<void>) {});
}

transport::ServiceOptions Program::service() {
    transport::ServiceOptions options = service_options(config());
    verifier_ = make_verifier(loop_, config().server.oauth, log_);
    if (verifier_) options.endpoints.access.oauth = oauth_access(config().server.oauth, *verifier_);
    options.server.middleware = &*recorder_;
    options.server.gate = &*call_gate_;
    report_health(options);
    follow_connections(options);
    api_.emplace(api::ApiOptions{.version = TROUPE_VERSION,
                                 .history = history_,
                                 .sessions = session_catalog_,
                                 .closed_for =
                                     [this](const tools::Caller& caller) {
                                         return upstream_
                                                    ? upstream_->closed_for(caller_identity_.key_of(caller))
                                                    : std::chrono::seconds(0);
                                     }},
                 *recorder_);
    options.endpoints.api = [this](mcp::Server& server, const auto& exchange, tools::Caller caller) {
        api_->handle(server, exchange, std::move(caller));
    };
    options.endpoints.refused = [this](const std::string& what, const std::string& rule) {
        on_denied_({what, rule});
    };
    options.stopping = [this] { stop(); };
    if (!daemon_socket_.empty()) make_daemon(options, config(), daemon_socket_, [this] { loop_.stop(); });
    options.ready = [this](int port) { announce(port); };
    return options;
}

void Program::report_health(transport::ServiceOptions& options) {
    if (!store_ && !upstream_) return;
    options.endpoints.health = [this] {
        json::object health;
        if (store_) health["store"] = record::describe(store_->health()).at("status");
        if (upstream_) health["upstream"] = upstream_->degraded_count() == 0 ? "ok" : "degraded";
        return health;
    };
}

void Program::follow_connections(transport::ServiceOptions& options) {
    if (config().session.auto_assign_tab && !proxies()) {
        options.server.on_connection_began = [this](const tools::Caller& caller) {
            auto session = sessions_->session(caller_identity_.key_of(caller), tools::setup_of(caller));
            if (session) assigning_[caller.connection] = start(assign_tab(*session));
        };
    }
    options.server.on_roots_changed = [this](const tools::Caller& caller) {
        if (const auto* own = sessions_->find(caller_identity_.key_of(caller))) own->session->forget_roots();
        for (const auto& [name, entry] : sessions_->list(caller_identity_.owner_of(caller)))
            entry->session->forget_roots();
    };
    options.server.presence = &presence_;
    options.server.on_connection_ended = [this](const tools::Caller& caller, mcp::Departure how) {
        connection_ended(caller, how);
    };
}

void Program::connection_ended(const tools::Caller& caller, mcp::Departure how) {
    std::string owner = "connection " + caller.connection;
    assigning_.erase(caller.connection);
    caller_identity_.forget_connection(caller.connection);
    if ((proxies() || !resumable_) && caller_identity_.key_of(caller).owner == owner)
        recorder_->session_changed(identify(caller), store::SessionState::Closed);
    // At shutdown, close_all keeps the sessions that another run can resume.
    if (ending_ && lasting_) return;
    // Sessions of an authenticated principal stay.
    sessions_->end_owner(owner, leave_of(how));
    if (upstream_) upstream_->close_owner(owner);
}

void Program::stop() {
    memory_.stop();
    api_->close();
    ending_ = true;
    sessions_->announce_close(upstream_ ? upstream_->child_count() : 0);
    if (!upstream_) return;
    closing_ = start(upstream_->close(), [this](Result<void>) {
        if (only_closing_) loop_.stop();
    });
}

void Program::announce(int port) {
    if (session::is_too_wide(directory_) && !config().allow_unrestricted_file_access)
        log_.warn("The server was started in a root or home directory, which is no workspace.",
                  {{"directory", directory_.string()}, {"workspace", session::private_directory().string()}});
    if (port != 0) {
        guard_->protect(port);
        egress_proxy_->protect(port);
    }
    const config::ServerConfig& server = config().server;
    if (config().logging.format == LogFormat::Json || !daemon_socket_.empty()) {
        const auto& socket = daemon_socket_.empty() ? server.socket : daemon_socket_;
        if (port == 0 && socket.empty())
            log_.info("serving one client over stdio", {{"version", TROUPE_VERSION}});
        else
            log_.info("listening",
                      {{"version", TROUPE_VERSION}, {"port", port}, {"socket", socket.string()}});
    } else if (port != 0) {
        print_client_configs(server, port);
    } else if (!server.socket.empty()) {
        std::cerr << "Listening on " << server.socket.string() << std::endl;
    }
}

// Gives browsers a short time to save their profiles and exit, and upstream servers to close theirs.
void Program::close() {
    loop_.restart();
    Running browsers = start(sessions_->close_all(), [this](Result<void>) { loop_.stop(); });
    if (!browsers.done()) loop_.run_for(kBrowsersGoodbye);
    only_closing_ = true;
    loop_.restart();
    if (!closing_.done()) loop_.run_for(kUpstreamGoodbye);
}
