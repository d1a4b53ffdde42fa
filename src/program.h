// The server: owns every object and passes each what it needs; nothing is global.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "api/api.h"
#include "caller_identity.h"
#include "mcp/presence.h"
#include "policy/audit_log.h"
#include "settings.h"
#include "tools/prompt_files.h"
#include "tools/resource_news.h"
#include "upstream/engine.h"
#include "upstream/reaper.h"
#include "util/files.h"
#include "util/metrics.h"
#include "util/resident_memory.h"

// The audit log's file, and the key that proves that it is complete. Creates the key when it is missing.
Result<policy::AuditPlace> audit_place(const config::Config& config, std::filesystem::path file = {});

class Program {
public:
    // A `daemon_socket` makes this the daemon that listens there.
    Program(config::Loaded loaded, std::filesystem::path directory, std::filesystem::path daemon_socket,
            Log& log);

    // Serves clients until it is stopped.
    Result<void> run();

private:
    // Called in this order; each step depends on those before.
    Result<void> take_secrets();
    Result<void> open_record();
    // Storage for the state of sessions that outlives the server.
    std::shared_ptr<session::CheckpointStore> state_on_disk();
    Result<void> make_sessions();
    Result<void> make_upstream();
    void offer_prompts();
    Result<void> offer_tools();
    Result<void> check_rules(const tools::CatalogContext& context);
    transport::ServiceOptions service();

    Result<void> set_rules(session::SessionsOptions& settings);
    tools::CatalogContext catalog();
    void report_health(transport::ServiceOptions& options);
    void follow_connections(transport::ServiceOptions& options);
    void connection_ended(const tools::Caller& caller, mcp::Departure how);
    void stop();
    void announce(int port);
    void close();
    tools::RecordIdentity identify(const tools::Caller& caller) const;
    tools::RecordIdentity identify(const tools::Caller& caller, const session::SessionKey& key) const;
    bool is_elsewhere(const session::SessionKey& key) const;
    std::string state_id_of(const session::SessionKey& key) const;
    std::optional<Error> refuse_session(const tools::Caller& caller);
    void session_changed(const session::SessionKey& key, store::SessionState state);

    // Functions by which other objects identify a caller. Valid for as long as this lives.
    std::function<std::string(const tools::Caller&)> owner_of() const {
        return [this](const tools::Caller& caller) { return caller_identity_.owner_of(caller); };
    }
    std::function<session::SessionKey(const tools::Caller&)> key_of() const {
        return [this](const tools::Caller& caller) { return caller_identity_.key_of(caller); };
    }

    const config::Config& config() const { return loaded_.config; }
    // Whether sessions use the upstream server by default.
    bool proxies() const { return config().browser.engine == config::Engine::Upstream; }

    config::Loaded loaded_;
    std::filesystem::path directory_, daemon_socket_;
    Log& log_;
    CallerIdentity caller_identity_;
    Loop loop_{1};
    MemoryTrimmer memory_{loop_};
    Metrics metrics_;
    tools::Registry registry_;
    std::optional<session::Secrets> secrets_;
    std::unique_ptr<store::Store> store_;  // null: nothing is recorded
    // Held by the one server on standard input that resumes the read cursor of the previous one.
    std::shared_ptr<void> reader_lease_;
    mcp::Presence presence_;
    std::string server_id_;  // tells this server's recorded sessions from another's of the same name
    std::optional<record::CallRecorder> recorder_;
    tools::HistoryCatalog history_;
    std::optional<policy::AuditLog> audit_;
    OnDenied on_denied_;  // called for refusals by any rule
    std::optional<policy::Guard> guard_;
    std::optional<policy::EgressProxy> egress_proxy_;
    std::optional<tools::CallGate> call_gate_;
    tools::ResourceNews news_;
    bool lasting_ = false, resumable_ = false;  // for sessions
    std::optional<session::Sessions> sessions_;
    tools::Registry native_;  // tools of the native engine, when sessions can choose one
    std::optional<upstream::Reaper> reaper_;
    Descriptor upstream_config_file_;  // contains secrets, so it is never on disk
    std::unique_ptr<upstream::Engine> upstream_;
    tools::SessionCatalog session_catalog_;
    std::optional<tools::PromptDirectory> own_prompts_;
    Running watching_;
    std::map<std::string, Running> assigning_;  // assignment of first tabs, by connection
    std::optional<api::Api> api_;
    std::unique_ptr<oauth::Verifier> verifier_;  // null: no authorization server
    bool ending_ = false, only_closing_ = false;
    Running closing_;
};
