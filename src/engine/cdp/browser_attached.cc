// Somebody else's browser: what is ours in it, and how everything else is left alone.
#include "engine/cdp/browser.h"
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// A tab that shows a dialog, hangs or was put to sleep does not answer; a new one does.
constexpr auto kReuseLimit = 3s;

// Windows of the browser's own tools pass for tabs.
bool is_tab(const json::object& target) {
    std::string url = text_of(target, "url");
    return text_of(target, "type") == "page" && !url.starts_with("devtools://") &&
           !url.starts_with("chrome-extension://");
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

Task<std::shared_ptr<Browser>> Browser::attach(Loop& loop, Connected connected,
                                               std::vector<std::string> tabs_in_use, Log& log) {
    std::shared_ptr<Browser> browser(new Browser(loop, std::move(connected.connection), log));
    browser->recent_tabs_ = std::move(connected.recent_tabs);
    browser->tabs_in_use_ = std::move(tabs_in_use);
    browser->listen();
    auto root = browser->connection_->browser();
    std::weak_ptr<Browser> weak = browser;
    browser->subscriptions_.push_back(root->on("Target.targetCreated", [weak](const json::object& params) {
        if (auto self = weak.lock()) self->discovered(params);
    }));
    Pending version = root->begin("Browser.getVersion");
    // To be told of tabs is not to touch them. Auto-attaching here would stop every new tab of the user's.
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

// A tab opened. It is ours in a context of ours, and when a tab of ours opened it.
void Browser::discovered(const json::object& params) {
    const json::object* target = json::find_object(params, "targetInfo");
    if (!target || text_of(*target, "type") != "page") return;
    std::string opener = text_of(*target, "openerId"), frame = text_of(*target, "openerFrameId");
    bool is_popup = our_tabs_.contains(opener) || (!frame.empty() && page_with(frame));
    if (is_popup || contexts_.contains(text_of(*target, "browserContextId")))
        ensure_attached(text_of(*target, "targetId"));
}

void Browser::ensure_attached(const std::string& target) {
    if (is_ours() || !our_tabs_.try_emplace(target).second) return;
    connection_->browser()->post("Target.attachToTarget", {{"targetId", target}, {"flatten", true}});
}

// The tab stays, as if we had never been there.
Task<> Browser::detach(std::string target) {
    auto tab = our_tabs_.extract(target);
    if (!tab || tab.mapped().empty()) co_return;
    co_await connection_->browser()->send("Target.detachFromTarget", {{"sessionId", tab.mapped()}});
}

Task<> Browser::detach_all() {
    while (!our_tabs_.empty() && !is_lost()) (void)co_await as_result(detach(our_tabs_.begin()->first));
}

// What would change the whole profile, and with it the user's other tabs.
engine::ContextOptions Browser::leave_profile_alone(engine::ContextOptions options) {
    if (!options.permissions.empty() || !options.storage_state.is_null()) {
        log_.warn("permissions and storage state are not applied to the profile of somebody else's browser",
                  {{"hint", "use --isolated"}});
    }
    options.permissions.clear();
    options.storage_state = nullptr;
    options.download_directory.clear();
    return options;
}

// The one that was used last, best one that nobody else works in. Empty: there is none.
Task<std::string> Browser::tab_to_reuse() {
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
    struct Candidate {
        bool in_use;
        std::size_t age;
        std::string id;
        auto operator<=>(const Candidate&) const = default;
    };
    std::optional<Candidate> best;
    for (const json::value& each : targets.at("targetInfos").as_array()) {
        const json::object& target = each.as_object();
        std::string id = text_of(target, "targetId");
        if (!is_tab(target) || !is_in_profile(target) || contains(tabs_in_use_, id)) continue;
        auto place = std::find(recent_tabs_.begin(), recent_tabs_.end(), id);
        Candidate candidate{flag_of(target, "attached"),
                            static_cast<std::size_t>(place - recent_tabs_.begin()), id};
        if (!best || candidate < *best) best = std::move(candidate);
    }
    co_return best ? best->id : std::string();
}

Task<> Browser::reuse_tab(std::shared_ptr<Context> context, Deadline deadline) {
    std::string tab = co_await with_deadline(loop_, tab_to_reuse(), deadline, "Listing the browser's tabs");
    if (tab.empty()) co_return;
    ensure_attached(tab);
    auto opened = co_await as_result(with_deadline(loop_, context->wait_for_page(tab),
                                                   Deadline::in(kReuseLimit).earlier(deadline), "Attaching"));
    if (opened) co_return;
    if (is_lost()) co_await opened.error();
    log_.warn("a tab does not answer and is left alone", {{"reason", opened.error().message}});
    context->abandon(tab);
    co_await with_deadline(loop_, detach(tab), deadline, "Leaving a tab");
}

}  // namespace cdp
