#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {

Task<> Page::highlight(std::shared_ptr<engine::Element> target, engine::HighlightOptions options,
                       Deadline deadline) {
    auto self = shared_from_this();
    auto element = std::dynamic_pointer_cast<RemoteElement>(target);
    json::object shown{{"label", options.label}, {"style", options.style}};
    (void)co_await bounded(
        frames_.call(element->frame, "(element, options) => troupe.highlight(element, options)",
                     {Argument(*element), json::value(shown)}),
        deadline, "Highlighting");
}

Task<> Page::hide_highlight(std::shared_ptr<engine::Element> target, Deadline deadline) {
    auto self = shared_from_this();
    auto element = std::dynamic_pointer_cast<RemoteElement>(target);
    if (!element) {
        (void)co_await bounded(run_in_frames("troupe.hideHighlight()"), deadline, "Hiding the highlights");
        co_return;
    }
    (void)co_await bounded(
        frames_.call(element->frame, "element => troupe.hideHighlight(element)", {Argument(*element)}),
        deadline, "Hiding the highlight");
}

}  // namespace cdp
