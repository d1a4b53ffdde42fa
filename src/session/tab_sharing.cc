#include "session/tab_sharing.h"

#include <algorithm>

#include "browsers/context_lease.h"
#include "util/crypto.h"

namespace session {
namespace {

constexpr std::chrono::seconds kHandOverTimeout{10};

Error not_shareable() {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Tabs can be shared only between sessions that have one browser context.",
                 .hint = "Start the server with --isolation shared."};
}

Error invalid(std::string message, std::string hint) {
    return Error{.code = ErrorCode::InvalidArgument, .message = std::move(message), .hint = std::move(hint)};
}

Result<void> check_may_share(const Session& from, const Tab& tab) {
    if (!from.tabs_context()) return not_shareable();
    if (tab.is_read_only()) return read_only_error(tab);
    return ok();
}

}  // namespace

Error read_only_error(const Tab& tab) {
    return Error{
        .code = ErrorCode::PolicyDenied,
        .message = "Tab " + tab.id() + " is lent to this session to be looked at, not to be changed.",
        .hint =
            "Work in another tab, ask its owner to hand it over, or give it back with browser_tabs "
            "action release."};
}

std::string TabSharing::next_id(const engine::Page& page) {
    return page.id() + "." + std::to_string(++leases_[page.id()]);
}

Task<std::string> TabSharing::share(std::shared_ptr<Session> from, std::shared_ptr<Tab> tab,
                                    std::shared_ptr<Session> to, TabAccess access) {
    co_await check_may_share(*from, *tab);
    if (from == to) co_await invalid("The tab is this session's already.", "Name another session.");
    auto context = from->tabs_context(), theirs = to->tabs_context();
    if (!theirs || !theirs->shares_with(*context)) {
        co_await invalid("The other session has no browser yet.",
                         "Let it make a call first, or offer the tab without naming a session.");
    }
    std::shared_ptr<engine::Page> page = tab->shared_page();
    if (access == TabAccess::ReadOnly) {
        auto has_it = [&](const auto& each) { return each->shared_page() == page; };
        if (std::ranges::any_of(to->tabs(), has_it))
            co_await invalid("The tab is lent to that session already.", "Take it back with action release.");
        // Drops loans that ended otherwise.
        std::erase_if(loans_, [&](const Loan& loan) {
            auto borrower = loan.borrower.lock();
            return !borrower || (loan.page == page->id() && borrower == to);
        });
        std::string id = next_id(*page);
        theirs->watch(page);
        to->take_tab(page, id, access);
        loans_.push_back({page->id(), from, to});
        co_return id;
    }
    // Ends the loans of the former owner.
    withdraw(page->id(), nullptr);
    std::string id = next_id(*page);
    from->leave_tab(*page);
    to->take_tab(page, id, access);
    from_[page->id()] = from;
    co_await context->hand_over(page, theirs, Deadline::in(kHandOverTimeout));
    co_return id;
}

Result<std::string> TabSharing::offer(const std::shared_ptr<Session>& from, const std::shared_ptr<Tab>& tab,
                                      TabAccess access) {
    TRY(check_may_share(*from, *tab));
    std::erase_if(offers_, [](const auto& each) { return each.second.from.expired(); });
    std::string token = random_uuid();
    offers_.emplace(token, Offer{from, tab->id(), access});
    return token;
}

Task<std::string> TabSharing::redeem(std::string token, std::shared_ptr<Session> to) {
    auto found = offers_.find(token);
    auto from = found == offers_.end() ? nullptr : found->second.from.lock();
    if (!from)
        co_await invalid("There is no tab to be had for this token.", "Ask for a new one; each works once.");
    Offer offer = found->second;
    auto tab = from->named_tab(offer.tab);
    if (!tab) {
        offers_.erase(found);
        co_await invalid("The tab of this token is gone, or another session's by now.", "Ask for a new one.");
    }
    co_await to->ensure_browser();
    // Sessions do not wait for each other.
    if (offer.access == TabAccess::Full && from->is_busy()) {
        co_await Error{.code = ErrorCode::ResourceExhausted,
                       .message = "The session that offers this tab is in the middle of a call.",
                       .hint = "Try again in a moment."};
    }
    std::string id = co_await share(from, *tab, to, offer.access);
    offers_.erase(token);
    co_return id;
}

bool TabSharing::withdraw(const std::string& page, const Session* owner) {
    bool any = std::erase_if(offers_, [&](const auto& each) {
                   auto from = each.second.from.lock();
                   return !from || ((!owner || from.get() == owner) &&
                                    (each.second.tab == page || each.second.tab.starts_with(page + ".")));
               }) > 0;
    for (const Loan& loan : std::vector(loans_)) {
        if (loan.page != page) continue;
        any = true;
        auto borrower = loan.borrower.lock();
        if (!borrower) continue;
        std::vector<std::shared_ptr<Tab>> tabs = borrower->tabs();
        for (const auto& tab : tabs) {
            if (tab->page().id() != page || !tab->is_read_only()) continue;
            if (auto context = borrower->tabs_context()) context->unwatch(tab->page());
            borrower->leave_tab(tab->page());
        }
    }
    std::erase_if(loans_, [&](const Loan& loan) { return loan.page == page; });
    return any;
}

Task<> TabSharing::release(std::shared_ptr<Session> session, std::shared_ptr<Tab> tab) {
    std::shared_ptr<engine::Page> page = tab->shared_page();
    if (tab->is_read_only()) {
        if (auto context = session->tabs_context()) context->unwatch(*page);
        session->leave_tab(*page);
        std::erase_if(loans_, [&](const Loan& loan) {
            return loan.page == page->id() && loan.borrower.lock() == session;
        });
        co_return;
    }
    if (withdraw(page->id(), session.get())) co_return;
    auto former = from_.find(page->id());
    if (former == from_.end())
        co_await invalid("Tab " + tab->id() + " is this session's own and not shared.",
                         "Close it with action close.");
    auto owner = former->second.lock();
    auto context = session->tabs_context(), theirs = owner ? owner->tabs_context() : nullptr;
    if (!theirs || !context || !theirs->shares_with(*context))
        co_await invalid("The session that tab " + tab->id() + " came from has ended.",
                         "Keep the tab, or close it with action close.");
    from_.erase(former);
    std::string id = next_id(*page);
    session->leave_tab(*page);
    owner->take_tab(page, id, TabAccess::Full);
    co_await context->hand_over(page, theirs, Deadline::in(kHandOverTimeout));
}

}  // namespace session
