// A compiled schema: each subschema is a node, each reference is resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/pattern.h"
#include "util/json.h"

namespace schema {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

// A set of JSON types as bits.
using Types = std::uint8_t;
inline constexpr Types kNull = 1, kBoolean = 2, kInteger = 4, kFraction = 8, kString = 16, kArray = 32,
                       kObject = 64;
inline constexpr Types kNumber = kInteger | kFraction;
inline constexpr Types kAnyType = 127;

Types type_of(const json::value& value);

struct NumberRules {
    const json::value* minimum = nullptr;
    const json::value* maximum = nullptr;
    const json::value* above = nullptr;  // exclusiveMinimum
    const json::value* below = nullptr;  // exclusiveMaximum
    const json::value* multiple_of = nullptr;
};

// Limits a number of characters, items or members.
struct SizeRule {
    std::optional<std::uint64_t> minimum;
    std::optional<std::uint64_t> maximum;
};

struct StringRules {
    SizeRule length;
    std::optional<Pattern> pattern;
};

struct ArrayRules {
    SizeRule size;
    std::vector<NodeId> prefix;
    NodeId items = kNoNode;
    NodeId contains = kNoNode;
    SizeRule contained;
    bool unique = false;
};

struct ObjectRules {
    struct Property {
        std::string_view name;
        NodeId node = kNoNode;  // in "properties"; none for a name that is only required
        bool required = false;
    };
    struct Dependency {
        std::string_view when;
        std::vector<std::string_view> required;
        NodeId node = kNoNode;
    };

    SizeRule size;
    std::vector<Property> properties;  // as declared
    const json::object* declared = nullptr;
    std::vector<std::pair<Pattern, NodeId>> patterns;
    NodeId additional = kNoNode;
    NodeId names = kNoNode;
    std::vector<Dependency> dependencies;
};

// Rules on the instance as a whole.
struct Combination {
    NodeId reference = kNoNode;
    std::vector<NodeId> all_of;
    std::vector<NodeId> any_of;
    std::vector<NodeId> one_of;
    NodeId not_this = kNoNode;
    NodeId condition = kNoNode;
    NodeId then = kNoNode;
    NodeId otherwise = kNoNode;
};

struct Node {
    Types types = kAnyType;
    bool never = false;  // the schema `false`
    const json::array* options = nullptr;
    const json::value* constant = nullptr;
    std::unique_ptr<NumberRules> number = {};
    std::unique_ptr<StringRules> string = {};
    std::unique_ptr<ArrayRules> array = {};
    std::unique_ptr<ObjectRules> object = {};
    std::unique_ptr<Combination> combination = {};
};

struct Compiled {
    json::value schema;  // owns the values that the nodes point into
    std::vector<Node> nodes;
    NodeId root = kNoNode;
};

Result<std::shared_ptr<const Compiled>> compile(const json::value& schema);

}  // namespace schema
