// Reads a page without changing it, to check what it shows.
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/refusal.h"

namespace cdp {
namespace {

std::shared_ptr<RemoteElement> remote(const std::shared_ptr<engine::Element>& element) {
    return std::dynamic_pointer_cast<RemoteElement>(element);
}

}  // namespace

// Searches depth first. A frame that is removed meanwhile has no match.
Task<std::shared_ptr<RemoteElement>> Page::first_in_frames(std::string frame, std::string selector) {
    auto found = co_await as_result(find_selector(frame, selector, engine::Matches::First));
    if (!found && frame == id_) co_await found.error();
    if (found && *found) co_return *found;
    std::vector<std::string> inner;
    for (Frame* child : frames_.children(frame)) inner.push_back(child->id);
    for (const std::string& each : inner) {
        if (auto element = co_await first_in_frames(each, selector)) co_return element;
    }
    co_return std::shared_ptr<RemoteElement>();
}

Task<std::optional<engine::Located>> Page::find_in_frames(std::string target, engine::Language language,
                                                          Deadline deadline) {
    auto self = shared_from_this();
    json::object options{{"testIdAttribute", test_id_attribute_}};
    json::value parsed =
        co_await bounded(frames_.call(id_, "(target, options) => troupe.parseTarget(target, options)",
                                      {json::value(target), json::value(options)}),
                         deadline, "Reading the target");
    std::string selector = text_of(parsed.as_object(), "selector");
    auto element = co_await bounded(first_in_frames(id_, selector), deadline, "Finding " + target);
    if (!element) co_return std::nullopt;
    co_return co_await bounded(describe(element, language), deadline, "Finding " + target);
}

Task<std::optional<std::string>> Page::text_inside(std::shared_ptr<engine::Element> target, std::string text,
                                                   Deadline deadline) {
    auto self = shared_from_this();
    auto element = remote(target);
    json::object options{{"testIdAttribute", test_id_attribute_}};
    json::value answer = co_await bounded(
        refusable(frames_.call(element->frame,
                               "(element, text, options) => troupe.textInside(element, text, options)",
                               {Argument(*element), json::value(text), json::value(options)})),
        deadline, "Reading the text");
    if (!answer.is_string()) co_return std::nullopt;
    co_return std::string(answer.get_string());
}

Task<std::string> Page::input_value(std::shared_ptr<engine::Element> target, Deadline deadline) {
    auto self = shared_from_this();
    json::object answer = co_await attempt({.element = remote(target),
                                            .function = "element => troupe.inputValue(element)",
                                            .call = "locator.inputValue"},
                                           deadline);
    co_return text_of(answer, "value");
}

Task<std::string> Page::origin_of(std::shared_ptr<engine::Element> target, Deadline deadline) {
    auto self = shared_from_this();
    auto element = remote(target);
    json::value origin = co_await bounded(
        refusable(frames_.call(element->frame, "element => element.ownerDocument.defaultView.origin",
                               {Argument(*element)})),
        deadline, "Reading the origin");
    co_return origin.is_string() ? std::string(origin.get_string()) : "null";
}

Task<bool> Page::is_checked(std::shared_ptr<engine::Element> target, Deadline deadline) {
    auto self = shared_from_this();
    json::object answer = co_await attempt({.element = remote(target),
                                            .function = "element => troupe.isChecked(element)",
                                            .call = "locator.isChecked"},
                                           deadline);
    co_return flag_of(answer, "checked");
}

}  // namespace cdp
