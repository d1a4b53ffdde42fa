#include "schema/params.h"

#include <algorithm>
#include <mutex>

#include "schema/validator.h"
#include "util/strings.h"

namespace schema {

// One argument, without the type of its struct.
struct Field {
    std::string name;
    std::string description;
    const Type& type;
    std::size_t offset;  // of the member within its struct, in bytes
    ParamOptions options;

    bool required() const { return !type.optional && options.default_value.is_null(); }
};

// The arguments of one tool or struct, and their validator once it was needed.
class Fields {
public:
    explicit Fields(std::vector<std::shared_ptr<const Field>> fields);

    const std::vector<std::shared_ptr<const Field>>& all() const { return fields_; }
    bool have_former_names() const { return have_former_names_; }
    const Result<Validator>& validator() const;

private:
    Result<Validator> make_validator() const;

    std::vector<std::shared_ptr<const Field>> fields_;
    bool have_former_names_ = false;
    mutable std::once_flag compiled_;
    mutable std::optional<Result<Validator>> validator_;
};

namespace {

json::value to_json(double number) {
    json::value value = number;
    if (auto whole = json::as_integer(value)) value = *whole;
    return value;
}

// "items" of a list, else the schema itself: what rules on values are about.
json::object& values_of(json::object& schema) {
    json::value* items = schema.if_contains("items");
    return items && items->is_object() ? items->get_object() : schema;
}

json::object property_schema(const Field& field, Purpose purpose) {
    const ParamOptions& options = field.options;
    json::object schema = field.type.schema(purpose);
    json::object& values = values_of(schema);
    if (!options.choices.empty())
        values["enum"] = json::array(options.choices.begin(), options.choices.end());
    if (options.minimum) values["minimum"] = to_json(*options.minimum);
    if (options.maximum) values["maximum"] = to_json(*options.maximum);
    if (options.min_length) values["minLength"] = *options.min_length;
    if (options.max_length) values["maxLength"] = *options.max_length;
    if (!options.pattern.empty()) values["pattern"] = options.pattern;
    if (options.min_items) schema["minItems"] = *options.min_items;
    if (options.max_items) schema["maxItems"] = *options.max_items;
    for (const auto& [keyword, value] : options.keywords) schema[keyword] = value;
    if (!options.default_value.is_null()) schema["default"] = options.default_value;
    if (!field.description.empty()) schema["description"] = field.description;
    if (!options.header.empty()) schema["x-mcp-header"] = options.header;
    return schema;
}

bool uses_former_names(const Fields& fields, const json::value& arguments) {
    if (!fields.have_former_names()) return false;
    auto here = [&](const json::value& element) { return uses_former_names(fields, element); };
    if (const json::array* elements = arguments.if_array()) {
        return std::any_of(elements->begin(), elements->end(), here);
    }
    const json::object* members = arguments.if_object();
    if (!members) return false;
    for (const auto& field : fields.all()) {
        auto given = [&](const std::string& alias) { return members->contains(alias); };
        if (std::any_of(field->options.aliases.begin(), field->options.aliases.end(), given)) return true;
        const json::value* member = json::find(*members, field->name);
        if (member && field->type.fields && uses_former_names(*field->type.fields(), *member)) return true;
    }
    return false;
}

// Gives members their present names. Where an argument came under both, the present name wins.
void rename(const Fields& fields, json::value& arguments) {
    if (json::array* elements = arguments.if_array()) {
        for (json::value& element : *elements) rename(fields, element);
    }
    json::object* members = arguments.if_object();
    if (!members) return;
    for (const auto& field : fields.all()) {
        for (const std::string& alias : field->options.aliases) {
            auto found = members->find(alias);
            if (found == members->end()) continue;
            json::value moved = std::move(found->value());
            members->erase(found);
            members->emplace(field->name, std::move(moved));
        }
        json::value* member = members->if_contains(field->name);
        if (member && field->type.fields) rename(*field->type.fields(), *member);
    }
}

// "Did you mean "target"?" for the first name that is close to one of ours.
std::string suggestion(const Fields& fields, const json::value& arguments) {
    std::vector<std::string> names;
    for (const auto& field : fields.all()) names.push_back(field->name);
    const json::object* members = arguments.if_object();
    if (!members) return {};
    for (const auto& [key, member] : *members) {
        if (std::find(names.begin(), names.end(), std::string_view(key)) != names.end()) continue;
        std::string nearest = nearest_name(key, names);
        if (!nearest.empty()) return "Did you mean \"" + nearest + "\"?";
    }
    return {};
}

}  // namespace

Fields::Fields(std::vector<std::shared_ptr<const Field>> fields) : fields_(std::move(fields)) {
    auto has_former_names = [](const std::shared_ptr<const Field>& field) {
        return !field->options.aliases.empty() ||
               (field->type.fields && field->type.fields()->have_former_names());
    };
    have_former_names_ = std::any_of(fields_.begin(), fields_.end(), has_former_names);
}

const Result<Validator>& Fields::validator() const {
    std::call_once(compiled_, [this] { validator_ = make_validator(); });
    return *validator_;
}

Result<Validator> Fields::make_validator() const {
    auto made = Validator::create(to_schema(*this, Purpose::Checking));
    if (!made) return Error{.message = "The tool's own schema is wrong. " + made.error().message};
    for (const auto& field : fields_) {
        if (field->options.default_value.is_null()) continue;
        auto checked = TRY(Validator::create(property_schema(*field, Purpose::Checking)));
        auto violations = checked.check(field->options.default_value);
        if (!violations.empty()) {
            return Error{.message = "The tool's own default for \"" + field->name + "\" is wrong. " +
                                    describe(violations)};
        }
    }
    return made;
}

std::shared_ptr<const Field> make_field(std::string_view name, std::string_view description, const Type& type,
                                        std::size_t offset) {
    return make_field(name, description, type, offset, {});
}

std::shared_ptr<const Field> make_field(std::string_view name, std::string_view description, const Type& type,
                                        std::size_t offset, ParamOptions options) {
    return std::make_shared<const Field>(
        Field{std::string(name), std::string(description), type, offset, std::move(options)});
}

std::shared_ptr<const Fields> make_fields(std::vector<std::shared_ptr<const Field>> fields) {
    return std::make_shared<const Fields>(std::move(fields));
}

json::object to_schema(const Fields& fields, Purpose purpose) {
    json::object properties;
    json::array required;
    for (const auto& field : fields.all()) {
        properties[field->name] = property_schema(*field, purpose);
        if (field->required()) required.emplace_back(field->name);
    }
    json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    return schema;
}

Result<void> decode(const Fields& fields, const json::value& arguments, void* into) {
    static const json::value kNoArguments = json::object();
    const json::value* from = arguments.is_null() ? &kNoArguments : &arguments;
    json::value renamed;
    if (uses_former_names(fields, *from)) {
        renamed = *from;
        rename(fields, renamed);
        from = &renamed;
    }
    const Result<Validator>& validator = fields.validator();
    if (!validator) return validator.error();
    auto violations = validator->check(*from, {.nulls = Nulls::AbsentWhenOptional});
    if (!violations.empty()) {
        bool only_missing = std::ranges::all_of(violations, &Violation::missing);
        return Error{
            .code = only_missing ? ErrorCode::MissingParameter : ErrorCode::InvalidArgument,
            .message = describe(violations),
            .hint = suggestion(fields, *from),
        };
    }
    read(fields, *from, into);
    return ok();
}

void read(const Fields& fields, const json::value& from, void* into) {
    const json::object* members = from.if_object();
    if (!members) return;
    for (const auto& field : fields.all()) {
        const json::value* member = json::find(*members, field->name);
        bool left_out = !member || (member->is_null() && !field->required());
        const json::value& value = left_out ? field->options.default_value : *member;
        if (left_out && value.is_null()) continue;
        field->type.read(value, static_cast<char*>(into) + field->offset);
    }
}

}  // namespace schema
