#include "session/checkpoint.h"

#include <algorithm>
#include <set>

namespace session {
namespace {

constexpr std::int64_t kVersion = 1;
// Max tabs that are restored.
constexpr std::size_t kMaxTabs = 50;

json::array array_in(const json::object& from, std::string_view key) {
    const json::array* found = json::find_array(from, key);
    return found ? *found : json::array();
}

std::string text_in(const json::object& from, std::string_view key) {
    return std::string(json::find_string(from, key).value_or(""));
}

template <class Matches>
void remove_if(json::array& list, Matches matches) {
    list.erase(std::remove_if(list.begin(), list.end(), matches), list.end());
}

const json::object* find_tab(const json::array& tabs, std::string_view id) {
    for (const json::value& each : tabs) {
        if (each.is_object() && text_in(each.get_object(), "id") == id) return &each.get_object();
    }
    return nullptr;
}

// Keeps the session storage of the tab's earlier origins, which its page can no longer read.
void keep_earlier_storage(json::object& tab, const json::object& before) {
    json::array storages = array_in(before, "storages");
    if (const json::object* last = json::find_object(before, "storage")) {
        std::string origin = text_in(*last, "origin");
        remove_if(storages, [&](const json::value& each) {
            return !each.is_object() || text_in(each.get_object(), "origin") == origin;
        });
        storages.emplace_back(*last);
    }
    const json::object* now = json::find_object(tab, "storage");
    std::string here = now ? text_in(*now, "origin") : "";
    std::string url = text_in(tab, "url");
    remove_if(storages, [&](const json::value& each) {
        std::string origin = text_in(each.get_object(), "origin");
        return origin == here || (!origin.empty() && (url + "/").starts_with(origin + "/"));
    });
    if (!storages.empty()) tab["storages"] = std::move(storages);
}

json::object saved_tab(json::object tab, const std::string& id, const json::array& before) {
    tab["id"] = id;
    const json::object* earlier = find_tab(before, id);
    if (!earlier) return tab;
    bool same_place = text_in(*earlier, "url") == text_in(tab, "url");
    if (same_place && !tab.contains("document")) return *earlier;
    keep_earlier_storage(tab, *earlier);
    return tab;
}

// Keeps the earlier state of origins that were not read.
void keep_unread_origins(json::object& context, const json::object& before) {
    std::set<std::string> unread;
    for (const json::value& each : array_in(context, "unread")) unread.emplace(each.as_string());
    context.erase("unread");
    if (unread.empty()) return;
    json::array origins = array_in(context, "origins");
    for (const json::value& each : array_in(before, "origins")) {
        if (each.is_object() && unread.contains(text_in(each.get_object(), "origin")))
            origins.push_back(each);
    }
    context["origins"] = std::move(origins);
}

json::object context_of(const json::object& checkpoint) {
    const json::object* context = json::find_object(checkpoint, "context");
    return context ? *context : json::object();
}

// Restores the first tab's session storage together with its origins' shared storage: one visit less.
json::array with_session_storage(json::array origins, json::object& tab) {
    json::array mine = array_in(tab, "storages");
    if (const json::object* latest = json::find_object(tab, "storage")) mine.emplace_back(*latest);
    tab.erase("storages");
    tab.erase("storage");
    for (const json::value& each : mine) {
        if (!each.is_object()) continue;
        std::string origin = text_in(each.get_object(), "origin");
        auto same = std::ranges::find_if(origins, [&](const json::value& other) {
            return other.is_object() && text_in(other.get_object(), "origin") == origin;
        });
        if (same == origins.end())
            origins.push_back(each);
        else
            same->get_object()["sessionStorage"] = array_in(each.get_object(), "sessionStorage");
    }
    return origins;
}

std::vector<std::string> skipped_databases(const json::array& origins) {
    std::vector<std::string> missing;
    for (const json::value& each : origins) {
        if (!each.is_object()) continue;
        for (const json::value& name : array_in(each.get_object(), "skipped")) {
            missing.push_back("The database \"" + std::string(name.as_string()) + "\" of " +
                              text_in(each.get_object(), "origin") + " was not kept.");
        }
    }
    return missing;
}

// The outcome for one tab, or for the storage restored with the first one.
using RestoreOutcome = engine::Page::RestoreOutcome;

// Restores all tabs at once: a slow site delays no other.
Task<std::vector<RestoreOutcome>> restore_all(Loop& loop, Pages pages, std::vector<json::value> states,
                                              Deadline deadline) {
    std::vector<RestoreOutcome> outcomes(pages.size());
    std::optional<Error> crash;
    std::size_t left = pages.size();
    Completion<bool> done(loop);
    std::vector<Running> running;
    for (std::size_t i = 0; i < pages.size(); ++i) {
        running.push_back(
            start(pages[i]->restore_state(states[i], deadline), [&, i](Result<RestoreOutcome> result) {
                if (result) {
                    outcomes[i] = std::move(*result);
                } else if (result.error().code == ErrorCode::BrowserCrashed) {
                    crash = result.error();
                } else {
                    outcomes[i] = {.missing = {text_in(states[i].as_object(), "url") +
                                               " was not restored: " + result.error().message},
                                   .is_complete = false};
                }
                if (--left == 0) done.set(true);
            }));
    }
    if (!pages.empty()) co_await done;
    if (crash) co_await *crash;
    co_return outcomes;
}

// Gives the names of the origins that could not be filled. Fails when the browser crashed.
Task<std::set<std::string>> fill_storage(engine::Page& page, json::array origins, Deadline deadline) {
    auto left = co_await as_result(page.fill_storage(origins, deadline));
    if (!left && left.error().code == ErrorCode::BrowserCrashed) co_await left.error();
    std::set<std::string> names;
    for (const json::value& each : left ? *left : origins) {
        if (each.is_object()) names.insert(text_in(each.get_object(), "origin"));
    }
    co_return names;
}

bool keeps_something_for(const json::object& tab, const std::set<std::string>& origins) {
    auto is_one = [&](const json::value& each) {
        return each.is_object() && origins.contains(text_in(each.get_object(), "origin"));
    };
    const json::object* latest = json::find_object(tab, "storage");
    return (latest && is_one(*latest)) || std::ranges::any_of(array_in(tab, "storages"), is_one);
}

// Gives the tabs to open, and notes the others in `restored`.
json::array take_tabs(const json::object& checkpoint, OpenTabs open_tabs, Restored& restored) {
    json::array tabs;
    for (const json::value& each : array_in(checkpoint, "tabs")) {
        json::object saved = each.is_object() ? each.get_object() : json::object();
        if (open_tabs == OpenTabs::Yes && tabs.size() < kMaxTabs)
            tabs.push_back(std::move(saved));
        else
            restored.unrestored.add_unopened_tab(std::move(saved));
    }
    if (tabs.size() == kMaxTabs && !restored.unrestored.empty())
        restored.missing.push_back("Only the first " + std::to_string(kMaxTabs) + " tabs were restored.");
    if (tabs.empty()) tabs.push_back(json::object{{"url", "about:blank"}});
    return tabs;
}

Task<> restore_context(engine::Context& context, json::object state, Restored& restored, Deadline deadline) {
    auto done = co_await as_result(context.restore_state(state, deadline));
    if (done) co_return;
    if (done.error().code == ErrorCode::BrowserCrashed) co_await done.error();
    restored.missing.push_back("Cookies and network settings were not restored: " + done.error().message);
    state.erase("origins");
    restored.unrestored.set_context(std::move(state));
}

}  // namespace

Task<json::object> capture(std::shared_ptr<engine::Context> context, Pages pages, std::size_t current,
                           engine::Context::Reach reach, json::object before, Deadline deadline) {
    json::value state = co_await context->save_state(reach, deadline);
    json::object kept = state.is_object() ? std::move(state.as_object()) : json::object();
    keep_unread_origins(kept, context_of(before));
    json::array earlier = array_in(before, "tabs");
    json::array tabs;
    for (const auto& page : pages) {
        if (page->is_closed()) {
            if (current > tabs.size()) --current;
            continue;
        }
        auto saved = co_await as_result(page->save_state(deadline));
        json::object tab{{"url", page->url()}};
        if (saved && saved->is_object()) tab = std::move(saved->as_object());
        tabs.push_back(saved_tab(std::move(tab), page->id(), earlier));
    }
    co_return json::object{
        {"version", kVersion}, {"context", std::move(kept)}, {"tabs", std::move(tabs)}, {"current", current}};
}

json::object with_addresses(json::object before, const Pages& pages, std::size_t current) {
    json::array earlier = array_in(before, "tabs");
    json::array tabs;
    for (const auto& page : pages)
        tabs.push_back(saved_tab(json::object{{"url", page->url()}}, page->id(), earlier));
    before["version"] = kVersion;
    before["tabs"] = std::move(tabs);
    before["current"] = current;
    return before;
}

json::object beginning(bool had_browser) { return {{"version", kVersion}, {"begun", had_browser}}; }

bool is_beginning(const json::object& checkpoint) { return checkpoint.contains("begun"); }

bool had_browser(const json::object& beginning) {
    return json::find_bool(beginning, "begun").value_or(false);
}

Task<Restored> restore(Loop& loop, std::shared_ptr<engine::Context> context, json::object checkpoint,
                       OpenTabs open_tabs, Deadline deadline) {
    json::object state = context_of(checkpoint);
    json::array origins = array_in(state, "origins");
    Restored restored{.missing = skipped_databases(origins)};
    json::array tabs = take_tabs(checkpoint, open_tabs, restored);
    co_await restore_context(*context, state, restored, deadline);
    // A page that the context begins with becomes the first tab.
    restored.pages = context->pages();
    while (restored.pages.size() < tabs.size())
        restored.pages.push_back(co_await context->new_page(deadline));
    restored.pages.resize(tabs.size());

    std::vector<json::value> states(tabs.begin(), tabs.end());
    auto unfilled = co_await fill_storage(
        *restored.pages.front(), with_session_storage(origins, states.front().as_object()), deadline);
    for (const std::string& origin : unfilled)
        restored.missing.push_back("The storage of " + origin + " was not restored.");
    for (const json::value& each : origins) {
        if (each.is_object() && unfilled.contains(text_in(each.get_object(), "origin")))
            restored.unrestored.add_origin(each.get_object());
    }
    std::vector<RestoreOutcome> outcomes =
        co_await restore_all(loop, restored.pages, std::move(states), deadline);
    if (keeps_something_for(tabs.front().as_object(), unfilled)) outcomes.front().is_complete = false;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        std::ranges::move(outcomes[i].missing, std::back_inserter(restored.missing));
        if (!outcomes[i].is_complete)
            restored.unrestored.add_tab(restored.pages[i]->id(), tabs[i].as_object());
    }
    auto current = json::find_integer(checkpoint, "current").value_or(0);
    restored.current =
        std::min(static_cast<std::size_t>(std::max<std::int64_t>(current, 0)), restored.pages.size() - 1);
    co_return restored;
}

std::string to_text(const json::object& checkpoint) { return json::serialize(checkpoint); }

Result<json::object> parse_checkpoint(const std::string& text) {
    json::value parsed = TRY(json::parse(text));
    const json::object* checkpoint = parsed.if_object();
    if (!checkpoint || json::find_integer(*checkpoint, "version") != kVersion) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "What was kept of this session was written by another version."};
    }
    return *checkpoint;
}

}  // namespace session
