#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

using engine::StorageArea;
using engine::StorageItem;

std::string_view name_of(StorageArea area) {
    return area == StorageArea::Local ? "localStorage" : "sessionStorage";
}

std::string call(StorageArea area, std::string_view method, const std::string& arguments) {
    return "await page." + std::string(name_of(area)) + "." + std::string(method) + "(" + arguments + ");";
}

std::string to_line(const StorageItem& item) { return item.name + "=" + item.value; }

// Nothing when a dialog interrupted it.
Task<std::optional<std::vector<StorageItem>>> read(Tab& tab, StorageArea area) {
    std::optional<std::vector<StorageItem>> items;
    co_await tab.until_modal(capture_into(tab.page().storage_items(area, tab.action_deadline()), items));
    co_return items;
}

Task<> list_items(StorageArea area, Tab& tab, schema::NoParams, Response& response) {
    auto items = co_await read(tab, area);
    if (!items) co_return;
    std::string text;
    for (const StorageItem& item : *items) text += (text.empty() ? "" : "\n") + to_line(item);
    response.add_text(items->empty() ? "No " + std::string(name_of(area)) + " items found" : text);
    response.add_code(call(area, "items", ""));
}

struct KeyParams {
    std::string key;
};

Task<> get_item(StorageArea area, Tab& tab, KeyParams params, Response& response) {
    auto items = co_await read(tab, area);
    if (!items) co_return;
    auto item = std::ranges::find(*items, params.key, &StorageItem::name);
    response.add_text(item == items->end()
                          ? std::string(name_of(area)) + " key '" + params.key + "' not found"
                          : to_line(*item));
    response.add_code(call(area, "getItem", quote(params.key)));
}

struct ItemParams {
    std::string key;
    std::string value;
};

Task<> set_item(StorageArea area, Tab& tab, ItemParams params, Response& response) {
    co_await tab.until_modal(
        tab.page().set_storage_item(area, params.key, params.value, tab.action_deadline()));
    response.add_code(call(area, "setItem", quote(params.key) + ", " + quote(params.value)));
}

Task<> delete_item(StorageArea area, Tab& tab, KeyParams params, Response& response) {
    co_await tab.until_modal(
        tab.page().set_storage_item(area, params.key, std::nullopt, tab.action_deadline()));
    response.add_code(call(area, "removeItem", quote(params.key)));
}

Task<> clear_items(StorageArea area, Tab& tab, schema::NoParams, Response& response) {
    co_await tab.until_modal(tab.page().clear_storage(area, tab.action_deadline()));
    response.add_code(call(area, "clear", ""));
}

// The five tools of one area.
struct Words {
    StorageArea area;
    std::string prefix;  // browser_localstorage
    std::string name;    // localStorage
    std::string whose;
};

template <class Params>
auto in(StorageArea area, Task<> (*handler)(StorageArea, Tab&, Params, Response&)) {
    return [area, handler](Tab& tab, Params params, Response& response) {
        return handler(area, tab, std::move(params), response);
    };
}

std::vector<Tool> tools_of(const SessionResolver& sessions, const Words& words) {
    return {
        tab_tool<schema::NoParams>(
            sessions,
            {
                .name = words.prefix + "_list",
                .title = "List " + words.name,
                .description = "List what the page keeps in " + words.name + words.whose,
                .effect = Effect::ReadsPage,
                .capability = "storage",
                .handler = in(words.area, list_items),
            }),
        tab_tool<KeyParams>(sessions,
                            {
                                .name = words.prefix + "_get",
                                .title = "Get " + words.name + " item",
                                .description = "Show one item of the page's " + words.name + ".",
                                .effect = Effect::ReadsPage,
                                .capability = "storage",
                                .params = {{"key", &KeyParams::key, "Its key."}},
                                .handler = in(words.area, get_item),
                            }),
        tab_tool<ItemParams>(sessions,
                             {
                                 .name = words.prefix + "_set",
                                 .title = "Set " + words.name + " item",
                                 .description = "Put an item into the page's " + words.name + ".",
                                 .scope = Scope::Session,
                                 .capability = "storage",
                                 .params =
                                     {
                                         {"key", &ItemParams::key, "Its key."},
                                         {"value", &ItemParams::value, "Its value."},
                                     },
                                 .handler = in(words.area, set_item),
                             }),
        tab_tool<KeyParams>(sessions,
                            {
                                .name = words.prefix + "_delete",
                                .title = "Delete " + words.name + " item",
                                .description = "Remove an item from the page's " + words.name + ".",
                                .scope = Scope::Session,
                                .capability = "storage",
                                .params = {{"key", &KeyParams::key, "Its key."}},
                                .handler = in(words.area, delete_item),
                            }),
        tab_tool<schema::NoParams>(sessions,
                                   {
                                       .name = words.prefix + "_clear",
                                       .title = "Clear " + words.name,
                                       .description = "Empty the page's " + words.name + ".",
                                       .scope = Scope::Session,
                                       .capability = "storage",
                                       .handler = in(words.area, clear_items),
                                   }),
    };
}

}  // namespace

std::vector<Tool> web_storage_tools(const SessionResolver& sessions) {
    std::vector<Tool> tools = tools_of(sessions, {StorageArea::Local, "browser_localstorage", "localStorage",
                                                  ", for all pages of its origin."});
    std::vector<Tool> others = tools_of(
        sessions, {StorageArea::Session, "browser_sessionstorage", "sessionStorage", ", for this tab only."});
    std::ranges::move(others, std::back_inserter(tools));
    return tools;
}

}  // namespace tools
