// External browsers: takes only our own tabs and leaves everything else alone.
#include <algorithm>
#include <set>

#include "engine/cdp/browser.h"
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// A tab that shows a dialog, hangs or is suspended does not answer; then a new one is opened.
constexpr auto kReuseLimit = 3s;

// Windows of the browser's own tools are reported as tabs.
bool is_tab(const json::object& target) {
    std::string url = text_of(target, "url");
    return text_of(target, "type") == "page" && !url.starts_with("devtools://") &&
           !url.starts_with("chrome-extension://");
}

}  // namespace

Task<std::shared_ptr<Browser>> Browser::attach(Loop& loop, Connected connected,
                                               const engine::ConnectOptions& options, Log& log) {
    std::shared_ptr<Browser> browser(new Browser(loop, std::move(connected.connection), log));
    browser->recent_tabs_ = std::move(connected.recent_tabs);
    browser->first_tab_ = options.first_tab;
    browser->claims_.emplace(options.tab_claims);
    browser->listen();
    auto root = browser->connection_->browser();
    browser->targets_.listen(root);
    std::weak_ptr<Browser> weak = browser;
    browser->subscriptions_.push_back(root->on("Target.targetCreated", [weak](const json::object& params) {
        if (auto self = weak.lock()) self->discovered(params);
    }));
    Pending version = root->begin("Browser.getVersion");
    // Discovering does not touch tabs. Auto-attaching here would pause every new tab of the user.
    Pending discover =
        root->begin("Target.setDiscoverTargets",
                    {{"discover", true}, {"filter", json::array{json::object{{"type", "page"}}}}});
    json::value answer = co_await (co_await version);
    co_await (co_await discover);
    browser->version_ = text_of(answer.as_object(), "product");
    bool headless = text_of(answer.as_object(), "userAgent").contains("Headless");
    browser->headless_ = headless ? Headless::Yes : Headless::No;
    co_return browser;
}

// Called when a tab opened. It is ours if its context is ours or a tab of ours opened it.
void Browser::discovered(const json::object& params) {
    const json::object* target = json::find_object(params, "targetInfo");
    if (!target || text_of(*target, "type") != "page") return;
    std::string opener = text_of(*target, "openerId"), frame = text_of(*target, "openerFrameId");
    bool is_popup = our_tabs_.contains(opener) || (!frame.empty() && page_with(frame));
    if (!is_popup && !contexts_.contains(text_of(*target, "browserContextId"))) return;
    note_opener(*target);
    take_tab(text_of(*target, "targetId"), opener);
}

bool Browser::take_tab(const std::string& target, const std::string& opener) {
    if (our_tabs_.contains(target)) return true;
    auto claim = claims_->claim(target);
    if (!claim) return false;
    our_tabs_.emplace(target, OurTab{.claim = std::move(*claim)});
    if (!opener.empty()) attaching_popups_[target] = opener;
    std::weak_ptr<Browser> weak = shared_from_this();
    connection_->browser()->relay("Target.attachToTarget", {{"targetId", target}, {"flatten", true}},
                                  [weak, target](const json::object&) {
                                      if (auto self = weak.lock()) self->attached_popup(target);
                                  });
    return true;
}

void Browser::attached_popup(const std::string& target) {
    if (attaching_popups_.erase(target) == 0) return;
    for (const auto& [id, context] : contexts_) {
        if (auto each = context.lock()) each->check_popups();
    }
}

bool Browser::is_attaching_popup(const std::string& opener) const {
    return std::ranges::any_of(attaching_popups_, [&](const auto& each) { return each.second == opener; });
}

// The tab stays open, as if it had never been attached.
Task<> Browser::detach(std::string target) {
    auto tab = our_tabs_.extract(target);
    if (!tab || tab.mapped().session.empty()) co_return;
    co_await connection_->browser()->send("Target.detachFromTarget", {{"sessionId", tab.mapped().session}});
}

Task<> Browser::detach_all() {
    while (!our_tabs_.empty() && !is_lost()) (void)co_await as_result(detach(our_tabs_.begin()->first));
}

// Removes the options that would change the whole profile, and with it the user's other tabs.
engine::ContextOptions Browser::leave_profile_alone(engine::ContextOptions options) {
    if (!options.permissions.empty() || !options.storage_state.is_null()) {
        log_.warn("permissions and storage state are not applied to the profile of somebody else's browser",
                  {{"hint", "use --isolated"}});
    }
    options.permissions.clear();
    options.storage_state = nullptr;
    return options;
}

// Unattached tabs, the last used first. Test runners and other automation clients attach to every tab: if
// FirstTab::Any allows it, tabs that only such clients are attached to follow.
Task<std::vector<std::string>> Browser::tabs_to_reuse() {
    auto root = connection_->browser();
    Pending list = root->begin("Target.getTargets");
    Pending contexts = root->begin("Target.getBrowserContexts");
    json::value targets = co_await (co_await list);
    json::value others = co_await (co_await contexts);
    std::string profile = text_of(others.as_object(), "defaultBrowserContextId");
    const json::array& incognito = others.at("browserContextIds").as_array();
    auto is_in_profile = [&](const json::object& target) {
        std::string context = text_of(target, "browserContextId");
        if (!profile.empty()) return context == profile;
        return std::find(incognito.begin(), incognito.end(), json::value(context)) == incognito.end();
    };
    std::set<std::string> claimed, attached;
    for (const json::value& each : targets.at("targetInfos").as_array()) {
        std::string id = text_of(each.as_object(), "targetId");
        if (claims_->is_claimed(id)) claimed.insert(id);
        if (flag_of(each.as_object(), "attached")) attached.insert(id);
    }
    std::vector<std::tuple<bool, std::ptrdiff_t, std::string>> free;
    for (const json::value& each : targets.at("targetInfos").as_array()) {
        const json::object& target = each.as_object();
        std::string id = text_of(target, "targetId"), opener = text_of(target, "openerId");
        // A popup that a claimed tab has just opened is about to be claimed by the same session.
        bool is_claimed = claimed.contains(id) || claimed.contains(opener);
        bool is_attached = attached.contains(id) || attached.contains(opener);
        if (is_claimed || (is_attached && first_tab_ != engine::FirstTab::Any)) continue;
        if (!is_tab(target) || !is_in_profile(target)) continue;
        free.emplace_back(is_attached, std::ranges::find(recent_tabs_, id) - recent_tabs_.begin(), id);
    }
    std::ranges::sort(free);
    std::vector<std::string> tabs;
    for (auto& each : free) tabs.push_back(std::move(std::get<std::string>(each)));
    co_return tabs;
}

Task<> Browser::reuse_tab(std::shared_ptr<Context> context, Deadline deadline) {
    std::vector<std::string> tabs =
        co_await with_deadline(loop_, tabs_to_reuse(), deadline, "Listing the browser's tabs");
    // Another session may have claimed the tab since.
    auto taken = std::ranges::find_if(tabs, [&](const std::string& each) { return take_tab(each); });
    if (taken == tabs.end()) co_return;
    auto opened = co_await as_result(with_deadline(loop_, context->wait_for_page(*taken),
                                                   Deadline::in(kReuseLimit).earlier(deadline), "Attaching"));
    if (opened) co_return;
    if (is_lost()) co_await opened.error();
    log_.warn("a tab does not answer and is left alone", {{"reason", opened.error().message}});
    context->abandon(*taken);
    co_await with_deadline(loop_, detach(*taken), deadline, "Leaving a tab");
}

}  // namespace cdp
