// One check of a value against a compiled schema.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/compiled.h"
#include "schema/messages.h"
#include "schema/validator.h"

namespace schema {

// Walks schema and instance side by side. Used once.
//
// While probing (the branches of anyOf, if, not …) it stops at the first violation and builds no message;
// otherwise it goes on to find them all.
class Checker {
public:
    Checker(const Compiled& compiled, const CheckOptions& options)
        : compiled_(compiled), options_(options), steps_(options.steps) {}

    std::vector<Violation> run(const json::value& instance);

private:
    bool check(NodeId id, const json::value& instance, const Path& path);
    bool check_node(const Node& node, const json::value& instance, const Path& path);
    bool check_options(const Node& node, const json::value& instance, const Path& path);
    bool check_number(const NumberRules& rules, const json::value& instance, const Path& path);
    bool check_string(const StringRules& rules, std::string_view text, const Path& path);
    bool check_array(const ArrayRules& rules, const json::array& elements, const Path& path);
    bool check_contains(const ArrayRules& rules, const json::array& elements, const Path& path);
    bool check_unique(const json::array& elements, const Path& path);
    bool check_object(const ObjectRules& rules, const json::value& instance, const Path& path);
    bool check_properties(const ObjectRules& rules, const json::object& members, const Path& path);
    bool check_rest(const ObjectRules& rules, const json::object& members, const Path& path);
    bool check_dependencies(const ObjectRules& rules, const json::value& instance, const Path& path);
    bool check_name(NodeId names, std::string_view name, const Path& path);
    bool check_combination(const Combination& rules, const json::value& instance, const Path& path);
    bool check_any_of(const std::vector<NodeId>& branches, const json::value& instance, const Path& path);
    bool check_one_of(const std::vector<NodeId>& branches, const json::value& instance, const Path& path);
    bool check_size(const SizeRule& rule, std::uint64_t size, std::string_view what, std::string_view units,
                    const Path& path);

    // Whether the instance passes, without building messages.
    bool probe(NodeId id, const json::value& instance);

    // Reports why no branch fits: the violations of the only possible branch, or the types that the branches
    // expect.
    void report_branches(const std::vector<NodeId>& branches, const json::value& instance, const Path& path);
    // Reports that the value at `path` is missing: "Invalid input: expected string, received undefined".
    bool fail_missing(NodeId id, const Path& path);
    // The values that a node allows ("enum" or "const"), empty for any other node.
    std::vector<const json::value*> options_of(const Node& node) const;
    // The most specific node for messages: the target of a bare reference.
    const Node& meaning(NodeId id) const;

    // Whether the check can stop, given that the rules so far gave `passed`.
    bool done(bool passed) const { return stopped_ || (probing_ && !passed); }
    // Always returns false, so that a rule can return it.
    template <class Message>
    bool fail(const Path& path, Message&& message) {
        if (!probing_ && !stopped_) add({.path = to_string(path), .message = message()});
        return false;
    }
    void add(Violation violation);

    const Compiled& compiled_;
    const CheckOptions& options_;
    std::int64_t steps_;
    int depth_ = 0;
    bool probing_ = false;
    bool too_deep_ = false;
    bool stopped_ = false;  // enough violations, or too much work
    std::vector<Violation> violations_;
};

}  // namespace schema
