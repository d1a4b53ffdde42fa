// Reads page content as data with the readers of src/page/extract_readers.js.
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {

// A selector may lead into frames; the reader runs in the last of them.
Task<json::value> Page::read_in_frame(std::string frame, std::string reader, std::string selector,
                                      json::object options) {
    for (;;) {
        json::value rest = co_await frames_.call(
            frame, "(selector, options) => troupe.resolve(selector, options).rest ?? null",
            {json::value(selector), json::value(options)});
        if (!rest.is_string()) break;
        auto holder = co_await frames_.call_for_element(
            frame, "(selector, options) => troupe.resolve(selector, options).frameElement ?? null",
            {json::value(selector), json::value(options)});
        auto inner = holder ? co_await frames_.content_frame(*holder) : std::nullopt;
        if (!inner) {
            co_return co_await frames_.call(frame,
                                            "(reader, options) => troupe.readElements(reader, [], options)",
                                            {json::value(reader), json::value(options)});
        }
        frame = std::move(*inner);
        selector = std::string(rest.get_string());
    }
    options = co_await with_origin(frame, reader, std::move(options));
    co_return co_await frames_.call(
        frame, "(reader, selector, options) => troupe.readMatches(reader, selector, options)",
        {json::value(reader), json::value(selector), json::value(options)});
}

// Readers that return boxes need the frame's position.
Task<json::object> Page::with_origin(std::string frame, std::string reader, json::object options) {
    if (frame == id_ || (reader != "first" && reader != "elements")) co_return options;
    engine::Point origin = co_await to_viewport(frame, {});
    options["origin"] = json::object{{"x", origin.x}, {"y", origin.y}};
    co_return options;
}

Task<json::value> Page::read(std::string reader, std::string target, json::object options,
                             Deadline deadline) {
    auto self = shared_from_this();
    reclaim();
    options["testIdAttribute"] = test_id_attribute_;
    std::string what = "Reading " + (target.empty() ? "the page" : target);
    if (target.empty()) {
        co_return co_await bounded(
            frames_.call(id_, "(reader, options) => troupe.readElements(reader, [], options)",
                         {json::value(reader), json::value(options)}),
            deadline, what);
    }
    json::value parsed =
        co_await bounded(frames_.call(id_, "(target, options) => troupe.parseTarget(target, options)",
                                      {json::value(target), json::value(options)}),
                         deadline, what);
    if (std::string ref = text_of(parsed.as_object(), "ref"); !ref.empty()) {
        auto element = co_await bounded(find_ref(ref), deadline, what);
        options = co_await bounded(with_origin(element->frame, reader, std::move(options)), deadline, what);
        co_return co_await bounded(
            frames_.call(element->frame,
                         "(reader, element, options) => troupe.readElements(reader, [element], options)",
                         {json::value(reader), Argument(*element), json::value(options)}),
            deadline, what);
    }
    co_return co_await bounded(
        read_in_frame(id_, std::move(reader), text_of(parsed.as_object(), "selector"), std::move(options)),
        deadline, what);
}

}  // namespace cdp
