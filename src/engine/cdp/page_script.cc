// Calls of our script in the page: snapshots, elements, values.
#include "engine/cdp/awaited.h"
#include "engine/cdp/fields.h"
#include "util/off_loop.h"
#include "util/strings.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// A longer page is cut at the end of a line, or within a line that is too long itself.
constexpr std::string_view kSnapshotScript =
    "(options, rootElement) => { const taken = troupe.snapshot({ ...options, rootElement });"
    " const longest = 8 << 20; if (taken.text.length > longest) {"
    " const end = Math.max(taken.text.lastIndexOf('\\n', longest), 0);"
    " taken.text = taken.text.slice(0, end || longest) + '\\n# ' + (taken.text.length - (end || longest))"
    " + ' more characters are not shown: take a part with target or depth'; }"
    // An element named "title" may shadow document.title.
    " const { title } = document;"
    " return { ...taken, title: typeof title === 'string' ? title.slice(0, 16384) : '' }; }";

// Max size of an agent script's value. Larger ones would also fill our own memory.
constexpr std::size_t kMaxValue = 64UL << 20;

// "f12e5" -> 12; "e5" -> 0; nothing if it is no ref.
std::optional<int> frame_number(std::string_view ref) {
    std::size_t e = ref.find('e');
    if (e == std::string_view::npos) return std::nullopt;
    auto digits = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!digits(ref.substr(e + 1))) return std::nullopt;
    if (e == 0) return 0;
    std::string_view number = ref.substr(1, e - 1);
    if (ref[0] != 'f' || !digits(number) || number.size() > 8) return std::nullopt;
    return std::stoi(std::string(number));
}

Error no_such_ref(const std::string& ref) {
    return Error{
        .code = ErrorCode::ElementNotFound,
        .message = "Ref " + ref + " not found in the current page snapshot. Try capturing new snapshot."};
}

Error no_match(const std::string& target) {
    return Error{.code = ErrorCode::ElementNotFound,
                 .message = "\"" + target + "\" does not match any elements."};
}

// Inserts the child's lines below line `line` of the parent, indented by two more spaces.
void splice(std::vector<std::string>& lines, std::size_t line, std::size_t indent, const std::string& child) {
    if (child.empty() || line >= lines.size()) return;
    std::vector<std::string> inner = split(child, '\n');
    for (std::string& each : inner) each.insert(0, indent + 2, ' ');
    lines[line] += ':';
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line) + 1, inner.begin(), inner.end());
}

}  // namespace

std::string language_name(engine::Language language) {
    switch (language) {
        case engine::Language::Python:
            return "python";
        case engine::Language::Java:
            return "java";
        case engine::Language::CSharp:
            return "csharp";
        case engine::Language::JavaScript:
            return "javascript";
    }
    return "javascript";
}

Task<std::string> Page::child_frame(std::string frame, std::string ref, std::int64_t index) {
    Frame* parent = frames_.find(frame);
    auto children = frames_.children(frame);
    if (parent && parent->children_in_order && index >= 0 &&
        index < static_cast<std::int64_t>(children.size()))
        co_return children[static_cast<std::size_t>(index)]->id;
    auto element =
        co_await frames_.call_for_element(frame, "ref => troupe.elementForRef(ref)", {json::value(ref)});
    if (!element) co_return std::string();
    auto inner = co_await frames_.content_frame(*element);
    co_return inner.value_or("");
}

Task<json::value> Page::snapshot_document(std::string id, json::object options,
                                          std::shared_ptr<RemoteElement> root) {
    if (!frames_.find(id)) co_return json::value(nullptr);
    std::vector<Argument> arguments{json::value(options)};
    if (root) arguments.emplace_back(*root);
    co_return co_await frames_.call(id, std::string(kSnapshotScript), std::move(arguments),
                                    Scripts::Snapshot);
}

// Requests snapshots of the known child frames together with their parent's. Only a few: a page may have many
// more than it shows.
void Page::snapshot_early(const std::string& id, const json::object& options, EarlySnapshots& early) {
    constexpr std::size_t kMaxEarly = 8;
    for (Frame* child : frames_.children(id)) {
        if (early.size() >= kMaxEarly) return;
        if (!child->world) continue;
        auto [it, added] = early.try_emplace(child->id, loop_);
        if (!added) continue;
        auto answer = it->second.answer;
        json::object below = options;
        below["depth"] = 0;
        it->second.running = start(snapshot_document(child->id, std::move(below), nullptr),
                                   [answer](Result<json::value> result) { answer.set(std::move(result)); });
        snapshot_early(child->id, options, early);
    }
}

