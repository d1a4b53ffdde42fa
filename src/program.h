// The server: every object that it is made of, each handed what it needs; nothing is global.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "mcp/presence.h"
#include "owners.h"
#include "policy/audit_log.h"
#include "record/api.h"
#include "settings.h"
#include "tools/prompt_files.h"
#include "tools/resource_news.h"
#include "upstream/engine.h"
#include "upstream/keeper.h"
#include "util/files.h"
#include "util/metrics.h"

// Where refusals are written down, and what proves that they are all there. Makes the key where there is
// none.
Result<policy::AuditPlace> audit_place(const config::Config& config, std::filesystem::path file = {});

class Program {
public:
    // A `daemon_socket` makes this the daemon that listens there.
    Program(config::Loaded loaded, std::filesystem::path directory, std::filesystem::path daemon_socket,
            Log& log);

    // Serves clients until told to end.
    Result<void> run();

private:
    // In this order; each builds on those before.
    Result<void> take_secrets();
    Result<void> open_record();
    // Where the state of sessions goes that outlives the server.
    std::shared_ptr<session::Vault> state_on_disk();
    Result<void> make_sessions();
    Result<void> make_upstream();
    void offer_prompts();
    Result<void> offer_tools();
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
    std::optional<Error> refuse_closed(const tools::Caller& caller);
    void session_changed(const session::SessionKey& key, store::SessionState state);

    // What others ask who a caller is by, for as long as this lives.
    std::function<std::string(const tools::Caller&)> owner_of() const {
        return [this](const tools::Caller& caller) { return owners_.owner_of(caller); };
    }
    std::function<session::SessionKey(const tools::Caller&)> key_of() const {
        return [this](const tools::Caller& caller) { return owners_.key_of(caller); };
    }

    const config::Config& config() const { return loaded_.config; }
    // Whether sessions are another server's unless they choose.
    bool proxies() const { return config().browser.engine == config::Engine::Upstream; }

    config::Loaded loaded_;
    std::filesystem::path directory_, daemon_socket_;
    Log& log_;
    Owners owners_;
    Loop loop_{1};
    Metrics metrics_;
    tools::Registry registry_;
    std::optional<session::Secrets> secrets_;
    std::unique_ptr<store::Store> store_;  // null: nothing is recorded
    // Held by the one server on standard input that goes on where the one before it was.
    std::shared_ptr<void> reader_lease_;
    mcp::Presence presence_;
    std::string server_id_;  // tells this server's sessions from another's of the same name, in the record
    std::optional<record::Recorder> recorder_;
    tools::HistoryCatalog history_;
    std::optional<policy::AuditLog> audit_;
    Told denied_;  // by whatever rule
    std::optional<policy::Guard> guard_;
    std::optional<policy::NetworkGate> gate_;
    std::optional<tools::CallGate> call_gate_;
    tools::ResourceNews news_;
    bool lasting_ = false, resumable_ = false;  // sessions
    std::optional<session::Sessions> sessions_;
    tools::Registry native_;  // what the engine native answers with, where sessions choose
    std::optional<upstream::Keeper> keeper_;
    Descriptor settings_behind_;  // with secrets in it, so it is never on disk
    std::unique_ptr<upstream::Engine> behind_;
    tools::SessionCatalog named_sessions_;
    std::optional<tools::PromptDirectory> own_prompts_;
    Running watching_;
    std::map<std::string, Running> assigning_;  // first tabs, by connection
    std::optional<record::Api> api_;
    std::unique_ptr<oauth::Verifier> verifier_;  // null: no authorization server
    bool ending_ = false, only_closing_ = false;
    Running closing_;
};
