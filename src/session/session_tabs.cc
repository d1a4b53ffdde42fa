// A session's tabs as agents name them, and as they come from elsewhere.
#include "browsers/context_lease.h"
#include "session/session.h"
#include "session/user_recording.h"

namespace session {

Result<std::shared_ptr<Tab>> Session::named_tab(const std::string& id) const {
    std::string known;
    bool stale = false;
    for (std::size_t i = 0; i < tabs_.size(); ++i) {
        const std::string& each = tabs_[i]->id();
        if (each == id || std::to_string(i) == id) return tabs_[i];
        stale |= id.substr(0, id.find('.')) == tabs_[i]->page().id();
        known += (known.empty() ? "" : ", ") + each;
    }
    return Error{
        .code = ErrorCode::NotFound,
        .message = stale ? "Tab " + id + " has changed hands since; it has another id now."
                         : "Tab " + id + " is not one of this session's tabs.",
        .hint = known.empty() ? "It has none: open one with browser_tabs." : "Its tabs are " + known + "."};
}

void Session::take_tab(const std::shared_ptr<engine::Page>& page, std::string id, TabAccess access) {
    auto tab = std::make_shared<Tab>(*this, page);
    tab->adopt_as(std::move(id), access);
    tabs_.push_back(tab);
    if (access == TabAccess::Full) hold_to_quota(*page);
    notify_tab_event(*tab, TabEvent::Opened);
}

void Session::hold_to_quota(engine::Page& page) {
    if (auto* holder = dynamic_cast<engine::QuotaHolder*>(&page)) holder->set_quota(quota_);
}

std::vector<std::string> Session::take_notes() {
    std::vector<std::string> notes = std::exchange(notes_, {});
    for (std::string& refusal : quota_->take_refusals()) notes.push_back(std::move(refusal));
    if (std::string refusal = console_quota_->take_refusal(); !refusal.empty())
        notes.push_back(std::move(refusal));
    return notes;
}

void Session::leave_tab(const engine::Page& page) {
    auto it = std::ranges::find_if(tabs_, [&](const auto& tab) { return &tab->page() == &page; });
    if (it == tabs_.end()) return;
    std::shared_ptr<Tab> left = *it;
    if (current_ == left) current_ = nullptr;
    if (user_recording_) user_recording_->look_away_from(page);
    ended_tabs_.push_back(left);
    tabs_.erase(it);
    if (code_runner_) code_runner_->leave(page);
    notify_tab_event(*left, TabEvent::Closed);
}

void Session::check_page_tools() {
    static const std::vector<engine::PageTool> kNone;
    const auto& tools = current_ ? current_->page_tools() : kNone;
    if (tools == reported_tools_) return;
    reported_tools_ = tools;
    if (options_.tab_event) options_.tab_event(current_ ? current_->id() : "", TabEvent::ToolsChanged);
}

std::shared_ptr<browsers::ContextLease> Session::tabs_context() const {
    auto lease = std::dynamic_pointer_cast<browsers::ContextLease>(context_);
    return lease && lease->has_own_tabs() && !lease->is_lost() ? lease : nullptr;
}

Task<> Session::assign_tab() {
    if (has_assigned_) co_return;
    co_await ensure_context();
    // An existing tab may belong to somebody else who uses the browser.
    bool is_free = current_ && !options_.shared_context && current_->page().url() == "about:blank";
    if (!is_free) co_await new_tab();
    has_assigned_ = announces_assignment_ = true;
}

}  // namespace session
