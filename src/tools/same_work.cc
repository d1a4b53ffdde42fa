#include "tools/same_work.h"

#include <algorithm>
#include <map>

namespace tools {
namespace {

using Names = std::vector<std::string>;

// The tools that do the same as this one, and the tool itself.
Names all_names_of(std::string_view tool) {
    Names names;
    auto found = std::ranges::find_if(
        kSameWork, [&](const SameWork& same) { return std::ranges::find(same, tool) != same.end(); });
    if (found == kSameWork.end()) return {std::string(tool)};
    for (std::string_view name : *found) {
        if (!name.empty()) names.emplace_back(name);
    }
    return names;
}

void add_names_of(std::string_view tool, Names& names) {
    for (std::string& name : all_names_of(tool)) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
}

// What the tool does under any of its names.
Names work_of(const std::string& tool) {
    Names names = all_names_of(tool);
    const Names same = names;
    for (const WiderWork& wider : kWiderWork) {
        if (std::ranges::find(same, wider.tool) != same.end()) add_names_of(wider.includes, names);
    }
    std::erase(names, tool);
    return names;
}

std::map<std::string, Names, std::less<>> work_of_all() {
    std::map<std::string, Names, std::less<>> all;
    auto add = [&](std::string_view tool) {
        if (!tool.empty()) all.try_emplace(std::string(tool), work_of(std::string(tool)));
    };
    for (const SameWork& same : kSameWork) std::ranges::for_each(same, add);
    for (const WiderWork& wider : kWiderWork) add(wider.tool);
    return all;
}

}  // namespace

const std::vector<std::string>& also_judged_as(std::string_view tool) {
    static const std::map<std::string, Names, std::less<>> kWork = work_of_all();
    static const Names kNone;
    auto found = kWork.find(tool);
    return found == kWork.end() ? kNone : found->second;
}

std::vector<std::string> also_judged_as(std::string_view tool, const json::value& arguments) {
    Names names;
    for (const ArgumentWork& work : kArgumentWork) {
        if (work.tool != tool || !arguments.is_object()) continue;
        const json::value* given = json::find(arguments, work.argument);
        if (!given || given->is_null()) continue;
        add_names_of(work.includes, names);
        for (const std::string& other : also_judged_as(work.includes)) add_names_of(other, names);
    }
    return names;
}

}  // namespace tools