Task<std::string> Page::snapshot_frame(std::string id, json::object options,
                                       std::shared_ptr<RemoteElement> root,
                                       std::shared_ptr<EarlySnapshots> early) {
    json::value answer = nullptr;
    if (auto it = early->find(id); it != early->end()) {
        Result<json::value> result = co_await it->second.answer;
        answer = co_await std::move(result);
    } else {
        bool whole = !root && !options.contains("depth");
        Task<json::value> asking = snapshot_document(id, options, root);
        Completion<Result<json::value>> asked(loop_);
        Running running =
            start(std::move(asking), [asked](Result<json::value> result) { asked.set(std::move(result)); });
        if (whole && id == id_) snapshot_early(id, options, *early);
        Result<json::value> result = co_await asked;
        answer = co_await std::move(result);
    }
    if (!answer.is_object()) co_return std::string();
    if (id == id_) note_title(text_of(answer.as_object(), "title"));
    std::string text(answer.at("text").as_string());
    for (const json::value& each : answer.at("secrets").as_array())
        shown_passwords_.emplace_back(each.as_string());
    const json::array& inner = answer.at("frames").as_array();
    if (inner.empty()) co_return text;
    std::vector<std::string> lines = split(text, '\n');
    for (auto it = inner.rbegin(); it != inner.rend(); ++it) {
        const json::object& place = it->as_object();
        auto child = co_await as_result(
            child_frame(id, text_of(place, "ref"), json::find_integer(place, "index").value_or(-1)));
        if (!child || child->empty()) continue;
        json::object below = options;
        below["depth"] = place.contains("depth") ? place.at("depth") : json::value(0);
        auto text_below = co_await as_result(snapshot_frame(*child, std::move(below), nullptr, early));
        if (text_below)
            splice(lines, static_cast<std::size_t>(integer_of(place, "line")),
                   static_cast<std::size_t>(integer_of(place, "indent")), *text_below);
    }
    co_return join(lines, "\n");
}

Task<std::string> Page::snapshot(engine::SnapshotOptions options, std::shared_ptr<engine::Element> root,
                                 Deadline deadline) {
    json::object wanted{{"boxes", options.boxes}};
    if (options.depth) wanted["depth"] = *options.depth;
    auto element = std::dynamic_pointer_cast<RemoteElement>(root);
    std::string frame = element ? element->frame : id_;
    return freed_when_late(bounded(snapshot_frame(std::move(frame), std::move(wanted), std::move(element),
                                                  std::make_shared<EarlySnapshots>()),
                                   deadline, "Taking the snapshot"));
}

Task<std::shared_ptr<RemoteElement>> Page::find_ref(std::string ref) {
    Frame* frame = frames_.find_numbered(frame_number(ref).value_or(0));
    if (!frame) co_return no_such_ref(ref);
    auto element = co_await as_result(
        frames_.call_for_element(frame->id, "ref => troupe.elementForRef(ref)", {json::value(ref)}));
    if (!element || !*element) co_return no_such_ref(ref);
    co_return *element;
}

Task<std::shared_ptr<RemoteElement>> Page::find_selector(std::string frame, std::string selector,
                                                         engine::Matches matches) {
    json::object options{{"testIdAttribute", test_id_attribute_},
                         {"strict", matches == engine::Matches::One}};
    // Returns the first match, or the frame to search next.
    auto found = co_await frames_.call_for_element(
        frame,
        "(selector, options) => { const found = troupe.resolve(selector, options);"
        " return found.elements ? found.elements[0] ?? null : found.frameElement ?? null; }",
        {json::value(selector), json::value(options)});
    if (!found) co_return found;
    json::value rest =
        co_await frames_.call(frame, "(selector, options) => troupe.resolve(selector, options).rest ?? null",
                              {json::value(selector), json::value(options)});
    if (!rest.is_string()) co_return found;
    auto inner = co_await frames_.content_frame(*found);
    if (!inner) co_return std::shared_ptr<RemoteElement>();
    co_return co_await find_selector(*inner, std::string(rest.get_string()), matches);
}

// The locator of the element, through the frames around it.
Task<std::string> Page::locator_for(std::shared_ptr<RemoteElement> element, std::string language) {
    std::string selector = co_await selector_for(element);
    co_return co_await locator_in(element->frame, std::move(selector), std::move(language));
}

Task<std::string> Page::selector_for(std::shared_ptr<RemoteElement> element) {
    json::object options{{"testIdAttribute", test_id_attribute_}};
    json::value selector = co_await frames_.call(
        element->frame, "(element, options) => troupe.generateSelector(element, options)",
        {Argument(*element), json::value(options)});
    co_return std::string(selector.as_string());
}

