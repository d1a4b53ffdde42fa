#include "schema/compiled.h"

#include <cmath>
#include <deque>
#include <unordered_map>

#include "schema/references.h"

namespace schema {
namespace {

constexpr std::string_view kDialect = "https://json-schema.org/draft/2020-12/schema";
constexpr int kMaxSchemaDepth = 64;
constexpr std::size_t kMaxNodes = 10'000;

Types type_named(std::string_view name) {
    if (name == "null") return kNull;
    if (name == "boolean") return kBoolean;
    if (name == "integer") return kInteger;
    if (name == "number") return kNumber;
    if (name == "string") return kString;
    if (name == "array") return kArray;
    if (name == "object") return kObject;
    return 0;
}

// Walks a schema once and makes a node of every subschema; then resolves the references.
//
// The first problem ends the walk: `error_` is set once and the rest is skipped.
class Compiler {
public:
    explicit Compiler(const json::value& schema)
        : compiled_(std::make_shared<Compiled>(Compiled{.schema = schema})), references_(compiled_->schema) {}

    Result<std::shared_ptr<const Compiled>> run() {
        compiled_->root = add(compiled_->schema, {});
        // Resolving may reach a subschema below an unknown keyword, which adds further references.
        while (!unresolved_.empty() && error_.empty()) {
            Reference next = std::move(unresolved_.front());
            unresolved_.pop_front();
            NodeId target = resolve(next);
            compiled_->nodes[next.from].combination->reference = target;
        }
        if (!error_.empty()) return Error{.code = ErrorCode::InvalidArgument, .message = error_};
        return std::shared_ptr<const Compiled>(compiled_);
    }

private:
    struct Place {
        References::Resource resource = References::kRoot;
        std::string pointer = "#";
        int depth = 0;
    };
    struct Reference {
        NodeId from;
        std::string target;
        Place place;
    };

    void fail(const Place& place, std::string_view problem) {
        if (error_.empty()) error_ = "Invalid schema at " + place.pointer + ": " + std::string(problem) + ".";
    }
    // Reports a keyword and the requirement on it: fail(place, "anyOf", "must be a list of schemas").
    void fail(const Place& place, std::string_view keyword, std::string_view must) {
        fail(place, "\"" + std::string(keyword) + "\" " + std::string(must));
    }

    NodeId add(const json::value& schema, Place place) {
        if (!error_.empty()) return kNoNode;
        if (auto known = ids_.find(&schema); known != ids_.end()) return known->second;
        if (place.depth > kMaxSchemaDepth) fail(place, "it is nested more than 64 levels deep");
        if (compiled_->nodes.size() >= kMaxNodes) fail(place, "it has more than 10,000 subschemas");
        if (!schema.is_object() && !schema.is_bool()) fail(place, "a schema is an object, true or false");
        if (!error_.empty()) return kNoNode;
        auto id = static_cast<NodeId>(compiled_->nodes.size());
        ids_[&schema] = id;
        compiled_->nodes.push_back({.never = schema == false});
        if (schema.is_bool()) return id;
        const json::object& from = schema.get_object();
        check_dialect(from, place);
        place.resource = references_.enter(schema, place.resource);
        // Adding children may reallocate `nodes`, so this node is stored at the end.
        Node filled;
        read_values(filled, from, place);
        read_array(filled, from, place);
        read_object(filled, from, place);
        read_combination(filled, from, place, id);
        for (std::string_view keyword : {"$defs", "definitions"}) named_schemas(from, keyword, place);
        compiled_->nodes[id] = std::move(filled);
        return id;
    }

    NodeId child(const json::object& from, std::string_view keyword, const Place& place) {
        const json::value* schema = json::find(from, keyword);
        return schema ? add(*schema, below(place, keyword)) : kNoNode;
    }

    static Place below(const Place& place, std::string_view keyword) {
        return {place.resource, place.pointer + "/" + std::string(keyword.substr(0, 100)), place.depth + 1};
    }

    std::vector<NodeId> list(const json::object& from, std::string_view keyword, const Place& place) {
        std::vector<NodeId> ids;
        const json::value* value = json::find(from, keyword);
        if (!value) return ids;
        const json::array* schemas = value->if_array();
        if (!schemas || schemas->empty()) {
            fail(place, keyword, "must be a list of schemas");
            return ids;
        }
        for (const json::value& schema : *schemas) {
            ids.push_back(add(schema, below(place, std::string(keyword) + "/" + std::to_string(ids.size()))));
        }
        return ids;
    }

