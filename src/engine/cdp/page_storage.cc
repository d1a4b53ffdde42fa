// Reads and writes a page's storage in our own world, where the page's script cannot interfere.
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/refusal.h"

namespace cdp {
namespace {

std::string name_of(engine::StorageArea area) {
    return area == engine::StorageArea::Local ? "localStorage" : "sessionStorage";
}

}  // namespace

Task<std::vector<engine::StorageItem>> Page::storage_items(engine::StorageArea area, Deadline deadline) {
    auto self = shared_from_this();
    json::value answer =
        co_await bounded(refusable(frames_.call(id_,
                                                "area => { const storage = window[area];"
                                                " return Array.from(storage, (_, i) => storage.key(i))"
                                                ".map(name => [name, storage.getItem(name) ?? '']); }",
                                                {json::value(name_of(area))})),
                         deadline, "Reading the storage");
    std::vector<engine::StorageItem> items;
    for (const json::value& each : answer.as_array())
        items.push_back({std::string(each.at(0).as_string()), std::string(each.at(1).as_string())});
    co_return items;
}

Task<> Page::set_storage_item(engine::StorageArea area, std::string name, std::optional<std::string> value,
                              Deadline deadline) {
    auto self = shared_from_this();
    (void)co_await bounded(
        refusable(frames_.call(
            id_,
            "(area, name, value) => { const storage = window[area];"
            " if (value === null) storage.removeItem(name); else storage.setItem(name, value); }",
            {json::value(name_of(area)), json::value(name),
             value ? json::value(*value) : json::value(nullptr)})),
        deadline, "Writing to the storage");
}

Task<> Page::clear_storage(engine::StorageArea area, Deadline deadline) {
    auto self = shared_from_this();
    (void)co_await bounded(
        refusable(frames_.call(id_, "area => window[area].clear()", {json::value(name_of(area))})), deadline,
        "Clearing the storage");
}

}  // namespace cdp