Task<std::string> Page::locator_in(std::string frame, std::string selector, std::string language) {
    while (frame != id_ && frames_.find(frame)) {
        auto owner = co_await frames_.owner(frame);
        selector = co_await selector_for(owner) + " >> internal:control=enter-frame >> " + selector;
        frame = owner->frame;
    }
    json::value rendered =
        co_await frames_.call(id_, "(selector, language) => troupe.renderLocator(selector, language)",
                              {json::value(selector), json::value(language)});
    co_return std::string(rendered.as_string());
}

Task<engine::Located> Page::describe(std::shared_ptr<RemoteElement> element, engine::Language language) {
    std::string javascript = co_await locator_for(element, "javascript");
    std::string code = javascript;
    if (language != engine::Language::JavaScript)
        code = co_await locator_for(element, language_name(language));
    json::value takes_password = co_await frames_.call(
        element->frame, "element => troupe.takesPassword(element)", {Argument(*element)});
    co_return engine::Located{.element = element,
                              .javascript = std::move(javascript),
                              .code = std::move(code),
                              .takes_password = takes_password == json::value(true)};
}

// Sends both requests at once, so that they take one round trip.
Task<std::optional<engine::Located>> Page::locate(std::string target, bool is_ref, engine::Language language,
                                                  engine::Matches matches) {
    std::string name = language_name(language);
    json::object options{{"testIdAttribute", test_id_attribute_},
                         {"isRef", is_ref},
                         {"strict", matches == engine::Matches::One},
                         {"languages", json::array{"javascript", name}}};
    Completion<Result<json::value>> described(loop_);
    Completion<Result<std::shared_ptr<RemoteElement>>> taken(loop_);
    Running describing = start(frames_.call(id_, "(target, options) => troupe.locate(target, options)",
                                            {json::value(target), json::value(options)}),
                               [described](Result<json::value> result) { described.set(std::move(result)); });
    Running taking =
        start(frames_.call_for_element(id_, "() => troupe.found", {}),
              [taken](Result<std::shared_ptr<RemoteElement>> result) { taken.set(std::move(result)); });
    Result<json::value> answer = co_await described;
    json::value description = co_await std::move(answer);
    const json::object* found = description.if_object();
    if (!found) co_return is_ref ? no_such_ref(target) : no_match(target);
    const json::object* code = json::find_object(*found, "code");
    if (!code) co_return std::nullopt;
    Result<std::shared_ptr<RemoteElement>> element = co_await taken;
    if (!element || !*element) co_return std::nullopt;
    co_return engine::Located{.element = *element,
                              .javascript = text_of(*code, "javascript"),
                              .code = text_of(*code, name),
                              .takes_password = flag_of(*found, "takesPassword")};
}

Task<engine::Located> Page::find(std::string target, engine::Language language, engine::Matches matches,
                                 Deadline deadline) {
    auto self = shared_from_this();
    std::string what = "Finding " + target;
    auto number = frame_number(target);
    Frame* main = frames_.main();
    if (!number || (main && main->number == *number)) {
        auto located = co_await freed_when_late(
            bounded(locate(target, number.has_value(), language, matches), deadline, what));
        if (located) co_return std::move(*located);
    }
    if (number) {
        auto element = co_await bounded(find_ref(target), deadline, what);
        co_return co_await bounded(describe(element, language), deadline, what);
    }
    co_return co_await bounded(find_through_frames(target, language, matches), deadline, what);
}

// Resolves the path through frames step by step.
Task<engine::Located> Page::find_through_frames(std::string target, engine::Language language,
                                                engine::Matches matches) {
    json::object options{{"testIdAttribute", test_id_attribute_}};
    json::value parsed =
        co_await frames_.call(id_, "(target, options) => troupe.parseTarget(target, options)",
                              {json::value(target), json::value(options)});
    std::string selector = text_of(parsed.as_object(), "selector");
    auto element = co_await find_selector(id_, selector, matches);
    if (!element) co_return no_match(target);
    auto render = [&](std::string name) {
        return frames_.call(id_, "(selector, language) => troupe.renderLocator(selector, language)",
                            {json::value(selector), json::value(std::move(name))});
    };
    json::value javascript = co_await render("javascript");
    json::value code =
        language == engine::Language::JavaScript ? javascript : co_await render(language_name(language));
    co_return engine::Located{.element = element,
                              .javascript = std::string(javascript.as_string()),
                              .code = std::string(code.as_string())};
}

