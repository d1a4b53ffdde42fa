// The part of Checker for combinations of schemas.
#include <algorithm>

#include "schema/checker.h"

namespace schema {

bool Checker::check_combination(const Combination& rules, const json::value& instance, const Path& path) {
    bool passed = rules.reference == kNoNode || check(rules.reference, instance, path);
    for (NodeId id : rules.all_of) {
        if (done(passed)) return false;
        passed &= check(id, instance, path);
    }
    if (!rules.any_of.empty() && !done(passed)) passed &= check_any_of(rules.any_of, instance, path);
    if (!rules.one_of.empty() && !done(passed)) passed &= check_one_of(rules.one_of, instance, path);
    if (rules.not_this != kNoNode && !done(passed) && probe(rules.not_this, instance)) {
        passed = fail(path, [] { return "Invalid input: matches what is not allowed"; });
    }
    if (rules.condition != kNoNode && !done(passed)) {
        NodeId next = probe(rules.condition, instance) ? rules.then : rules.otherwise;
        if (next != kNoNode) passed &= check(next, instance, path);
    }
    return passed;
}

bool Checker::check_any_of(const std::vector<NodeId>& branches, const json::value& instance,
                           const Path& path) {
    for (NodeId id : branches) {
        if (probe(id, instance)) return true;
    }
    report_branches(branches, instance, path);
    return false;
}

bool Checker::check_one_of(const std::vector<NodeId>& branches, const json::value& instance,
                           const Path& path) {
    auto fits = [&](NodeId id) { return probe(id, instance); };
    auto first = std::find_if(branches.begin(), branches.end(), fits);
    if (first == branches.end()) {
        report_branches(branches, instance, path);
        return false;
    }
    if (std::none_of(first + 1, branches.end(), fits)) return true;
    return fail(path, [] { return "Invalid input: more than one option matched"; });
}

void Checker::report_branches(const std::vector<NodeId>& branches, const json::value& instance,
                              const Path& path) {
    if (probing_ || stopped_) return;
    std::vector<NodeId> candidates;  // branches that accept this type and more than a few values of it
    std::vector<const json::value*> options;
    Types types = 0;
    for (NodeId id : branches) {
        const Node& node = meaning(id);
        auto values = options_of(node);
        options.insert(options.end(), values.begin(), values.end());
        if (node.never || !values.empty()) continue;
        types |= node.types;
        if (node.types & type_of(instance)) candidates.push_back(id);
    }
    if (candidates.size() == 1) {
        check(candidates.front(), instance, path);
        return;
    }
    fail(path, [&]() -> std::string {
        if (candidates.size() > 1) return "Invalid input: matches none of the alternatives";
        if (types == 0 && !options.empty()) return wrong_option(options);
        std::vector<std::string> expected = type_names(types);
        if (!options.empty()) expected.push_back(join_options(options));
        return "Invalid input: expected " + join_with_or(expected) + ", received " +
               std::string(received(instance));
    });
}

bool Checker::fail_missing(NodeId id, const Path& path) {
    if (probing_ || stopped_) return false;
    std::string message = "Invalid input: expected a value, received undefined";
    if (id != kNoNode) {
        const Node& node = meaning(id);
        auto options = options_of(node);
        if (!options.empty()) {
            message = wrong_option(options);
        } else if (node.types != kAnyType) {
            message =
                "Invalid input: expected " + join_with_or(type_names(node.types)) + ", received undefined";
        }
    }
    add({.path = to_string(path), .message = std::move(message), .missing = true});
    return false;
}

std::vector<const json::value*> Checker::options_of(const Node& node) const {
    std::vector<const json::value*> options;
    if (node.constant) {
        options.push_back(node.constant);
    } else if (node.options) {
        for (const json::value& option : *node.options) options.push_back(&option);
    }
    return options;
}

const Node& Checker::meaning(NodeId id) const {
    const Node* node = &compiled_.nodes[id];
    for (int hops = 0; hops < 16; ++hops) {
        bool says_nothing = node->types == kAnyType && !node->options && !node->constant;
        if (!says_nothing || !node->combination || node->combination->reference == kNoNode) break;
        node = &compiled_.nodes[node->combination->reference];
    }
    return *node;
}

}  // namespace schema
