// Pages that a page opens: an action has come to its end when they show what they were opened for.
#include "engine/cdp/context.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

// As long as for a request that the action began.
constexpr std::chrono::seconds kPopupLimit{5};

}  // namespace

Task<> Page::act(Task<> action, std::chrono::milliseconds span) {
    auto self = shared_from_this();
    reclaim();
    auto act = begin_act();
    // However it ends: what it left the page in.
    struct Ending {
        Page& page;
        const Act& act;
        ~Ending() {
            page.left_waiting_ = page.awaits_document();
            page.left_silent_ = act.silent;
        }
    } ending{*this, *act};
    co_await std::move(action);
    co_await settle(act, span);
    // The browser told us of every page that the action opened before it answered the action's own commands.
    auto context = context_.lock();
    if (!context || !context->is_opening(*this, act->begun)) co_return;
    (void)co_await as_result(
        bounded(context->popups_opened(self, act->begun), Deadline::in(kPopupLimit), "Opening a page"));
    // A page may do something to the one that opened it.
    co_await settle(act, span);
}

}  // namespace cdp
