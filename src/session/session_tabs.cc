// A session's tabs as agents name them, and as they come from elsewhere.
#include "session/lent_context.h"
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
    tab->come_from_elsewhere(std::move(id), access);
    tabs_.push_back(tab);
    tell_of(*tab, TabEvent::Opened);
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
    tell_of(*left, TabEvent::Closed);
}

void Session::check_page_tools() {
    static const std::vector<engine::PageTool> kNone;
    const auto& tools = current_ ? current_->page_tools() : kNone;
    if (tools == told_tools_) return;
    told_tools_ = tools;
    if (options_.tab_event) options_.tab_event(current_ ? current_->id() : "", TabEvent::ToolsChanged);
}

std::shared_ptr<LentContext> Session::tabs_context() const {
    auto lent = std::dynamic_pointer_cast<LentContext>(context_);
    return lent && lent->has_own_tabs() && !lent->is_lost() ? lent : nullptr;
}

Task<> Session::assign_tab() {
    if (has_assigned_) co_return;
    co_await ensure_context();
    // A tab that is there already may be somebody's who uses the browser too.
    bool is_free = current_ && !options_.shared_context && current_->page().url() == "about:blank";
    if (!is_free) co_await new_tab();
    has_assigned_ = tells_assignment_ = true;
}

}  // namespace session