Task<bool> Page::is_script(std::string text, Deadline deadline) {
    json::object params{{"expression", std::move(text)}, {"sourceURL", ""}, {"persistScript", false}};
    json::value compiled = co_await bounded(session_->send("Runtime.compileScript", std::move(params)),
                                            deadline, "Reading the script");
    co_return !compiled.as_object().contains("exceptionDetails");
}

Task<engine::Page::Evaluated> Page::evaluate(std::string expression, std::shared_ptr<engine::Element> element,
                                             Deadline deadline) {
    auto self = shared_from_this();
    // Inlines the source instead of calling eval, which a page's content security policy may forbid.
    std::string function =
        "async element => { const value = (" + expression +
        "\n); const isFunction = typeof value === 'function';"
        " const result = await (isFunction ? value(element) : value);"
        " const isOwn = each => typeof each?.toJSON === 'function' && !Array.isArray(each)"
        " && !(each instanceof Date || each instanceof URL) && Object.keys(each).length > 0;"
        " const plain = each => Object.fromEntries(Object.keys(each).map(key => [key,"
        " key === 'toJSON' && typeof each[key] === 'function' ? {} : each[key]]));"
        " let json; try { json = JSON.stringify(isOwn(result) ? plain(result) : result,"
        " function (key, each) {"
        " const given = this[key];"
        " return given instanceof Error ? { name: given.name } :"
        " given instanceof Document ? 'ref: <Document>' :"
        " given instanceof Node ? 'ref: <Node>' :"
        " given instanceof Window ? 'ref: <Window>' : isOwn(given) ? plain(given) : each; }); }"
        " catch (error) { return { noJson: String(error.message), isFunction }; }"
        " return json?.length > " +
        std::to_string(kMaxValue) + " ? { length: json.length } : { json, isFunction }; }";
    std::vector<Argument> arguments;
    std::string frame = id_;
    std::shared_ptr<RemoteElement> own;
    if (auto remote = std::dynamic_pointer_cast<RemoteElement>(element)) {
        own = co_await bounded(frames_.to_page_world(*remote), deadline, "Evaluating");
        frame = own->frame;
        arguments.emplace_back(*own);
    }
    Frame* where = frames_.find(frame);
    auto pending = std::make_shared<PendingScript>(loop_);
    AwaitedScript script(*this, where ? where->session : session_, pending);
    pending->running =
        start(frames_.call_in_page(frame, std::move(function), std::move(arguments)),
              [answer = pending->answer](Result<json::value> result) { answer.set(std::move(result)); });
    auto result = co_await as_result(freed_when_late(bounded(answer_of(pending), deadline, "Evaluating")));
    script.end(result);
    json::value answer = co_await std::move(result);
    const json::object& value = answer.at("value").as_object();
    Evaluated evaluated{.value = std::nullopt, .is_function = flag_of(value, "isFunction")};
    if (auto length = json::find_integer(value, "length")) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "The value has " + std::to_string(*length) +
                                  " characters as JSON; a page can give " + std::to_string(kMaxValue) + ".",
                       .hint = "Return a part of it."};
    }
    evaluated.no_json = text_of(value, "noJson");
    auto text = json::find_string(value, "json");
    if (!text) co_return evaluated;
    evaluated.bytes = text->size();
    auto whole = std::make_shared<const json::value>(std::move(answer));
    evaluated.value = co_await off_loop<json::value>(
        loop_, evaluated.bytes, [whole, text = *text] { return json::parse(text, 512); });
    co_return evaluated;
}

Task<> Page::wait_for_text(std::string text, bool visible, Deadline deadline) {
    auto self = shared_from_this();
    std::string quoted;
    json::append_string(quoted, text);
    std::string selector = "internal:text=" + quoted + "i";
    std::string function =
        "selector => { const [first] = troupe.resolve(selector).elements; return !!first && "
        "troupe.isVisible(first); }";
    for (;;) {
        auto seen = co_await as_result(
            bounded(frames_.call(id_, function, {json::value(selector)}), deadline, "Waiting for text"));
        if (seen && seen->is_bool() && seen->get_bool() == visible) co_return;
        if (!seen && seen.error().code == ErrorCode::BrowserCrashed) co_await seen.error();
        if (deadline.has_passed()) {
            co_await Error{
                .code = ErrorCode::Timeout,
                .message = "Text \"" + text + "\" is " + (visible ? "not visible" : "still visible") + "."};
        }
        co_await sleep_until(loop_, Deadline::in(50ms).earlier(deadline));
    }
}

}  // namespace cdp
