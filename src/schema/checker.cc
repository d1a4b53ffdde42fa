#include "schema/checker.h"

#include <algorithm>
#include <utility>

#include "schema/values.h"
#include "util/strings.h"

namespace schema {

std::vector<Violation> Checker::run(const json::value& instance) {
    check(compiled_.root, instance, Path{});
    // The violations so far may be wrong: a rule whose check did not finish counts as violated.
    if (steps_ < 0) return {{.path = "", .message = "Invalid input: too large to check"}};
    if (too_deep_) return {{.path = "", .message = "Invalid input: nested too deep to check"}};
    return std::move(violations_);
}

void Checker::add(Violation violation) {
    violations_.push_back(std::move(violation));
    stopped_ = violations_.size() >= options_.violations;
}

bool Checker::check(NodeId id, const json::value& instance, const Path& path) {
    if (stopped_) return false;
    if (--steps_ < 0 || depth_ >= options_.depth) {
        too_deep_ = steps_ >= 0;
        stopped_ = true;
        return false;
    }
    ++depth_;
    bool passed = check_node(compiled_.nodes[id], instance, path);
    --depth_;
    return passed;
}

bool Checker::probe(NodeId id, const json::value& instance) {
    bool before = std::exchange(probing_, true);
    bool passed = check(id, instance, Path{});
    probing_ = before;
    return passed;
}

// A value of the wrong type or not among the options gets only that message: the other rules do not apply to
// it.
bool Checker::check_node(const Node& node, const json::value& instance, const Path& path) {
    if (node.never) {
        return fail(path, [&] {
            return "Invalid input: expected never, received " + std::string(received(instance));
        });
    }
    if ((node.options || node.constant) && !check_options(node, instance, path)) return false;
    if (!(node.types & type_of(instance))) {
        return fail(path, [&] {
            return "Invalid input: expected " + join_with_or(type_names(node.types)) + ", received " +
                   std::string(received(instance));
        });
    }
    bool passed = true;
    if (node.number && instance.is_number()) passed &= check_number(*node.number, instance, path);
    if (node.string && instance.is_string())
        passed &= check_string(*node.string, instance.get_string(), path);
    if (node.array && instance.is_array()) passed &= check_array(*node.array, instance.get_array(), path);
    if (node.object && instance.is_object()) passed &= check_object(*node.object, instance, path);
    if (node.combination && !done(passed)) passed &= check_combination(*node.combination, instance, path);
    return passed;
}

bool Checker::check_options(const Node& node, const json::value& instance, const Path& path) {
    auto same = [&](const json::value& option) { return equal(option, instance, steps_); };
    bool passed = (!node.options || std::any_of(node.options->begin(), node.options->end(), same)) &&
                  (!node.constant || same(*node.constant));
    return passed || fail(path, [&] { return wrong_option(options_of(node)); });
}

bool Checker::check_number(const NumberRules& rules, const json::value& instance, const Path& path) {
    auto limit = [&](const json::value* by, bool holds, std::string_view words) {
        return holds || fail(path, [&] { return std::string(words) + json::serialize(*by); });
    };
    auto compare = [&](const json::value* by) { return compare_numbers(instance, *by); };
    bool passed = true;
    if (auto* by = rules.minimum)
        passed &= limit(by, compare(by) >= 0, "Too small: expected number to be >=");
    if (auto* by = rules.above) passed &= limit(by, compare(by) > 0, "Too small: expected number to be >");
    if (auto* by = rules.maximum) passed &= limit(by, compare(by) <= 0, "Too big: expected number to be <=");
    if (auto* by = rules.below) passed &= limit(by, compare(by) < 0, "Too big: expected number to be <");
    if (auto* by = rules.multiple_of) {
        passed &= limit(by, is_multiple(instance, *by), "Invalid number: must be a multiple of ");
    }
    return passed;
}

bool Checker::check_size(const SizeRule& rule, std::uint64_t size, std::string_view what,
                         std::string_view units, const Path& path) {
    auto sentence = [&](std::string_view problem, std::string_view sign, std::uint64_t limit) {
        return std::string(problem) + ": expected " + std::string(what) + " to have " + std::string(sign) +
               std::to_string(limit) + " " + std::string(units);
    };
    if (rule.minimum && size < *rule.minimum) {
        return fail(path, [&] { return sentence("Too small", ">=", *rule.minimum); });
    }
    if (rule.maximum && size > *rule.maximum) {
        return fail(path, [&] { return sentence("Too big", "<=", *rule.maximum); });
    }
    return true;
}

bool Checker::check_string(const StringRules& rules, std::string_view text, const Path& path) {
    bool passed = true;
    if (rules.length.minimum || rules.length.maximum) {
        steps_ -= static_cast<std::int64_t>(text.size() / 16);
        passed &= check_size(rules.length, count_characters(text), "string", "characters", path);
    }
    if (!rules.pattern || done(passed)) return passed;
    Pattern::Outcome outcome = rules.pattern->search(text, steps_);
    if (outcome == Pattern::Outcome::Match) return passed;
    return fail(path, [&] {
        std::string problem = outcome == Pattern::Outcome::NoMatch ? "must match" : "too long to match";
        return "Invalid string: " + problem + " pattern /" + shortened(rules.pattern->source()) + "/";
    });
}

bool Checker::check_array(const ArrayRules& rules, const json::array& elements, const Path& path) {
    bool passed = check_size(rules.size, elements.size(), "array", "items", path);
    for (std::size_t i = 0; i < elements.size() && !done(passed); ++i) {
        NodeId id = i < rules.prefix.size() ? rules.prefix[i] : rules.items;
        if (id == kNoNode) break;
        passed &= check(id, elements[i], Path{.parent = &path, .index = i, .is_index = true});
    }
    if (rules.contains != kNoNode && !done(passed)) passed &= check_contains(rules, elements, path);
    if (rules.unique && !done(passed)) passed &= check_unique(elements, path);
    return passed;
}

bool Checker::check_contains(const ArrayRules& rules, const json::array& elements, const Path& path) {
    std::uint64_t count = 0;
    for (const json::value& element : elements) count += probe(rules.contains, element);
    SizeRule rule{.minimum = rules.contained.minimum.value_or(1), .maximum = rules.contained.maximum};
    return check_size(rule, count, "array", "matching items", path);
}

bool Checker::check_unique(const json::array& elements, const Path& path) {
    std::vector<std::pair<std::size_t, std::size_t>> order;  // hash, index
    order.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) order.emplace_back(hash(elements[i], steps_), i);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size() && order[j].first == order[i].first && steps_ >= 0;
             ++j) {
            auto [first, second] = std::minmax(order[i].second, order[j].second);
            if (!equal(elements[first], elements[second], steps_)) continue;
            return fail(path, [&] {
                return "Invalid array: items [" + std::to_string(first) + "] and [" + std::to_string(second) +
                       "] are equal";
            });
        }
    }
    return true;
}

