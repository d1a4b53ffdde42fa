// What a browser and its contexts can do.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/page.h"
#include "engine/way.h"

namespace engine {

// Everything about a new browser context. Empty or unset leaves the browser's own.
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
    std::string proxy_server = {};
    std::string proxy_bypass = {};
    bool ignore_https_errors = false;
    bool bypass_csp = false;
    bool java_script_enabled = true;
    bool offline = false;
    Throttling throttling = {};
    bool block_service_workers = false;
    std::vector<std::string> init_scripts = {};
    std::string test_id_attribute = "data-testid";
    std::shared_ptr<Way> way = {};  // null: no rule holds
    std::filesystem::path download_directory = {};
};

// What holds for the network of pages. What is unset stays as it is.
struct NetworkRules {
    std::optional<std::vector<Route>> routes = {};
    std::optional<bool> offline = {};
    std::optional<Throttling> throttling = {};
};

// A set of pages with cookies and storage of its own.
class Context {
public:
    virtual ~Context() = default;

    // Open tabs, oldest first.
    virtual const std::vector<std::shared_ptr<Page>>& pages() const = 0;
    virtual Task<std::shared_ptr<Page>> new_page(Deadline deadline) = 0;
    // Told of every page that opens, popups included, and of every one that closes.
    virtual void on_page_opened(std::function<void(std::shared_ptr<Page>)> callback) = 0;
    virtual void on_page_closed(std::function<void(Page&)> callback) = 0;
    // Told once when the browser is gone.
    virtual void on_lost(std::function<void()> callback) = 0;
    virtual bool is_lost() const = 0;
    virtual Task<> close(Deadline deadline) = 0;

    // Cookies and states are in the form of Playwright's storage state files: {cookies: [{name, value,
    // domain, path, expires, httpOnly, secure, sameSite}], origins: [{origin, localStorage: [{name,
    // value}]}]}.
    virtual Task<json::array> cookies(Deadline deadline) = 0;
    virtual Task<> add_cookies(json::array cookies, Deadline deadline) = 0;
    // All, or those of that name.
    virtual Task<> clear_cookies(std::optional<std::string> name, Deadline deadline) = 0;
    virtual Task<json::value> storage_state(Deadline deadline) = 0;
    // In place of all cookies and of the local storage of every origin that was visited.
    virtual Task<> set_storage_state(json::value state, Deadline deadline) = 0;

    // What another context needs to take this one's place: {cookies, origins: [{origin, localStorage,
    // databases}], unread: [origin], offline, throttling, routes}. Cookies and origins only where no profile
    // on disk keeps them. Origins that no open page shows are among the unread, unless everything is asked
    // for.
    enum class Reach { OpenPages, Everything };
    virtual Task<json::value> remember(Reach reach, Deadline deadline) = 0;
    // Takes that place, before the first page. The origins' part is a page's: see Page::fill_storage.
    virtual Task<> recall(json::value memory, Deadline deadline) = 0;

    // For all pages, also those that open later.
    virtual Task<> set_offline(bool offline, Deadline deadline) = 0;
    virtual Task<> set_throttling(Throttling throttling, Deadline deadline) = 0;
    // The last route that matches a request decides about it.
    virtual const std::vector<Route>& routes() const = 0;
    virtual Task<> set_routes(std::vector<Route> routes, Deadline deadline) = 0;
    // For these pages only: where several sessions share the context, each has rules of its own.
    virtual Task<> set_rules(std::vector<std::shared_ptr<Page>> pages, NetworkRules rules,
                             Deadline deadline) = 0;
};

struct LaunchOptions {
    std::string browser = {};               // chromium, chrome, msedge-beta, ...; empty: the best there is
    std::filesystem::path executable = {};  // comes before the name
    bool headless = true;
    std::optional<bool> sandbox = {};  // unset: unless we are root
    std::vector<std::string> arguments = {};
    // Of our own arguments, those to leave out; all of them with "*".
    std::vector<std::string> unwanted_arguments = {};
    std::vector<std::pair<std::string, std::string>> environment = {};
    std::filesystem::path user_data_dir = {};  // empty: a temporary one that goes with the browser
    int profile_lock = -1;  // of ProfileLock: the browser's process inherits this descriptor
    // Run with the path of a temporary profile behind it and a pipe as input: removes the profile once the
    // pipe ends, which it does even when we are killed. Empty: a killed server leaves the profile to the next
    // one.
    std::vector<std::string> remover = {};
    std::string proxy_server = {};
    std::string proxy_bypass = {};
    std::chrono::milliseconds timeout{30'000};
};

// The tab of somebody else's browser that its profile's context begins with.
enum class FirstTab {
    None,        // sessions open their own
    Unattached,  // the last used one that nobody is attached to, if there is one
    Any,         // that one, or else the last used one of those that no server of ours works in
};

// How to find a browser that somebody else started.
struct ConnectOptions {
    std::string endpoint = {};  // http, https, ws or wss
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::chrono::milliseconds timeout{30'000};  // zero: no limit
    FirstTab first_tab = FirstTab::Unattached;
    // The file through which the servers of this machine agree whose a tab is: see TabClaims.
    std::filesystem::path tab_claims = {};
};

// A browser process, or one that somebody else started.
class Browser {
public:
    virtual ~Browser() = default;

    virtual Task<std::shared_ptr<Context>> new_context(ContextOptions options, Deadline deadline) = 0;
    // The context that was there from the start: a persistent profile's, or the user's own.
    virtual Task<std::shared_ptr<Context>> default_context(ContextOptions options, Deadline deadline) = 0;
    virtual bool is_lost() const = 0;
    virtual void on_lost(std::function<void()> callback) = 0;
    virtual const std::string& version() const = 0;
    // Its main process, where we started it; zero: somebody else's.
    virtual int process_id() const { return 0; }
    // Ends the process and whatever it started. From a browser of somebody else's it only takes leave.
    virtual Task<> close(Deadline deadline) = 0;
};

}  // namespace engine
