#include "session/unrestored.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace session {
namespace {

std::string text_in(const json::object& from, std::string_view key) {
    return std::string(json::find_string(from, key).value_or(""));
}

json::array array_in(const json::object& from, std::string_view key) {
    const json::array* found = json::find_array(from, key);
    return found ? *found : json::array();
}

// Whether an origin has content: one that was read as empty does not replace content that could not be
// restored.
bool has_content(const json::object& origin) {
    return std::ranges::any_of(origin, [](const auto& member) {
        const json::array* list = member.value().if_array();
        return list && !list->empty();
    });
}

using CookieKey = std::tuple<std::string, std::string, std::string>;

CookieKey key_of(const json::value& cookie) {
    const json::object* fields = cookie.if_object();
    if (!fields) return {json::serialize(cookie), "", ""};
    return {text_in(*fields, "name"), text_in(*fields, "domain"), text_in(*fields, "path")};
}

json::array with_cookies(json::array now, const json::array& before) {
    std::set<CookieKey> known;
    for (const json::value& cookie : now) known.insert(key_of(cookie));
    for (const json::value& cookie : before) {
        if (!known.contains(key_of(cookie))) now.push_back(cookie);
    }
    return now;
}

}  // namespace

bool Unrestored::empty() const {
    return tabs_.empty() && unopened_.empty() && origins_.empty() && context_.empty();
}

void Unrestored::add_tab(const std::string& page, json::object memory) {
    memory["id"] = page;
    tabs_[page] = {.memory = std::move(memory)};
}

void Unrestored::note_use(const std::string& page) {
    if (auto tab = tabs_.find(page); tab != tabs_.end()) tab->second.is_used = true;
}

void Unrestored::note_document(const std::string& page) {
    if (auto tab = tabs_.find(page); tab != tabs_.end() && tab->second.is_used) tabs_.erase(tab);
}

void Unrestored::add_unopened_tab(json::object memory) {
    memory.erase("id");
    unopened_.push_back(std::move(memory));
}

void Unrestored::add_origin(json::object origin) {
    std::string name = text_in(origin, "origin");
    origins_[name] = std::move(origin);
}

json::object Unrestored::carry_into_context(json::object context) const {
    if (!origins_.empty()) {
        json::array origins = array_in(context, "origins");
        for (const auto& [name, origin] : origins_) {
            auto same = std::ranges::find_if(origins, [&](const json::value& each) {
                return each.is_object() && text_in(each.get_object(), "origin") == name;
            });
            if (same == origins.end())
                origins.push_back(origin);
            else if (!has_content(same->get_object()))
                *same = origin;
        }
        context["origins"] = std::move(origins);
    }
    for (const auto& member : context_) {
        if (member.key() == "cookies")
            context["cookies"] = with_cookies(array_in(context, "cookies"), array_in(context_, "cookies"));
        else if (!context.contains(member.key()))
            context[member.key()] = member.value();
    }
    return context;
}

json::object Unrestored::carry_into(json::object checkpoint) const {
    if (empty()) return checkpoint;
    json::array tabs = array_in(checkpoint, "tabs");
    for (json::value& tab : tabs) {
        const json::object* made = tab.if_object();
        auto memory = made ? tabs_.find(text_in(*made, "id")) : tabs_.end();
        if (memory != tabs_.end()) tab = memory->second.memory;
    }
    for (const json::value& tab : unopened_) tabs.push_back(tab);
    checkpoint["tabs"] = std::move(tabs);
    const json::object* context = json::find_object(checkpoint, "context");
    checkpoint["context"] = carry_into_context(context ? *context : json::object());
    return checkpoint;
}

}  // namespace session
