#include "engine/storage_state.h"

#include <array>
#include <initializer_list>

namespace engine {
namespace {

Error wrong(const std::string& what) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = what,
                 .hint = "Nothing was changed. Give what save_state or browser_storage_state saved."};
}

// Checks a list's items one by one; a missing member counts as an empty list.
Result<void> check_each(const json::object& from, std::string_view key,
                        Result<void> (*check)(const json::value& item, const std::string& place)) {
    const json::value* given = json::find(from, key);
    if (!given) return ok();
    const json::array* items = given->if_array();
    if (!items) return wrong(std::string(key) + ": expected array");
    for (std::size_t i = 0; i < items->size(); ++i)
        TRY(check((*items)[i], std::string(key) + "[" + std::to_string(i) + "]"));
    return ok();
}

Result<void> check_texts(const json::value& item, const std::string& place,
                         std::initializer_list<std::string_view> keys) {
    const json::object* members = item.if_object();
    if (!members) return wrong(place + ": expected object");
    for (std::string_view key : keys) {
        if (!json::find_string(*members, key))
            return wrong(place + "." + std::string(key) + ": expected string");
    }
    return ok();
}

// The browser itself checks domain and flags before it sets any cookie.
Result<void> check_cookie(const json::value& item, const std::string& place) {
    return check_texts(item, place, {"name", "value"});
}

Result<void> check_entry(const json::value& item, const std::string& place) {
    return check_texts(item, place, {"name", "value"});
}

Result<void> check_origin(const json::value& item, const std::string& place) {
    TRY(check_texts(item, place, {"origin"}));
    const json::object& origin = item.get_object();
    std::string_view address = *json::find_string(origin, "origin");
    std::size_t host = address.find("://");
    if (host == address.npos || host == 0 || host + 3 == address.size())
        return wrong(place + ".origin: \"" + std::string(address) + "\" is no origin");
    return check_each(origin, "localStorage", check_entry);
}

bool has_lists(const json::object& state) { return state.contains("cookies") || state.contains("origins"); }

}  // namespace

Result<json::value> read_storage_state(json::value given) {
    if (!given.is_object()) return wrong("storageState: expected object");
    // {success, data: {sessionId, state}} or {sessionId, state}.
    for (std::string_view wrapper : {"data", "state"}) {
        json::value* inner =
            has_lists(given.get_object()) ? nullptr : given.get_object().if_contains(wrapper);
        if (!inner || !inner->is_object()) continue;
        json::value unwrapped = std::move(*inner);
        given = std::move(unwrapped);
    }
    const json::object& state = given.get_object();
    if (!has_lists(state)) return wrong("storageState: it has neither cookies nor origins");
    TRY(check_each(state, "cookies", check_cookie));
    TRY(check_each(state, "origins", check_origin));
    return given;
}

Error not_restored(Error error) {
    constexpr std::string_view kFailed = "Error setting storage state:\n";
    if (!error.message.starts_with(kFailed)) error.message.insert(0, kFailed);
    return error;
}

}  // namespace engine
