// From the configuration to what each part of the program takes.
#pragma once

#include "config/load.h"
#include "engine/playwright/helper.h"
#include "oauth/verifier.h"
#include "policy/guard.h"
#include "policy/network_gate.h"
#include "record/recorder.h"
#include "session/sessions.h"
#include "tools/call_gate.h"
#include "tools/catalog.h"
#include "tools/session_param.h"
#include "transport/service.h"
#include "upstream/options.h"

// Every token that a client may send, by who sends it; the one without a name is "token".
config::Strings auth_tokens(const config::ServerConfig& server);
// Whether clients that connect must say who they are.
bool needs_token(const config::ServerConfig& server);
// Null without an issuer. Outlived by the loop and the log.
std::unique_ptr<oauth::Verifier> make_verifier(Loop& loop, const config::OAuthConfig& config, Log& log);
// Lets those in whom the verifier believes.
transport::OAuthAccess oauth_access(const config::OAuthConfig& config, oauth::Verifier& verifier);
// Whether there are boundaries between principals, which code on the host would break.
bool has_several_principals(const config::ServerConfig& server);
transport::ServiceOptions service_options(const config::Config& config);
// Turns the service into the daemon that listens on `socket`; `stop` ends it.
void make_daemon(transport::ServiceOptions& options, const config::Config& config,
                 const std::filesystem::path& socket, std::function<void()> stop);
session::SessionOptions session_options(const config::Config& config, const std::filesystem::path& directory);
bool has_tab_ids(const config::Config& config);
tools::SessionParamOptions session_param(const config::Config& config);
// Who reaches this server: the client on its standard streams, or whoever connects.
enum class Clients { One, Many };
session::SessionsOptions sessions_options(const config::Config& config,
                                          const std::filesystem::path& directory, Clients clients);
session::PoolOptions browser_options(const config::Config& config);
playwright::HelperOptions helper_options(const config::Config& config, const std::filesystem::path& directory,
                                         const std::filesystem::path& workspace);
store::Options store_options(const config::Config& config);
// Without what identifies callers.
record::RecorderOptions recorder_options(const config::Config& config, const std::filesystem::path& directory,
                                         store::Store* store);
// Whether answers lead their readers to the record.
bool refers_to_record(const config::Config& config);
policy::Policies policies(const config::Config& config);
// What hears of refusals and confirmations: the audit log, the log and the metrics.
using Told = std::function<void(const policy::Denial& denial)>;
// Fails for whom a tool is forbidden, whatever its effect is passed off as.
using Permit = std::function<Result<void>(const engine::Holder& holder, std::string_view tool)>;
// Makes sessions keep to the rules; where these are about connections, browsers go through the gate.
Result<void> enforce(policy::Guard& guard, policy::NetworkGate& gate, const Told& denied,
                     const Permit& permit_to, session::SessionsOptions& options);
// Without who hears of it.
tools::CallGateOptions call_gate_options(const config::Config& config);
// Runs security.secretsCommand, where there is one. Fails when a secret is bound that there is not.
Result<void> add_secrets(config::Config& config);
// What was set that @playwright/mcp knows, too, as its configuration file; empty when flags say all of it.
std::string upstream_settings(const config::Loaded& loaded);
// Without a keeper. `settings_file` has the text above.
Result<upstream::Options> upstream_options(const config::Loaded& loaded,
                                           const std::filesystem::path& directory,
                                           const std::filesystem::path& settings_file);
