// Converts the configuration to the options of each part of the program.
#pragma once

#include "config/load.h"
#include "engine/playwright/helper.h"
#include "oauth/verifier.h"
#include "policy/egress_proxy.h"
#include "policy/guard.h"
#include "record/call_recorder.h"
#include "session/sessions.h"
#include "tools/call_gate.h"
#include "tools/catalog.h"
#include "tools/session_param.h"
#include "transport/service.h"
#include "upstream/options.h"

// The passwords of the configuration for sites and proxies, each with its user.
std::vector<std::pair<std::string, std::string>> credentials(const config::Config& config);
// Clients' tokens, and these passwords in the form that requests send, to be redacted: a password alone may
// be an ordinary word of a page.
config::Strings hidden_credentials(const config::Config& config);
// All tokens that a client may send, by principal; the one without a name is "token".
config::Strings auth_tokens(const config::ServerConfig& server);
// Whether connecting clients must authenticate.
bool needs_token(const config::ServerConfig& server);
// Null without an issuer. The loop and the log must outlive it.
std::unique_ptr<oauth::Verifier> make_verifier(Loop& loop, const config::OAuthConfig& config, Log& log);
// Accepts clients whose token the verifier accepts.
transport::OAuthAccess oauth_access(const config::OAuthConfig& config, oauth::Verifier& verifier);
// Whether there are boundaries between principals, which code on the host would break.
bool has_several_principals(const config::ServerConfig& server);
// Whether sessions that share a context see only their own tabs. Principals never see each other's.
bool has_own_tabs(const config::Config& config);
transport::ServiceOptions service_options(const config::Config& config);
// Turns the service into the daemon that listens on `socket`; `stop` ends it.
void make_daemon(transport::ServiceOptions& options, const config::Config& config,
                 const std::filesystem::path& socket, std::function<void()> stop);
// Fails when the device does not exist; warns of a missing browser or file, which may appear later.
Result<std::vector<std::string>> check_machine(const config::Config& config);
session::SessionOptions session_options(const config::Config& config, const std::filesystem::path& directory);
bool has_tab_ids(const config::Config& config);
tools::SessionParamOptions session_param(const config::Config& config);
// The clients of this server: the one on its standard streams, or all that connect.
enum class Clients { One, Many };
session::SessionsOptions sessions_options(const config::Config& config,
                                          const std::filesystem::path& directory, Clients clients);
browsers::PoolOptions browser_options(const config::Config& config);
playwright::HelperOptions helper_options(const config::Config& config, const std::filesystem::path& directory,
                                         const std::filesystem::path& workspace);
store::Options store_options(const config::Config& config);
// The caller still has to set `identify`.
record::RecorderOptions recorder_options(const config::Config& config, const std::filesystem::path& directory,
                                         store::Store* store);
// Whether answers refer their readers to the record.
bool refers_to_record(const config::Config& config);
policy::Policies policies(const config::Config& config);
// Called on refusals and confirmations: feeds the audit log, the log and the metrics.
using OnDenied = std::function<void(const policy::Denial& denial)>;
// Fails when the tool is forbidden to that session's caller, whichever other tool has the same effect.
using Permit = std::function<Result<void>(const engine::SessionIdentity& identity, std::string_view tool)>;
// Applies the rules to sessions; when rules are about connections, browsers use the proxy.
Result<void> enforce(policy::Guard& guard, policy::EgressProxy& egress_proxy, const OnDenied& on_denied,
                     const Permit& permit_to, session::SessionsOptions& options);
// Fails when a rule names a tool that does not exist.
Result<void> check_tool_names(const config::SecurityConfig& security, const std::vector<std::string>& known);
// The caller still has to set the callbacks.
tools::CallGateOptions call_gate_options(const config::Config& config);
// Runs security.secretsCommand, if set. Fails when a bound secret does not exist.
Result<void> add_secrets(config::Config& config);
// The given settings that @playwright/mcp also has, as its configuration file; empty when flags cover all of
// them.
std::string upstream_settings(const config::Loaded& loaded);
// The caller still has to set the reaper. `settings_file` has the text above.
Result<upstream::Options> upstream_options(const config::Loaded& loaded,
                                           const std::filesystem::path& directory,
                                           const std::filesystem::path& settings_file);
