// Resolves the references within one schema.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "util/json.h"
#include "util/result.h"

namespace schema {

// Collects the identifiers ($id, $anchor) of a schema, then finds the target of a $ref. A subschema with an
// $id is a resource of its own: "#" within it refers to itself. Nothing is ever fetched.
class References {
public:
    using Resource = std::size_t;
    static constexpr Resource kRoot = 0;

    explicit References(const json::value& root);

    // Collects the identifiers of one subschema of `within`; returns the resource that contains its parts.
    Resource enter(const json::value& schema, Resource within);

    struct Target {
        const json::value* schema = nullptr;
        Resource resource = kRoot;
    };
    Result<Target> find(const std::string& reference, Resource within) const;

private:
    struct Document {
        const json::value* root = nullptr;
        std::string address = {};
        std::unordered_map<std::string, const json::value*> anchors = {};
    };

    std::deque<Document> documents_;
    std::unordered_map<std::string, Resource> by_address_;
};

}  // namespace schema