    // The members of "properties" and the like, in their order.
    std::vector<std::pair<std::string_view, NodeId>> named_schemas(const json::object& from,
                                                                   std::string_view keyword,
                                                                   const Place& place) {
        std::vector<std::pair<std::string_view, NodeId>> ids;
        const json::value* value = json::find(from, keyword);
        if (!value) return ids;
        if (!value->is_object()) {
            fail(place, keyword, "must be an object of schemas");
            return ids;
        }
        Place here = below(place, keyword);
        here.depth = place.depth;
        for (const auto& [name, schema] : value->get_object()) {
            ids.emplace_back(name, add(schema, below(here, name)));
        }
        return ids;
    }

    std::vector<std::string_view> names(const json::value& value, std::string_view keyword,
                                        const Place& place) {
        std::vector<std::string_view> result;
        const json::array* elements = value.if_array();
        if (!elements) {
            fail(place, keyword, "must be a list of names");
            return result;
        }
        for (const json::value& element : *elements) {
            if (!element.is_string()) fail(place, keyword, "must be a list of names");
            if (element.is_string()) result.push_back(element.get_string());
        }
        return result;
    }

    std::optional<std::uint64_t> size(const json::object& from, std::string_view keyword,
                                      const Place& place) {
        const json::value* value = json::find(from, keyword);
        if (!value) return {};
        if (value->is_uint64()) return value->get_uint64();
        auto number = json::as_integer(*value);
        if (!number || *number < 0) fail(place, keyword, "must be a whole number, 0 or more");
        return static_cast<std::uint64_t>(number.value_or(0));
    }

    SizeRule sizes(const json::object& from, std::string_view minimum, std::string_view maximum,
                   const Place& place) {
        return {size(from, minimum, place), size(from, maximum, place)};
    }

    std::optional<Pattern> pattern(std::string_view source, const Place& place) {
        auto made = Pattern::create(source);
        if (made) return std::move(*made);
        std::string problem = made.error().message;
        problem.pop_back();  // its full stop
        fail(place, problem);
        return {};
    }

    void check_dialect(const json::object& from, const Place& place);
    void read_values(Node& into, const json::object& from, const Place& place);
    void read_types(Node& into, const json::value& types, const Place& place);
    void read_array(Node& into, const json::object& from, const Place& place);
    void read_object(Node& into, const json::object& from, const Place& place);
    void read_combination(Node& into, const json::object& from, const Place& place, NodeId id);
    NodeId resolve(const Reference& reference);

