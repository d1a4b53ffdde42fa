#include "engine/browser_finder.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "util/files.h"
#include "util/strings.h"

namespace engine {
namespace {

using std::filesystem::path;

constexpr std::string_view kHeadlessShell = "chromium-headless-shell";

// One browser we know by name. Wrapper scripts add flags, cost a shell and swallow signals, so a wrapper
// found on PATH is replaced by the program of its installation.
struct KnownBrowser {
    std::string_view name;
    std::vector<std::string_view> commands;  // looked up on PATH
    std::vector<path> programs;              // where installations keep the program itself
    std::vector<path> wrappers = {};         // scripts that start programs.front()
    std::string_view install;                // installation advice if it is missing
};

const std::vector<KnownBrowser>& known_browsers() {
    constexpr std::string_view kChrome = "Install it from https://www.google.com/chrome, or use chromium.";
    constexpr std::string_view kEdge = "Install it from https://www.microsoft.com/edge, or use chromium.";
    static const std::vector<KnownBrowser> kBrowsers = {
        {kHeadlessShell,
         {"chromium-headless-shell", "chrome-headless-shell", "headless_shell"},
         {"/usr/lib/chromium/chromium-headless-shell"},
         {"/usr/bin/chromium-headless-shell"},
         "Run: apt-get install chromium-headless-shell"},
        {"chromium",
         {"chromium", "chromium-browser"},
         {"/usr/lib/chromium/chromium", "/usr/lib64/chromium/chromium",
          "/usr/lib64/chromium-browser/chromium-browser", "/usr/lib/chromium-browser/chromium-browser",
          "/snap/bin/chromium"},
         {"/usr/bin/chromium"},
         "Run: apt-get install chromium"},
        {"chrome",
         {"google-chrome-stable"},
         {"/opt/google/chrome/chrome"},
         {"/opt/google/chrome/google-chrome"},
         kChrome},
        {"chrome-beta",
         {"google-chrome-beta"},
         {"/opt/google/chrome-beta/chrome"},
         {"/opt/google/chrome-beta/google-chrome-beta"},
         kChrome},
        {"chrome-dev",
         {"google-chrome-unstable"},
         {"/opt/google/chrome-unstable/chrome"},
         {"/opt/google/chrome-unstable/google-chrome-unstable"},
         kChrome},
        {"chrome-canary",
         {"google-chrome-canary"},
         {"/opt/google/chrome-canary/chrome"},
         {"/opt/google/chrome-canary/google-chrome-canary"},
         kChrome},
        {"msedge",
         {"microsoft-edge-stable"},
         {"/opt/microsoft/msedge/msedge"},
         {"/opt/microsoft/msedge/microsoft-edge"},
         kEdge},
        {"msedge-beta",
         {"microsoft-edge-beta"},
         {"/opt/microsoft/msedge-beta/msedge"},
         {"/opt/microsoft/msedge-beta/microsoft-edge-beta"},
         kEdge},
        {"msedge-dev",
         {"microsoft-edge-dev"},
         {"/opt/microsoft/msedge-dev/msedge"},
         {"/opt/microsoft/msedge-dev/microsoft-edge-dev"},
         kEdge},
        {"msedge-canary",
         {"microsoft-edge-canary"},
         {"/opt/microsoft/msedge-canary/msedge"},
         {"/opt/microsoft/msedge-canary/microsoft-edge-canary"},
         kEdge},
    };
    return kBrowsers;
}

// Playwright's name for its bundled Chromium; for us it means the installed one.
constexpr std::string_view kChromiumAlias = "chrome-for-testing";

const KnownBrowser* find_known(std::string_view name) {
    if (name == kChromiumAlias) name = "chromium";
    auto it = std::ranges::find(known_browsers(), name, &KnownBrowser::name);
    return it == known_browsers().end() ? nullptr : &*it;
}

bool contains(const std::vector<path>& paths, const path& wanted) {
    return std::ranges::find(paths, wanted) != paths.end();
}

// The browser that this file belongs to, judged by its location or else by its file name.
const KnownBrowser* owner_of(const path& file) {
    for (const KnownBrowser& browser : known_browsers())
        if (contains(browser.programs, file) || contains(browser.wrappers, file)) return &browser;
    for (const KnownBrowser& browser : known_browsers())
        if (std::ranges::find(browser.commands, file.filename().string()) != browser.commands.end())
            return &browser;
    return nullptr;
}

FoundBrowser describe(const path& file, const Machine& machine) {
    path target = machine.resolve(file);
    const KnownBrowser* owner = owner_of(target);
    if (!owner) return {.path = file, .name = file.filename().string()};
    bool is_wrapper = contains(owner->wrappers, target) && machine.is_executable(owner->programs.front());
    return {.path = is_wrapper ? owner->programs.front() : file,
            .name = std::string(owner->name),
            .headless_only = owner->name == kHeadlessShell};
}

std::optional<FoundBrowser> find_installed(const KnownBrowser& browser, const Machine& machine) {
    auto named = [&](const path& file) {
        FoundBrowser found = describe(file, machine);
        found.name = browser.name;
        found.headless_only = browser.name == kHeadlessShell;
        return found;
    };
    for (std::string_view command : browser.commands)
        for (const path& directory : machine.search_path)
            if (machine.is_executable(directory / command)) return named(directory / command);
    for (const path& program : browser.programs)
        if (machine.is_executable(program)) return named(program);
    return std::nullopt;
}

Result<FoundBrowser> find_executable(const BrowserChoice& choice, const Machine& machine) {
    if (machine.is_executable(choice.executable)) return describe(choice.executable, machine);
    return Error{
        .code = ErrorCode::NotFound,
        .message = "Failed to launch " + choice.executable.string() +
                   " because executable doesn't exist or cannot be run.",
        .hint = "Check the path given with --executable-path, or leave it out to use an installed browser.",
    };
}

Result<FoundBrowser> find_named(const BrowserChoice& choice, const Machine& machine) {
    const KnownBrowser* wanted = find_known(choice.name);
    if (!wanted) {
        std::string nearest = nearest_name(choice.name, browser_names());
        return Error{
            .code = ErrorCode::InvalidArgument,
            .message = "There is no browser called \"" + choice.name + "\" that can be driven over DevTools.",
            .hint = nearest.empty() ? "Use one of: " + join(browser_names(), ", ") + "."
                                    : "Did you mean " + nearest + "?",
        };
    }
    if (auto found = find_installed(*wanted, machine)) return *found;
    // Headless, the shell is the same browser, only lighter.
    if (wanted->name == "chromium" && choice.headless)
        if (auto found = find_installed(*find_known(kHeadlessShell), machine)) return *found;
    return Error{
        .code = ErrorCode::NotFound,
        .message = "The browser " + std::string(wanted->name) + " is not installed.",
        .hint = std::string(wanted->install),
    };
}

Result<FoundBrowser> find_best(const BrowserChoice& choice, const Machine& machine) {
    constexpr std::string_view kPreference[] = {kHeadlessShell, "chromium", "chrome", "msedge"};
    for (std::string_view name : std::span(kPreference).subspan(choice.headless ? 0 : 1))
        if (auto found = find_installed(*find_known(name), machine)) return *found;
    return Error{
        .code = ErrorCode::NotFound,
        .message =
            choice.headless ? "No browser is installed." : "No browser that opens a window is installed.",
        .hint = choice.headless ? "Run: apt-get install chromium-headless-shell"
                                : "Run: apt-get install chromium",
    };
}

}  // namespace

Machine Machine::current() {
    Machine machine;
    machine.is_executable = [](const path& file) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
    };
    machine.resolve = [](const path& file) {
        std::error_code failed;
        path target = std::filesystem::canonical(file, failed);
        return failed ? file : target;
    };
    for (const std::string& directory : split(environment("PATH"), ':'))
        if (directory.starts_with('/')) machine.search_path.emplace_back(directory);
    return machine;
}

Result<FoundBrowser> find_browser(const BrowserChoice& choice, const Machine& machine) {
    Result<FoundBrowser> found = !choice.executable.empty() ? find_executable(choice, machine)
                                 : !choice.name.empty()     ? find_named(choice, machine)
                                                            : find_best(choice, machine);
    if (found && found->headless_only && !choice.headless) {
        return Error{
            .code = ErrorCode::InvalidArgument,
            .message = found->path.string() + " cannot open a window.",
            .hint = "Use --headless, or a full browser: --browser chromium.",
        };
    }
    return found;
}

std::vector<std::string> browser_names() {
    std::vector<std::string> names;
    for (const KnownBrowser& browser : known_browsers()) names.emplace_back(browser.name);
    return names;
}

}  // namespace engine
