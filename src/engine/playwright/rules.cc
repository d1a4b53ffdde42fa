#include "engine/playwright/rules.h"

#include <algorithm>
#include <array>
#include <utility>

namespace playwright {
namespace {

using Entry = std::pair<std::string_view, Rule>;

constexpr auto kBrowserRules = std::to_array<Entry>({
    {"Browser.cancelDownload", Rule::Forward},   {"Browser.close", Rule::Ignore},
    {"Browser.getVersion", Rule::Forward},       {"Browser.grantPermissions", Rule::Forward},
    {"Browser.resetPermissions", Rule::Forward}, {"Browser.setDownloadBehavior", Rule::Ignore},
    {"Browser.setPermission", Rule::Forward},    {"Storage.clearCookies", Rule::Forward},
    {"Storage.getCookies", Rule::Forward},       {"Storage.setCookies", Rule::Forward},
    {"Target.activateTarget", Rule::OwnTarget},  {"Target.attachToBrowserTarget", Rule::AttachBrowser},
    {"Target.attachToTarget", Rule::Attach},     {"Target.closeTarget", Rule::OwnTarget},
    {"Target.createTarget", Rule::CreateTarget}, {"Target.detachFromTarget", Rule::OwnSession},
    {"Target.getTargetInfo", Rule::OwnTarget},   {"Target.getTargets", Rule::ListTargets},
    {"Target.setAutoAttach", Rule::AutoAttach},
});

// Rules for the domains that reach beyond a target.
constexpr auto kTargetRules = std::to_array<Entry>({
    {"Browser.getVersion", Rule::Forward},
    {"Browser.getWindowBounds", Rule::OwnWindow},
    {"Browser.getWindowForTarget", Rule::OwnTarget},
    {"Browser.setDockTile", Rule::Ignore},
    {"Browser.setWindowBounds", Rule::OwnWindow},
    {"Page.setDownloadBehavior", Rule::Ignore},
    {"Target.detachFromTarget", Rule::OwnSession},
    {"Target.getTargetInfo", Rule::OwnTarget},
    {"Target.getTargets", Rule::ListTargets},
    {"Target.setAutoAttach", Rule::AutoAttach},
});

// Domains that concern only the target itself.
constexpr auto kTargetDomains = std::to_array<std::string_view>({
    "Accessibility",
    "Animation",
    "Audits",
    "CSS",
    "CacheStorage",
    "Console",
    "DOM",
    "DOMDebugger",
    "DOMSnapshot",
    "DOMStorage",
    "Debugger",
    "Emulation",
    "Fetch",
    "HeapProfiler",
    "IO",
    "IndexedDB",
    "Input",
    "Inspector",
    "LayerTree",
    "Log",
    "Media",
    "Network",
    "Overlay",
    "Page",
    "Performance",
    "PerformanceTimeline",
    "Profiler",
    "Runtime",
    "Schema",
    "Security",
    "ServiceWorker",
    "Storage",
    "WebAudio",
    "WebAuthn",
});

template <std::size_t count>
const Entry* find(const std::array<Entry, count>& table, std::string_view method) {
    auto it = std::ranges::find(table, method, &Entry::first);
    return it == table.end() ? nullptr : &*it;
}

}  // namespace

Rule rule_for(std::string_view method, CommandScope scope) {
    const Entry* entry =
        scope == CommandScope::Browser ? find(kBrowserRules, method) : find(kTargetRules, method);
    if (entry) return entry->second;
    if (scope == CommandScope::Browser) return Rule::Refuse;
    std::size_t dot = method.find('.');
    bool known = dot != method.npos &&
                 std::ranges::find(kTargetDomains, method.substr(0, dot)) != kTargetDomains.end();
    return known ? Rule::Forward : Rule::Refuse;
}

}  // namespace playwright