bool Checker::check_object(const ObjectRules& rules, const json::value& instance, const Path& path) {
    const json::object& members = instance.get_object();
    bool passed = check_properties(rules, members, path);
    if (!done(passed)) passed &= check_rest(rules, members, path);
    if (!done(passed)) passed &= check_size(rules.size, members.size(), "object", "properties", path);
    if (!done(passed)) passed &= check_dependencies(rules, instance, path);
    return passed;
}

bool Checker::check_properties(const ObjectRules& rules, const json::object& members, const Path& path) {
    steps_ -= static_cast<std::int64_t>(rules.properties.size() / 4);
    bool passed = true;
    for (const ObjectRules::Property& property : rules.properties) {
        Path here{.parent = &path, .key = property.name};
        const json::value* member = json::find(members, property.name);
        bool left_out = !member || (member->is_null() && options_.nulls == Nulls::AbsentWhenOptional);
        if (!member && property.required) {
            passed &= fail_missing(property.node, here);
        } else if (property.node != kNoNode && (property.required || !left_out)) {
            passed &= check(property.node, *member, here);
        }
        if (done(passed)) break;
    }
    return passed;
}

// Checks the members that "properties" does not name, and the names of all.
bool Checker::check_rest(const ObjectRules& rules, const json::object& members, const Path& path) {
    if (rules.patterns.empty() && rules.additional == kNoNode && rules.names == kNoNode) return true;
    bool passed = true;
    std::vector<std::string> unknown;
    for (const auto& [key, member] : members) {
        if (done(passed)) return false;
        Path here{.parent = &path, .key = key};
        if (rules.names != kNoNode) passed &= check_name(rules.names, key, here);
        bool covered = rules.declared && json::find(*rules.declared, key);
        for (const auto& [pattern, id] : rules.patterns) {
            if (pattern.search(key, steps_) != Pattern::Outcome::Match) continue;
            covered = true;
            passed &= check(id, member, here);
        }
        if (covered || rules.additional == kNoNode) continue;
        if (!compiled_.nodes[rules.additional].never) {
            passed &= check(rules.additional, member, here);
        } else if (probing_) {
            return false;
        } else {
            unknown.push_back(quoted_text(key));
        }
    }
    if (unknown.empty()) return passed;
    return fail(path, [&] {
        std::string words = unknown.size() == 1 ? "Unrecognized key: " : "Unrecognized keys: ";
        if (unknown.size() > 10) unknown = {unknown.begin(), unknown.begin() + 10}, unknown.emplace_back("…");
        return words + join(unknown, ", ");
    });
}

bool Checker::check_name(NodeId names, std::string_view name, const Path& path) {
    std::size_t before = violations_.size();
    bool passed = check(names, json::value(name), path);
    for (std::size_t i = before; i < violations_.size(); ++i)
        violations_[i].message.insert(0, "Invalid key: ");
    return passed;
}

bool Checker::check_dependencies(const ObjectRules& rules, const json::value& instance, const Path& path) {
    const json::object& members = instance.get_object();
    bool passed = true;
    for (const ObjectRules::Dependency& dependency : rules.dependencies) {
        if (--steps_ < 0 || !json::find(members, dependency.when)) continue;
        for (std::string_view name : dependency.required) {
            if (--steps_ < 0 || json::find(members, name)) continue;
            passed &= fail(path, [&] {
                return "Invalid input: " + quoted_text(name) + " is required when " +
                       quoted_text(dependency.when) + " is given";
            });
        }
        if (dependency.node != kNoNode) passed &= check(dependency.node, instance, path);
        if (done(passed)) break;
    }
    return passed;
}

}  // namespace schema
