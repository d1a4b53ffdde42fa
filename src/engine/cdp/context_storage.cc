// Cookies and stored state of a whole context.
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/refusal.h"
#include "engine/cdp/storage_state.h"

namespace cdp {
namespace {

// Longer than anybody waits for one.
constexpr std::chrono::seconds kWorkTabTimeout{30};

// "https://example.com:8443"; empty for an address that has no storage of its own.
std::string stored_origin(std::string_view url) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) return {};
    return std::string(url.substr(0, url.find_first_of("/?#", url.find("://") + 3)));
}

}  // namespace

void Context::note_visit(std::string_view url) {
    std::string origin = stored_origin(url);
    if (origin.empty()) return;
    visited_.insert(std::move(origin));
    browser_->note_visitor(id_);
}

// The context owns the making: a tab whose caller has given up meanwhile is closed, and never taken for one
// of the session's.
Task<std::shared_ptr<Context::WorkTab>> Context::open_work_tab() {
    using Made = Result<std::shared_ptr<WorkTab>>;
    Completion<Made> made(browser_->loop());
    std::uint64_t number = ++last_work_tab_;
    Running making = start(
        with_deadline(browser_->loop(), make_work_tab(), Deadline::in(kWorkTabTimeout), "Opening a tab"),
        [this, number, made](Made tab) {
            made.set(std::move(tab));
            making_work_tabs_.erase(number);
        });
    if (!making.done()) making_work_tabs_.emplace(number, std::move(making));
    Made tab = co_await made;
    co_return std::move(tab);
}

Task<std::shared_ptr<Context::WorkTab>> Context::make_work_tab() {
    auto self = shared_from_this();
    // However this ends, the targets that were held back go on.
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
    // Where its first document is not there yet, a navigation would be lost.
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

Task<> Context::delete_cookies(std::optional<std::string> name) {
    auto root = browser_->connection()->browser();
    if (!name) {
        json::object params;
        if (!id_.empty()) params["browserContextId"] = id_;
        co_await root->send("Storage.clearCookies", std::move(params));
        co_return;
    }
    json::array expired;
    for (json::value& cookie : co_await capture_cookies(root, id_)) {
        if (text_of(cookie.as_object(), "name") != *name) continue;
        cookie.get_object()["expires"] = 1;
        expired.push_back(std::move(cookie));
    }
    co_await set_cookies(root, id_, std::move(expired));
}

Task<> Context::clear_cookies(std::optional<std::string> name, Deadline deadline) {
    return with_deadline(browser_->loop(), delete_cookies(std::move(name)), deadline, "Deleting cookies");
}

Task<json::value> Context::capture_state() {
    auto self = shared_from_this();
    json::array cookies = co_await capture_cookies(browser_->connection()->browser(), id_);
    json::array origins;
    std::set<std::string> missing = visited_;
    // Open pages can be asked as they are, all but those that a dialog stops.
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

Task<> Context::replace_state(json::value state) {
    auto self = shared_from_this();
    auto root = browser_->connection()->browser();
    co_await delete_cookies(std::nullopt);
    co_await restore_cookies(root, id_, state);
    std::set<std::string> emptied = visited_;
    json::array origins;
    if (const json::array* given = json::find_array(state.as_object(), "origins")) {
        origins = *given;
        for (const json::value& each : *given) {
            if (each.is_object()) emptied.erase(text_of(each.get_object(), "origin"));
        }
    }
    visited_.clear();
    for (const json::value& each : origins) {
        if (each.is_object()) note_visit(text_of(each.get_object(), "origin"));
    }
    for (const std::string& origin : emptied)
        origins.push_back(json::object{{"origin", origin}, {"localStorage", json::array()}});
    for (const auto& page : living_pages()) note_visit(page->url());
    if (origins.empty()) co_return;
    std::shared_ptr<WorkTab> tab = co_await open_work_tab();
    auto restored = co_await as_result(
        refusable(restore_local_storage(tab->session, json::object{{"origins", std::move(origins)}})));
    if (restored) co_return;
    restored.error().message.insert(0, "Error setting storage state:\n");
    co_await restored.error();
}

Task<> Context::set_storage_state(json::value state, Deadline deadline) {
    if (!state.is_object())
        co_await Error{.code = ErrorCode::InvalidArgument, .message = "storageState: expected object"};
    co_await with_deadline(browser_->loop(), replace_state(std::move(state)), deadline,
                           "Restoring the storage state");
}

}  // namespace cdp
