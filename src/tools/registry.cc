#include "tools/registry.h"

#include <algorithm>

namespace tools {

Task<std::vector<std::string>> ResourceProvider::complete(CompletionRequest, Client&) {
    co_return std::vector<std::string>();
}

namespace {

template <class T>
auto find_named(const std::vector<std::shared_ptr<const T>>& list, std::string_view name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& item) { return item->name == name; });
}

// Replaces the entry of the same name, so that names stay unique.
template <class T>
void put(std::vector<std::shared_ptr<const T>>& list, T item) {
    auto shared = std::make_shared<const T>(std::move(item));
    auto it = find_named(list, shared->name);
    if (it == list.end()) {
        list.push_back(std::move(shared));
    } else {
        list[static_cast<std::size_t>(it - list.begin())] = std::move(shared);
    }
}

template <class T>
bool remove(std::vector<std::shared_ptr<const T>>& list, std::string_view name) {
    auto it = find_named(list, name);
    if (it == list.end()) return false;
    list.erase(it);
    return true;
}

template <class T>
std::shared_ptr<const T> find(const std::vector<std::shared_ptr<const T>>& list, std::string_view name) {
    auto it = find_named(list, name);
    return it == list.end() ? nullptr : *it;
}

}  // namespace

void Registry::add(Tool tool) {
    put(tools_, std::move(tool));
    list_changed(Kind::Tools);
}

void Registry::add_hidden(Tool tool) { put(hidden_tools_, std::move(tool)); }

void Registry::add(Prompt prompt) {
    put(prompts_, std::move(prompt));
    list_changed(Kind::Prompts);
}

void Registry::add(std::shared_ptr<ResourceProvider> provider) {
    resources_.push_back(std::move(provider));
    list_changed(Kind::Resources);
}

bool Registry::remove_tool(std::string_view name) {
    bool removed = remove(tools_, name);
    if (removed) list_changed(Kind::Tools);
    return removed;
}

bool Registry::remove_prompt(std::string_view name) {
    bool removed = remove(prompts_, name);
    if (removed) list_changed(Kind::Prompts);
    return removed;
}

std::shared_ptr<const Tool> Registry::find_tool(std::string_view name) const {
    for (const auto* list : {&tools_, &hidden_tools_}) {
        if (auto tool = find(*list, name)) return tool;
    }
    for (const auto* list : {&tools_, &hidden_tools_}) {
        for (const auto& tool : *list) {
            if (std::ranges::find(tool->aliases, name) != tool->aliases.end()) return tool;
        }
    }
    return nullptr;
}
std::shared_ptr<const Prompt> Registry::find_prompt(std::string_view name) const {
    return find(prompts_, name);
}

}  // namespace tools