    std::shared_ptr<Compiled> compiled_;
    std::unordered_map<const json::value*, NodeId> ids_;
    References references_;
    std::deque<Reference> unresolved_;
    std::string error_;
};

void Compiler::check_dialect(const json::object& from, const Place& place) {
    const json::value* dialect = json::find(from, "$schema");
    if (!dialect) return;
    std::string_view name = dialect->is_string() ? std::string_view(dialect->get_string()) : "";
    if (name.ends_with('#')) name.remove_suffix(1);
    if (name != kDialect) {
        fail(place,
             "the dialect " + json::serialize(*dialect) + " is not supported, only " + std::string(kDialect));
    }
}

void Compiler::read_types(Node& into, const json::value& types, const Place& place) {
    auto add_type = [&](const json::value& name) {
        Types type = name.is_string() ? type_named(name.get_string()) : Types{0};
        if (type == 0) fail(place, "unknown type " + json::serialize(name));
        into.types |= type;
    };
    into.types = 0;
    if (const json::array* several = types.if_array()) {
        for (const json::value& name : *several) add_type(name);
    } else {
        add_type(types);
    }
}

void Compiler::read_values(Node& into, const json::object& from, const Place& place) {
    if (const json::value* types = json::find(from, "type")) read_types(into, *types, place);
    if (const json::value* options = json::find(from, "enum")) {
        into.options = options->if_array();
        if (!into.options) fail(place, "enum", "must be a list");
    }
    into.constant = json::find(from, "const");

    NumberRules number;
    bool any = false;
    auto limit = [&](std::string_view keyword, const json::value*& limit_of) {
        limit_of = json::find(from, keyword);
        any = any || limit_of;
        if (limit_of && !limit_of->is_number()) fail(place, keyword, "must be a number");
    };
    limit("minimum", number.minimum);
    limit("maximum", number.maximum);
    limit("exclusiveMinimum", number.above);
    limit("exclusiveMaximum", number.below);
    limit("multipleOf", number.multiple_of);
    if (number.multiple_of &&
        !(number.multiple_of->is_number() && number.multiple_of->to_number<double>() > 0)) {
        fail(place, "multipleOf", "must be above 0");
    }
    if (any) into.number = std::make_unique<NumberRules>(number);

    StringRules string{.length = sizes(from, "minLength", "maxLength", place)};
    if (const json::value* source = json::find(from, "pattern")) {
        if (!source->is_string()) fail(place, "pattern", "must be a string");
        if (source->is_string()) string.pattern = pattern(source->get_string(), place);
    }
    if (string.length.minimum || string.length.maximum || string.pattern) {
        into.string = std::make_unique<StringRules>(std::move(string));
    }
}

void Compiler::read_array(Node& into, const json::object& from, const Place& place) {
    ArrayRules rules{.size = sizes(from, "minItems", "maxItems", place)};
    rules.prefix = list(from, "prefixItems", place);
    rules.items = child(from, "items", place);
    rules.contains = child(from, "contains", place);
    rules.contained = sizes(from, "minContains", "maxContains", place);
    rules.unique = json::find_bool(from, "uniqueItems").value_or(false);
    bool any = rules.size.minimum || rules.size.maximum || !rules.prefix.empty() || rules.items != kNoNode ||
               rules.contains != kNoNode || rules.unique;
    if (any) into.array = std::make_unique<ArrayRules>(std::move(rules));
}

void Compiler::read_object(Node& into, const json::object& from, const Place& place) {
    ObjectRules rules{.size = sizes(from, "minProperties", "maxProperties", place)};
    for (auto [name, id] : named_schemas(from, "properties", place)) rules.properties.push_back({name, id});
    rules.declared = json::find_object(from, "properties");
    if (const json::value* required = json::find(from, "required")) {
        for (std::string_view name : names(*required, "required", place)) {
            // "properties" keeps the order of its object, so an index there is an index here.
            auto found = rules.declared ? rules.declared->find(name) : json::object::const_iterator();
            if (rules.declared && found != rules.declared->end()) {
                rules.properties[static_cast<std::size_t>(found - rules.declared->begin())].required = true;
            } else {
                rules.properties.push_back({name, kNoNode, true});
            }
        }
    }
    for (auto [source, id] : named_schemas(from, "patternProperties", place)) {
        if (auto made = pattern(source, place)) rules.patterns.emplace_back(std::move(*made), id);
    }
    rules.additional = child(from, "additionalProperties", place);
    rules.names = child(from, "propertyNames", place);
    if (const json::value* dependent = json::find(from, "dependentRequired")) {
        if (!dependent->is_object()) {
            fail(place, "dependentRequired", "must be an object of lists");
            return;
        }
        for (const auto& [when, needed] : dependent->get_object()) {
            rules.dependencies.push_back({when, names(needed, "dependentRequired", place)});
        }
    }
    for (auto [when, id] : named_schemas(from, "dependentSchemas", place))
        rules.dependencies.push_back({when, {}, id});
    bool any = rules.size.minimum || rules.size.maximum || !rules.properties.empty() ||
               !rules.patterns.empty() || rules.additional != kNoNode || rules.names != kNoNode ||
               !rules.dependencies.empty();
    if (any) into.object = std::make_unique<ObjectRules>(std::move(rules));
}

void Compiler::read_combination(Node& into, const json::object& from, const Place& place, NodeId id) {
    Combination rules;
    rules.all_of = list(from, "allOf", place);
    rules.any_of = list(from, "anyOf", place);
    rules.one_of = list(from, "oneOf", place);
    rules.not_this = child(from, "not", place);
    rules.condition = child(from, "if", place);
    rules.then = child(from, "then", place);
    rules.otherwise = child(from, "else", place);
    bool refers = false;
    for (std::string_view keyword : {"$ref", "$dynamicRef"}) {
        const json::value* target = json::find(from, keyword);
        if (!target) continue;
        if (!target->is_string()) {
            fail(place, keyword, "must be a string");
        } else if (!refers) {
            refers = true;
            unresolved_.push_back({id, std::string(target->get_string()), place});
        }
    }
    bool any = refers || !rules.all_of.empty() || !rules.any_of.empty() || !rules.one_of.empty() ||
               rules.not_this != kNoNode || rules.condition != kNoNode;
    if (any) into.combination = std::make_unique<Combination>(std::move(rules));
}

NodeId Compiler::resolve(const Reference& reference) {
    auto found = references_.find(reference.target, reference.place.resource);
    if (found) return add(*found->schema, {.resource = found->resource, .pointer = reference.target});
    fail(reference.place, found.error().message);
    return kNoNode;
}

}  // namespace

Types type_of(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null:
            return kNull;
        case json::kind::bool_:
            return kBoolean;
        case json::kind::int64:
        case json::kind::uint64:
            return kInteger;
        case json::kind::double_: {
            double number = value.get_double();
            return std::nearbyint(number) == number ? kInteger : kFraction;
        }
        case json::kind::string:
            return kString;
        case json::kind::array:
            return kArray;
        case json::kind::object:
            return kObject;
    }
    return 0;
}

Result<std::shared_ptr<const Compiled>> compile(const json::value& schema) { return Compiler(schema).run(); }

}  // namespace schema
