// The interfaces of a browser and its contexts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/network_access.h"
#include "engine/page.h"

namespace engine {

// The credentials sent to a proxy that asks for authentication. Nothing is sent when the name is empty.
struct ProxyCredentials {
    std::string username = {};
    std::string password = {};

    bool operator==(const ProxyCredentials&) const = default;
};

// All settings of a new browser context. An empty or unset field keeps the browser's default.
struct ContextOptions {
    std::optional<Size> viewport = Size{1280, 720};
    std::optional<Size> screen = {};
    std::optional<double> device_scale_factor = {};
    bool is_mobile = false;
    bool has_touch = false;
    std::string user_agent = {};
    std::string locale = {};
    std::string timezone = {};
    std::string color_scheme = {};
    std::string reduced_motion = {};
    std::string forced_colors = {};
    std::string contrast = {};
    std::vector<std::string> permissions = {};
    std::vector<std::pair<std::string, std::string>> extra_headers = {};
    json::value geolocation = nullptr;
    json::value http_credentials = nullptr;
    json::value storage_state = nullptr;
    std::string proxy_server = {};  // this context's proxy; empty: the browser's
    std::string proxy_bypass = {};
    ProxyCredentials proxy_credentials = {};  // for that proxy if one is set, else for the browser's
    bool accept_downloads = true;
    bool ignore_https_errors = false;
    bool bypass_csp = false;
    bool java_script_enabled = true;
    bool offline = false;
    Throttling throttling = {};
    bool block_service_workers = false;
    std::vector<std::string> init_scripts = {};
    std::string test_id_attribute = "data-testid";
    std::shared_ptr<NetworkAccess> network_access = {};  // null: requests are unrestricted
    std::filesystem::path download_directory = {};
};

// Network settings for pages. Unset fields stay unchanged.
struct NetworkRules {
    std::optional<std::vector<Route>> routes = {};
    std::optional<bool> offline = {};
    std::optional<Throttling> throttling = {};
};

// Matches cookies that have all of the fields set here; an unset field matches any value.
struct CookieFilter {
    std::optional<std::string> name = {};
    std::optional<std::string> domain = {};
    std::optional<std::string> path = {};

    bool is_for_all() const { return !name && !domain && !path; }
};

// A set of pages with cookies and storage of its own.
class Context {
public:
    virtual ~Context() = default;

    // Open tabs, oldest first.
    virtual const std::vector<std::shared_ptr<Page>>& pages() const = 0;
    virtual Task<std::shared_ptr<Page>> new_page(Deadline deadline) = 0;
    // Called for every page that opens, including popups, and for every page that closes.
    virtual void on_page_opened(std::function<void(std::shared_ptr<Page>)> callback) = 0;
    virtual void on_page_closed(std::function<void(Page&)> callback) = 0;
    // Called once when the browser is gone.
    virtual void on_lost(std::function<void()> callback) = 0;
    virtual bool is_lost() const = 0;
    virtual Task<> close(Deadline deadline) = 0;

    // Cookies and states are in the form of Playwright's storage state files: {cookies: [{name, value,
    // domain, path, expires, httpOnly, secure, sameSite}], origins: [{origin, localStorage: [{name,
    // value}]}]}.
    virtual Task<json::array> cookies(Deadline deadline) = 0;
    virtual Task<> add_cookies(json::array cookies, Deadline deadline) = 0;
    virtual Task<> clear_cookies(CookieFilter filter, Deadline deadline) = 0;
    virtual Task<json::value> storage_state(Deadline deadline) = 0;
    // Replaces all cookies and the local storage of every visited origin.
    virtual Task<> set_storage_state(json::value state, Deadline deadline) = 0;

    // The state that another context needs to replace this one: {cookies, origins: [{origin, localStorage,
    // databases}], unread: [origin], offline, throttling, routes}. It includes cookies and origins only if no
    // profile on disk keeps them. With OpenPages, origins that no open page shows are listed as unread.
    enum class Reach { OpenPages, Everything };
    virtual Task<json::value> save_state(Reach reach, Deadline deadline) = 0;
    // Applies that state; must run before the first page. Page::fill_storage restores the origins.
    virtual Task<> restore_state(json::value state, Deadline deadline) = 0;

    // Applies to all pages, including later ones.
    virtual Task<> set_offline(bool offline, Deadline deadline) = 0;
    virtual Task<> set_throttling(Throttling throttling, Deadline deadline) = 0;
    // The last route that matches a request decides about it.
    virtual const std::vector<Route>& routes() const = 0;
    virtual Task<> set_routes(std::vector<Route> routes, Deadline deadline) = 0;
    // Applies to these pages only: sessions that share the context each have their own rules.
    virtual Task<> set_rules(std::vector<std::shared_ptr<Page>> pages, NetworkRules rules,
                             Deadline deadline) = 0;
};

struct LaunchOptions {
    std::string browser = {};               // chromium, chrome, msedge-beta, ...; empty: the best there is
    std::filesystem::path executable = {};  // takes precedence over the name
    bool headless = true;
    std::optional<bool> sandbox = {};  // unset: on unless we are root
    std::vector<std::string> arguments = {};
    // Our own arguments to leave out; "*" leaves out all.
    std::vector<std::string> unwanted_arguments = {};
    std::vector<std::pair<std::string, std::string>> environment = {};
    std::filesystem::path user_data_dir = {};  // empty: a temporary one, removed with the browser
    int profile_lock = -1;  // the ProfileLock's descriptor, inherited by the browser process
    // Command that removes a temporary profile. It gets the profile's path as last argument and a pipe as
    // input, and removes the profile when the pipe ends, which happens even if we are killed. Empty: a killed
    // server leaves the profile for the next server to remove.
    std::vector<std::string> remover = {};
    std::string proxy_server = {};
    std::string proxy_bypass = {};
    std::chrono::milliseconds timeout{30'000};
};

// Which existing tab of an external browser the default context starts with.
enum class FirstTab {
    None,        // sessions open their own
    Unattached,  // the last used tab that no client is attached to, if any
    Any,         // that tab, or else the last used one that no server of ours uses
};

// How to reach a browser that we did not start.
struct ConnectOptions {
    std::string endpoint = {};  // http, https, ws or wss
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::chrono::milliseconds timeout{30'000};  // zero: no limit
    FirstTab first_tab = FirstTab::Unattached;
    // Namespace of the TabClaims: claims under another name are invisible. Each test uses its own.
    std::string tab_claims = {};
};

// A browser process that we started, or an external browser.
class Browser {
public:
    virtual ~Browser() = default;

    virtual Task<std::shared_ptr<Context>> new_context(ContextOptions options, Deadline deadline) = 0;
    // The context that exists from the start: a persistent profile's, or the user's own.
    virtual Task<std::shared_ptr<Context>> default_context(ContextOptions options, Deadline deadline) = 0;
    virtual bool is_lost() const = 0;
    virtual void on_lost(std::function<void()> callback) = 0;
    virtual const std::string& version() const = 0;
    // The id of its main process if we started it; zero: an external browser.
    virtual int process_id() const { return 0; }
    // Ends the process and its children. Only disconnects from an external browser.
    virtual Task<> close(Deadline deadline) = 0;
};

}  // namespace engine
