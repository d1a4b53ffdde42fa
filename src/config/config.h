// The program's configuration as plain typed fields. load() fills every one; the defaults are in the table of
// options, so a Config made by hand is empty rather than default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/record_har.h"
#include "config/record_video.h"
#include "config/rules.h"
#include "config/size.h"
#include "util/json.h"
#include "util/log.h"

namespace config {

using std::chrono::milliseconds;
using Strings = std::map<std::string, std::string>;

// The enumerators stand in the order of the table's choices.
enum class BrowserName { Chromium, Firefox, Webkit };
enum class Codegen { TypeScript, Python, Java, CSharp, None };
enum class Isolation { Context, Browser, Shared };
enum class SnapshotMode { Full, None };
enum class SnapshotDelivery { Auto, File, Inline };
enum class ImageResponses { Allow, Omit, Only };
enum class FilePaths { Relative, Absolute };
enum class ConsoleLevel { Error, Warning, Info, Debug };
enum class ServiceWorkers { Allow, Block };
enum class Engine { Native, Upstream };
enum class UpstreamTransport { Stdio, Http };
enum class UpstreamIsolate { Auto, Always, Never };
enum class Durability { Normal, Full };
enum class ResponseMode { Full, Ref, Delta };

// The authorization server whose access tokens are accepted.
struct OAuthConfig {
    std::string issuer;    // empty: no OAuth
    std::string resource;  // empty: the loopback address that a client names; without a trailing slash
    std::vector<std::string> audience;  // empty: the resource
    std::string principal_claim;
    std::vector<std::string> scopes;
};

struct ServerConfig {
    std::string name;     // sent to clients
    std::string version;  // empty: the program's
    std::string host;
    std::optional<std::uint16_t> port;       // unset: no HTTP; 0: any free port
    std::filesystem::path socket;            // empty: none
    bool daemon = false;                     // stdin and stdout are forwarded to a shared server
    milliseconds daemon_idle{};              // zero: the shared server never ends by itself
    std::vector<std::string> allowed_hosts;  // empty: only the listening address
    std::vector<std::string> allowed_http_origins;
    std::string auth_token;  // empty: no token needed
    Strings auth_tokens;     // further ones, by principal
    OAuthConfig oauth;
    bool insecure = false;
    bool trust_roots = false;  // of clients on the network
    std::size_t max_connections = 0;
    std::size_t max_message_bytes = 0;
    std::size_t max_header_bytes = 0;
    milliseconds header_timeout{};
    milliseconds idle_timeout{};     // of a kept-alive connection
    milliseconds session_timeout{};  // of an unused legacy MCP session
    milliseconds call_timeout{};
    milliseconds ping_timeout{};  // zero or less: no pings
};

struct ProxyConfig {
    std::string server;  // empty: none
    std::string bypass;
    std::string username;
    std::string password;
};

// browser.contextOptions; an empty or unset field keeps the browser's (or the device's) own.
struct ContextConfig {
    std::optional<Size> viewport;  // unset: the device's, else the window's
    std::optional<Size> screen;
    std::string user_agent;
    std::string locale;
    std::string timezone_id;
    std::string base_url;
    std::string color_scheme;
    std::string contrast;
    std::string forced_colors;
    std::string reduced_motion;
    std::vector<std::string> permissions;
    Strings extra_http_headers;
    std::optional<double> device_scale_factor;
    std::optional<bool> is_mobile;
    std::optional<bool> has_touch;
    bool ignore_https_errors = false;
    bool bypass_csp = false;
    bool java_script_enabled = true;
    bool offline = false;
    bool accept_downloads = true;
    ProxyConfig proxy;  // of the context; without a server: the browser's
    ServiceWorkers service_workers = ServiceWorkers::Allow;
    json::value storage_state;     // null, the path of a file, or the state itself
    json::value geolocation;       // null, or latitude, longitude, accuracy
    json::value http_credentials;  // null, one or an array of username, password, origin
    std::optional<RecordVideoConfig> record_video;
    std::optional<RecordHarConfig> record_har;
};

struct BrowserConfig {
    Engine engine = Engine::Native;
    BrowserName browser_name = BrowserName::Chromium;
    std::string channel;                    // empty: none given
    std::filesystem::path executable_path;  // as given; empty: search for one
    bool headless = false;
    std::optional<bool> sandbox;  // unset: where it works
    std::vector<std::string> args;
    json::value ignore_default_args;  // null, a bool, or an array of arguments
    Strings env;
    ProxyConfig proxy;
    std::filesystem::path downloads_path;  // empty: in the cache directory
    milliseconds launch_timeout{};         // zero: not given
    bool isolated = false;
    std::filesystem::path user_data_dir;  // empty: the workspace's own
    std::string cdp_endpoint;             // empty: launch one
    Strings cdp_headers;
    milliseconds cdp_timeout{};   // zero: no limit
    json::value remote_endpoint;  // null, an address, or an object with `endpoint`
    bool extension = false;
    bool shared_context = false;
    std::string device;  // empty: none; --mobile is resolved already
    std::vector<std::filesystem::path> init_script;
    std::vector<std::filesystem::path> init_page;
    ContextConfig context;
};

struct TimeoutsConfig {
    milliseconds action{};      // zero: no limit
    milliseconds navigation{};  // zero: no limit
    milliseconds expect{};
    milliseconds settle{};
    std::optional<milliseconds> idle;  // unset: an hour for headless browsers; zero: never
};

struct SessionConfig {
    std::optional<bool> param;  // unset: only over stateless HTTP
    bool require_id = false;
    std::optional<Isolation> isolation;  // unset: the profile as upstream, or contexts with --isolated
    bool tab_ids = false;
    bool require_tab_id = false;
    bool auto_assign_tab = false;
    std::string agent_id;  // empty: the client's own name
    std::size_t max_sessions = 0;
    std::size_t max_tabs = 0;              // zero: no limit
    std::size_t max_workers = 0;           // zero: no limit
    std::uint64_t max_download_bytes = 0;  // zero: no limit
    std::uint64_t max_console_bytes = 0;   // zero: no limit
    std::size_t max_result_bytes = 0;      // zero: no limit
    std::optional<std::size_t> max_heap;   // MiB
    milliseconds max_script_time{};        // zero: no limit
    milliseconds sweep_interval{};
    milliseconds idle_timeout{};
    milliseconds grace{};
};

// The record of calls.
struct StoreConfig {
    bool enabled = false;
    std::filesystem::path path;  // empty: in the state directory
    Durability durability = Durability::Normal;
    milliseconds max_age{};          // zero: no limit
    std::uint64_t max_bytes = 0;     // zero: no limit
    std::filesystem::path key_file;  // empty: beside the database
};

// The size and contents of answers.
struct AnswerConfig {
    ResponseMode mode = ResponseMode::Full;
    std::optional<std::size_t> max_chars;
    std::optional<std::size_t> budget;  // of all answers of a session
};

// Unset fields have defaults that depend on the transport.
struct PoolConfig {
    std::size_t min_browsers = 0;
    std::size_t max_browsers = 0;
    std::optional<milliseconds> idle_timeout;
    std::optional<std::size_t> warm_contexts;
    std::optional<std::size_t> max_memory;  // MiB; zero: no limit
    milliseconds queue_timeout{};
    bool spare_processor = true;
};

// The MCP server behind each session of the engine Upstream.
struct UpstreamConfig {
    bool offered = false;  // sessions can have that engine
    json::value command;   // a line, or an array of words
    Strings env;
    std::filesystem::path cwd;  // empty: ours
    UpstreamTransport transport = UpstreamTransport::Stdio;
    milliseconds start_timeout{}, ping_interval{};
    UpstreamIsolate isolate = UpstreamIsolate::Auto;
    bool warm = false;
};

struct SecurityConfig {
    std::vector<std::string> allowed_domains;
    std::vector<std::string> blocked_domains;
    bool deny_private_networks = false;
    bool enable_script_evaluation = true;
    bool enable_file_upload = true;
    std::optional<std::size_t> max_screenshot_size;
    std::vector<std::string> allowed_tools;
    std::vector<std::string> blocked_tools;
    std::vector<CallRuleConfig> rules;
    std::vector<std::string> confirm;
    milliseconds confirm_timeout{};
    SecretOrigins secret_origins;
    json::value secrets_command;  // null, a line, or an array of words
    bool mark_untrusted = false;
    std::filesystem::path audit_log;  // empty: in the state directory
    std::vector<std::string> writable_dot_names;
};

struct Config {
    ServerConfig server;
    SessionConfig session;
    StoreConfig store;
    AnswerConfig answers;
    PoolConfig pool;
    LogOptions logging;
    BrowserConfig browser;
    UpstreamConfig upstream;
    TimeoutsConfig timeouts;
    SecurityConfig security;
    std::vector<std::string> capabilities;
    std::vector<std::string> allowed_origins;
    std::vector<std::string> blocked_origins;
    Strings secrets;
    SnapshotMode snapshot_mode = SnapshotMode::Full;
    SnapshotDelivery snapshot_delivery = SnapshotDelivery::File;
    bool snapshot_boxes = false;
    Codegen codegen = Codegen::TypeScript;
    ImageResponses image_responses = ImageResponses::Allow;
    FilePaths file_paths = FilePaths::Relative;
    ConsoleLevel console_level = ConsoleLevel::Info;
    std::string test_id_attribute;
    std::filesystem::path playwright_module;  // empty: search for it
    std::filesystem::path prompts_dir;        // empty: only our own prompts
    std::filesystem::path output_dir;         // empty: .playwright-mcp in the workspace
    std::optional<std::uint64_t> output_max_size;
    bool save_session = false;
    std::optional<Size> save_video;  // as record_video, into output_dir
    bool webmcp = false;
    std::vector<std::string> redact_url_params;
    bool ignore_roots = false;
    bool allow_unrestricted_file_access = false;
};

}  // namespace config
