// Popups: an action ends when they show the documents that they were opened for.
#include "engine/cdp/context.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

// The same limit as for a request that the action began.
constexpr std::chrono::seconds kPopupLimit{5};

}  // namespace

Task<> Page::act(Task<> action, std::chrono::milliseconds span) {
    auto self = shared_from_this();
    reclaim();
    auto act = begin_act();
    // However the action ends, records the state that it left the page in.
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
    // The browser reported every popup of the action before it answered the action's own commands.
    auto context = context_.lock();
    if (!context || !context->is_opening(*this, act->begun)) co_return;
    (void)co_await as_result(
        bounded(context->popups_opened(self, act->begun), Deadline::in(kPopupLimit), "Opening a page"));
    // A popup may change its opener.
    co_await settle(act, span);
}

}  // namespace cdp
