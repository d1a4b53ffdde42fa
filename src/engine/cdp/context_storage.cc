// Cookies and stored state of a whole context.
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/refusal.h"
#include "engine/cdp/storage_state.h"
#include "engine/storage_state.h"

namespace cdp {
namespace {

// Longer than any caller waits for a work tab.
constexpr std::chrono::seconds kWorkTabTimeout{30};

// "https://example.com:8443"; empty for a URL that has no storage of its own.
std::string stored_origin(std::string_view url) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) return {};
    return std::string(url.substr(0, url.find_first_of("/?#", url.find("://") + 3)));
}

bool fits(const engine::CookieFilter& filter, const json::object& cookie) {
    auto equals = [&](std::string_view key, const std::optional<std::string>& wanted) {
        return !wanted || text_of(cookie, key) == *wanted;
    };
    return equals("name", filter.name) && equals("domain", filter.domain) && equals("path", filter.path);
}

}  // namespace

void Context::note_visit(std::string_view url) {
    std::string origin = stored_origin(url);
    if (origin.empty()) return;
    // A page can visit any number of origins; the storage of further ones is not recorded.
    constexpr std::size_t kMaxVisited = 10'000;
    if (visited_.size() < kMaxVisited) visited_.insert(std::move(origin));
    browser_->note_visitor(id_);
}

// The context owns the creation: if the caller gives up, the tab is closed and never mistaken for one of the
// session's.
Task<std::shared_ptr<Context::WorkTab>> Context::open_work_tab() {
    using Made = Result<std::shared_ptr<WorkTab>>;
    Completion<Made> made(browser_->loop());
    making_work_tabs_.add(
        with_deadline(browser_->loop(), make_work_tab(), Deadline::in(kWorkTabTimeout), "Opening a tab"),
        [made](Made tab) { made.set(std::move(tab)); });
    Made tab = co_await made;
    co_return std::move(tab);
}

Task<std::shared_ptr<Context::WorkTab>> Context::make_work_tab() {
    auto self = shared_from_this();
    // However this ends, the held targets go on.
    struct Hold {
        Context& context;
        explicit Hold(Context& context) : context(context) { ++context.opening_work_tabs_; }
        ~Hold() {
            if (--context.opening_work_tabs_ > 0) return;
            for (const Attached& each : std::exchange(context.held_, {}))
                context.take_target(each.session, each.target);
        }
    } hold(*this);

    json::object params{{"url", "about:blank"}, {"background", true}};
    if (!id_.empty()) params["browserContextId"] = id_;
    auto tab = std::make_shared<WorkTab>(browser_, co_await create_target(std::move(params)));
    for (;;) {
        auto it = std::ranges::find_if(
            held_, [&](const Attached& each) { return text_of(each.target, "targetId") == tab->target; });
        if (it != held_.end()) {
            tab->session = it->session;
            held_.erase(it);
            break;
        }
        Completion<bool> held(browser_->loop());
        target_held_.push_back(held);
        co_await held;
    }
    // If its first document has not loaded yet, a navigation would be lost.
    Pending enabled = tab->session->begin("Page.enable");
    tab->session->post("Runtime.runIfWaitingForDebugger");
    co_await (co_await enabled);
    co_return tab;
}

Task<json::array> Context::cookies(Deadline deadline) {
    return with_deadline(browser_->loop(), capture_cookies(browser_->connection()->browser(), id_), deadline,
                         "Reading the cookies");
}

Task<> Context::add_cookies(json::array cookies, Deadline deadline) {
    return with_deadline(browser_->loop(),
                         set_cookies(browser_->connection()->browser(), id_, std::move(cookies)), deadline,
                         "Setting cookies");
}

Task<> Context::delete_cookies(engine::CookieFilter filter) {
    auto root = browser_->connection()->browser();
    if (filter.is_for_all()) {
        json::object params;
        if (!id_.empty()) params["browserContextId"] = id_;
        co_await root->send("Storage.clearCookies", std::move(params));
        co_return;
    }
    json::array expired;
    for (json::value& cookie : co_await capture_cookies(root, id_)) {
        if (!fits(filter, cookie.as_object())) continue;
        cookie.get_object()["expires"] = 1;
        expired.push_back(std::move(cookie));
    }
    co_await set_cookies(root, id_, std::move(expired));
}

Task<> Context::clear_cookies(engine::CookieFilter filter, Deadline deadline) {
    return with_deadline(browser_->loop(), delete_cookies(std::move(filter)), deadline, "Deleting cookies");
}

Task<json::value> Context::capture_state() {
    auto self = shared_from_this();
    json::array cookies = co_await capture_cookies(browser_->connection()->browser(), id_);
    json::array origins;
    std::set<std::string> missing = visited_;
    // Open pages can be read directly, unless a dialog blocks them.
    for (const auto& page : living_pages()) {
        std::string origin = stored_origin(page->url());
        if (!page->modals().empty() || page->has_crashed() || !missing.contains(origin)) continue;
        auto storage = co_await as_result(local_storage_of(page->session()));
        if (!storage) continue;
        missing.erase(origin);
        if (storage->is_object()) origins.push_back(std::move(*storage));
    }
    if (!missing.empty()) {
        std::shared_ptr<WorkTab> tab = co_await open_work_tab();
        json::array others = co_await capture_local_storage(tab->session, {missing.begin(), missing.end()});
        std::ranges::move(others, std::back_inserter(origins));
    }
    co_return json::object{{"cookies", std::move(cookies)}, {"origins", std::move(origins)}};
}

Task<json::value> Context::storage_state(Deadline deadline) {
    return with_deadline(browser_->loop(), capture_state(), deadline, "Saving the storage state");
}

// A rejected state must not cost the current logins: invalid cookies are rejected before storage is written,
// and if storage does not fit, the previous cookies are restored.
Task<> Context::replace_state(json::value state) {
    auto self = shared_from_this();
    std::set<std::string> emptied = visited_, restored;
    json::array origins;
    if (const json::array* given = json::find_array(state.as_object(), "origins")) {
        origins = *given;
        for (const json::value& each : *given) {
            std::string origin = text_of(each.as_object(), "origin");
            emptied.erase(origin);
            restored.insert(std::move(origin));
        }
    }
    for (const std::string& origin : emptied)
        origins.push_back(json::object{{"origin", origin}, {"localStorage", json::array()}});
    auto root = browser_->connection()->browser();
    json::array before = co_await capture_cookies(root, id_);
    co_await restore_cookies(root, id_, state);
    if (!origins.empty()) {
        std::shared_ptr<WorkTab> tab = co_await open_work_tab();
        auto written = co_await as_result(
            refusable(restore_local_storage(tab->session, json::object{{"origins", std::move(origins)}})));
        if (!written) {
            (void)co_await as_result(
                replace_cookies(root, id_, json::object{{"cookies", std::move(before)}}));
            co_await engine::not_restored(written.error());
        }
    }
    co_await replace_cookies(root, id_, std::move(state));
    visited_.clear();
    for (const std::string& origin : restored) note_visit(origin);
    for (const auto& page : living_pages()) note_visit(page->url());
}

Task<> Context::set_storage_state(json::value state, Deadline deadline) {
    auto checked = engine::read_storage_state(std::move(state));
    if (!checked) co_await engine::not_restored(checked.error());
    co_await with_deadline(browser_->loop(), replace_state(std::move(*checked)), deadline,
                           "Restoring the storage state");
}

}  // namespace cdp
