#include <array>

#include "tools/toolkit.h"

namespace tools {
namespace {

struct ElementParams {
    std::string selector;
    std::optional<int> timeout;
};

Task<json::value> find_element(Tab& tab, ElementParams params, Response&) {
    return read_element(tab, "first", params.selector, {}, Timeout(tab, params.timeout));
}

struct ElementsParams {
    std::string selector;
    std::optional<int> limit;
};

Task<json::value> find_elements(Tab& tab, ElementsParams params, Response&) {
    json::value read =
        co_await read_now(tab, "elements", params.selector, {{"limit", params.limit.value_or(100)}});
    co_return read.is_null() ? json::object{{"total", 0}, {"elements", json::array()}} : read;
}

struct SelectorParams {
    std::string selector;
};

struct State {
    bool exists = false, visible = false, enabled = false;
};

State state_from(const json::value& read) {
    const json::object* members = read.if_object();
    if (!members) return {};
    auto is = [&](std::string_view name) { return json::find_bool(*members, name).value_or(false); };
    return {.exists = is("exists"), .visible = is("visible"), .enabled = is("enabled")};
}

Task<json::value> element_exists(Tab& tab, SelectorParams params, Response&) {
    State state = state_from(co_await read_now(tab, "state", params.selector));
    co_return json::object{{"exists", state.exists}};
}

Task<json::value> is_visible(Tab& tab, SelectorParams params, Response&) {
    State state = state_from(co_await read_now(tab, "state", params.selector));
    co_return json::object{{"exists", state.exists}, {"visible", state.visible}};
}

Task<json::value> is_enabled(Tab& tab, SelectorParams params, Response&) {
    State state = state_from(co_await read_now(tab, "state", params.selector));
    if (!state.exists) {
        co_await Error{.code = ErrorCode::ElementNotFound,
                       .message = "\"" + params.selector + "\" does not match any elements."};
    }
    co_return json::object{{"enabled", state.enabled}};
}

enum class Wanted { Attached, Detached, Visible, Hidden };
constexpr auto enum_names(Wanted) {
    return std::to_array<schema::EnumName<Wanted>>({{Wanted::Visible, "visible"},
                                                    {Wanted::Hidden, "hidden"},
                                                    {Wanted::Attached, "attached"},
                                                    {Wanted::Detached, "detached"}});
}

bool is_reached(const State& state, Wanted wanted) {
    switch (wanted) {
        case Wanted::Attached:
            return state.exists;
        case Wanted::Detached:
            return !state.exists;
        case Wanted::Visible:
            return state.visible;
        case Wanted::Hidden:
            return !state.visible;
    }
    return false;
}

struct WaitParams : ElementParams {
    std::optional<Wanted> state;
};

Error waited(const std::string& selector, Wanted wanted, const Timeout& timeout, const State& last) {
    std::string now = !last.exists ? "not there" : last.visible ? "visible" : "hidden";
    return Error{.code = ErrorCode::Timeout,
                 .message = "Waited " + std::to_string(timeout.limit.count()) + " ms for \"" + selector +
                            "\" to be " + std::string(schema::name_of(wanted)) + "; it is " + now + "."};
}

Task<State> wait_until(Tab& tab, std::string selector, Wanted wanted, Timeout timeout) {
    constexpr std::chrono::milliseconds kPoll{50};
    for (std::optional<State> last;;) {
        auto read = co_await as_result(tab.page().read("state", selector, {}, timeout.deadline));
        // The page was too slow to report its state again.
        if (!read && last && read.error().code == ErrorCode::Timeout)
            co_await waited(selector, wanted, timeout, *last);
        last = state_from(co_await std::move(read));
        if (is_reached(*last, wanted)) co_return *last;
        if (timeout.deadline.remaining() <= kPoll) co_await waited(selector, wanted, timeout, *last);
        co_await sleep_for(tab.session().loop(), kPoll);
    }
}

Task<json::value> wait_for_selector(Tab& tab, WaitParams params, Response&) {
    Wanted wanted = params.state.value_or(Wanted::Visible);
    tab.note_step("waiting for " + params.selector + " to be " + std::string(schema::name_of(wanted)));
    State state =
        co_await value_of(tab, wait_until(tab, params.selector, wanted, Timeout(tab, params.timeout)));
    co_return json::object{
        {"state", schema::name_of(wanted)}, {"exists", state.exists}, {"visible", state.visible}};
}

json::object description_schema() {
    return object_schema({{"tag", "string"},
                          {"text", "string"},
                          {"attributes", "object"},
                          {"visible", "boolean"},
                          {"enabled", "boolean"},
                          {"box", "object"}});
}

}  // namespace

std::vector<Tool> toolkit_element_tools(const SessionResolver& sessions) {
    schema::ParamOptions at_least_one{.minimum = 1};
    schema::ParamList<SelectorParams> only_selector = {
        {"selector", &SelectorParams::selector, kSelectorHelp}};
    return {
        toolkit_tool<ElementParams>(
            sessions,
            {
                .name = "find_element",
                .title = "Find element",
                .description = "Wait for an element and describe it: tag, text, attributes, state and box.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"selector", &ElementParams::selector, kSelectorHelp},
                        {"timeout", &ElementParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = description_schema(),
                .handler = find_element,
            }),
        toolkit_tool<ElementsParams>(
            sessions,
            {
                .name = "find_elements",
                .title = "Find elements",
                .description = "Describe all elements that match now.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"selector", &ElementsParams::selector, "As for find_element; every match counts."},
                        {"limit", &ElementsParams::limit, "How many to describe. Default 100.", at_least_one},
                    },
                .data = object_schema({{"total", "integer"}, {"elements", "array"}}),
                .handler = find_elements,
            }),
        toolkit_tool<SelectorParams>(sessions,
                                     {
                                         .name = "element_exists",
                                         .title = "Element exists",
                                         .description = "Whether anything matches now.",
                                         .effect = Effect::ReadsPage,
                                         .params = only_selector,
                                         .data = object_schema({{"exists", "boolean"}}),
                                         .handler = element_exists,
                                     }),
        toolkit_tool<SelectorParams>(
            sessions,
            {
                .name = "is_visible",
                .title = "Is visible",
                .description = "Whether the element is there and visible now.",
                .effect = Effect::ReadsPage,
                .params = only_selector,
                .data = object_schema({{"exists", "boolean"}, {"visible", "boolean"}}),
                .handler = is_visible,
            }),
        toolkit_tool<SelectorParams>(sessions,
                                     {
                                         .name = "is_enabled",
                                         .title = "Is enabled",
                                         .description = "Whether the element can be used now.",
                                         .effect = Effect::ReadsPage,
                                         .params = only_selector,
                                         .data = object_schema({{"enabled", "boolean"}}),
                                         .handler = is_enabled,
                                     }),
        toolkit_tool<WaitParams>(
            sessions,
            {
                .name = "wait_for_selector",
                .title = "Wait for selector",
                .description = "Wait until an element is visible, hidden, attached or detached.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"selector", &WaitParams::selector, kSelectorHelp},
                        {"state", &WaitParams::state, "What to wait for. Default visible."},
                        {"timeout", &WaitParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = object_schema({{"state", "string"}, {"exists", "boolean"}, {"visible", "boolean"}}),
                .handler = wait_for_selector,
            }),
    };
}

}  // namespace tools
