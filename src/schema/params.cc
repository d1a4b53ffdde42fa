#include "schema/params.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "schema/messages.h"
#include "schema/validator.h"
#include "util/strings.h"

namespace schema {

// One argument, independent of its struct's type.
struct Field {
    std::string name;
    std::string description;
    const Type& type;
    std::size_t offset;  // of the member within its struct, in bytes
    ParamOptions options;

    bool required() const { return !type.optional && options.default_value.is_null(); }
};

// The arguments of one tool or struct, and their validator, compiled on first use.
class Fields {
public:
    explicit Fields(std::vector<std::shared_ptr<const Field>> fields);

    const std::vector<std::shared_ptr<const Field>>& all() const { return fields_; }
    bool have_other_names() const { return have_other_names_; }
    const Result<Validator>& validator() const;

private:
    Result<Validator> make_validator() const;

    std::vector<std::shared_ptr<const Field>> fields_;
    bool have_other_names_ = false;
    mutable std::once_flag compiled_;
    mutable std::optional<Result<Validator>> validator_;
};

namespace {

json::value to_json(double number) {
    json::value value = number;
    if (auto whole = json::as_integer(value)) value = *whole;
    return value;
}

// The schema that rules on values apply to: "items" of a list, otherwise the schema itself.
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

// The top-level argument of an alias: the alias itself, or the object that contains it.
std::string_view argument_of(std::string_view alias) { return alias.substr(0, alias.find('.')); }

bool uses_other_names(const Fields& fields, const json::value& arguments) {
    if (!fields.have_other_names()) return false;
    auto here = [&](const json::value& element) { return uses_other_names(fields, element); };
    if (const json::array* elements = arguments.if_array()) {
        return std::any_of(elements->begin(), elements->end(), here);
    }
    const json::object* members = arguments.if_object();
    if (!members) return false;
    for (const auto& field : fields.all()) {
        auto given = [&](const std::string& alias) { return members->contains(argument_of(alias)); };
        if (std::ranges::any_of(field->options.aliases, given)) return true;
        if (std::ranges::any_of(field->options.item_aliases, given)) return true;
        const json::value* member = json::find(*members, field->name);
        if (member && field->type.fields && uses_other_names(*field->type.fields(), *member)) return true;
    }
    return false;
}

// Removes and returns the value under an alias; an object is removed with its last member.
std::optional<json::value> take_out(json::object& members, std::string_view alias) {
    auto found = members.find(argument_of(alias));
    if (found == members.end()) return std::nullopt;
    std::size_t dot = alias.find('.');
    std::optional<json::value> taken;
    if (dot == alias.npos) {
        taken = std::move(found->value());
    } else {
        json::object* inner = found->value().if_object();
        taken = inner ? take_out(*inner, alias.substr(dot + 1)) : std::nullopt;
        if (!inner || !inner->empty()) return taken;
    }
    members.erase(found);
    return taken;
}

json::value as_list(json::value item) {
    return item.is_array() ? std::move(item) : json::array{std::move(item)};
}

bool is_member(std::string_view alias) { return alias.contains('.'); }

// Whether the tool has arguments that are members of an object of this name.
bool has_members(const Fields& fields, std::string_view name) {
    auto is_in = [&](const std::string& alias) { return is_member(alias) && argument_of(alias) == name; };
    return std::ranges::any_of(
        fields.all(), [&](const auto& field) { return std::ranges::any_of(field->options.aliases, is_in); });
}

// Renames an alias to the listed name. When an argument is given under both, the listed name wins.
void rename_as(const Field& field, const Fields& fields, json::object& members, bool are_members) {
    for (const std::string& alias : field.options.aliases) {
        if (is_member(alias) != are_members) continue;
        // The members left in an object are not another spelling of the argument moved out of it.
        if (has_members(fields, alias) && members.contains(field.name)) continue;
        if (auto taken = take_out(members, alias)) members.emplace(field.name, std::move(*taken));
    }
    for (const std::string& alias : field.options.item_aliases) {
        if (is_member(alias) != are_members) continue;
        if (auto taken = take_out(members, alias)) members.emplace(field.name, as_list(std::move(*taken)));
    }
}

// Removes objects that are null, because null stands for an argument that was left out.
void drop_nulls(const Fields& fields, json::object& members) {
    std::vector<std::string> nulls;
    for (const auto& [key, member] : members) {
        if (member.is_null() && has_members(fields, key)) nulls.emplace_back(key);
    }
    for (const std::string& key : nulls) members.erase(key);
}

// Renames members of objects first, because the objects may be arguments, too.
void rename(const Fields& fields, json::value& arguments) {
    if (json::array* elements = arguments.if_array()) {
        for (json::value& element : *elements) rename(fields, element);
    }
    json::object* members = arguments.if_object();
    if (!members) return;
    drop_nulls(fields, *members);
    for (bool are_members : {true, false}) {
        for (const auto& field : fields.all()) rename_as(*field, fields, *members, are_members);
    }
    for (const auto& field : fields.all()) {
        json::value* member = members->if_contains(field->name);
        if (member && field->type.fields) rename(*field->type.fields(), *member);
    }
}

std::string without_dashes(std::string_view key) {
    std::string plain;
    for (char c : to_lower(key))
        if (c != '_' && c != '-') plain += c;
    return plain;
}

// A call that names a session or a tab must not act on another page.
bool chooses_a_page(std::string_view key) { return names_session(key) || names_tab(key); }

// All names that the arguments have, those that are listed first.
std::vector<std::string> names_of(const Fields& fields) {
    std::vector<std::string> names, others;
    for (const auto& field : fields.all()) {
        names.push_back(field->name);
        for (const std::string& alias : field->options.aliases) others.emplace_back(argument_of(alias));
        for (const std::string& alias : field->options.item_aliases) others.emplace_back(argument_of(alias));
    }
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

enum class Argument {
    Known,
    Misspelt,  // resembles a known name
    OfAPage,   // unknown, and names a session or a tab
    Foreign    // a client may have added it for its own purposes
};

Argument judge(const Fields& fields, std::string_view key) {
    std::vector<std::string> names = names_of(fields);
    if (std::ranges::find(names, key) != names.end()) return Argument::Known;
    if (chooses_a_page(key)) return Argument::OfAPage;
    return nearest_name(key, names).empty() ? Argument::Foreign : Argument::Misspelt;
}

bool has(Argument kind, const Fields& fields, const json::value& arguments) {
    auto here = [&](const json::value& element) { return has(kind, fields, element); };
    if (const json::array* elements = arguments.if_array()) return std::ranges::any_of(*elements, here);
    const json::object* members = arguments.if_object();
    if (!members) return false;
    auto is_one = [&](const auto& member) { return judge(fields, member.key()) == kind; };
    if (std::ranges::any_of(*members, is_one)) return true;
    return std::ranges::any_of(fields.all(), [&](const auto& field) {
        const json::value* member = json::find(*members, field->name);
        return member && field->type.fields && has(kind, *field->type.fields(), *member);
    });
}

// `take` is called with each argument that is removed.
template <class Take>
void drop(Argument kind, const Fields& fields, json::value& arguments, const Take& take) {
    if (json::array* elements = arguments.if_array()) {
        for (json::value& element : *elements) drop(kind, fields, element, take);
    }
    json::object* members = arguments.if_object();
    if (!members) return;
    std::vector<std::string> dropped;
    for (const auto& member : *members) {
        if (judge(fields, member.key()) == kind) dropped.emplace_back(member.key());
    }
    for (const std::string& key : dropped) {
        take(fields, key);
        members->erase(key);
    }
    for (const auto& field : fields.all()) {
        json::value* member = members->if_contains(field->name);
        if (member && field->type.fields) drop(kind, *field->type.fields(), *member, take);
    }
}

// Returns "width or height" for "viewport".
std::string members_of(const Fields& fields, std::string_view name) {
    std::vector<std::string> members;
    for (const auto& field : fields.all()) {
        for (const std::string& alias : field->options.aliases) {
            if (is_member(alias) && argument_of(alias) == name)
                members.push_back(alias.substr(name.size() + 1));
        }
    }
    return members.empty() ? "" : join_with_or(members);
}

// Returns "Did you mean "target"?" for the first name that is close to a known one.
std::string suggestion(const Fields& fields, const json::value& arguments) {
    std::vector<std::string> names = names_of(fields);
    const json::object* members = arguments.if_object();
    if (!members) return {};
    auto is_listed = [&](std::string_view key) {
        return std::ranges::any_of(fields.all(), [&](const auto& field) { return field->name == key; });
    };
    for (const auto& [key, member] : *members) {
        if (is_listed(key)) continue;
        std::string inside = members_of(fields, key);
        if (!inside.empty()) return "\"" + std::string(key) + "\" is an object that may have " + inside + ".";
        std::string nearest = nearest_name(key, names);
        // "sessionName" is too long a way from "sessionId", and means the same.
        auto meant = std::ranges::find_if(names, names_session);
        if (nearest.empty() && names_session(key) && meant != names.end()) nearest = *meant;
        if (!nearest.empty() && nearest != key) return "Did you mean \"" + nearest + "\"?";
    }
    return {};
}

}  // namespace

bool names_session(std::string_view argument) {
    static const std::vector<std::string> kNames{"session", "sessionname", "sessionid"};
    std::string plain = without_dashes(argument);
    return std::ranges::find(kNames, plain) != kNames.end() || nearest_name(plain, {kNames.back()}) != "";
}

bool names_tab(std::string_view argument) {
    static const std::set<std::string> kNames{"tab", "tabid", "targetid", "tabindex", "pageid"};
    return kNames.contains(without_dashes(argument));
}

Fields::Fields(std::vector<std::shared_ptr<const Field>> fields) : fields_(std::move(fields)) {
    auto has_other_names = [](const std::shared_ptr<const Field>& field) {
        return !field->options.aliases.empty() || !field->options.item_aliases.empty() ||
               (field->type.fields && field->type.fields()->have_other_names());
    };
    have_other_names_ = std::any_of(fields_.begin(), fields_.end(), has_other_names);
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

Result<void> decode(const Fields& fields, const json::value& arguments, void* into,
                    std::vector<std::string>* ignored, std::vector<std::string>* foreign) {
    static const json::value kNoArguments = json::object();
    const json::value* from = arguments.is_null() ? &kNoArguments : &arguments;
    json::value renamed;
    if (uses_other_names(fields, *from)) {
        renamed = *from;
        rename(fields, renamed);
        from = &renamed;
    }
    json::value ours;
    if (has(Argument::Foreign, fields, *from)) {
        ours = *from;
        drop(Argument::Foreign, fields, ours, [&](const Fields&, std::string_view key) {
            if (foreign) foreign->emplace_back(key);
        });
        from = &ours;
    }
    const Result<Validator>& validator = fields.validator();
    if (!validator) return validator.error();
    constexpr CheckOptions kNullsAreLeftOut{.nulls = Nulls::AbsentWhenOptional};
    json::value well_spelt;
    if (ignored && has(Argument::Misspelt, fields, *from)) {
        std::vector<std::string> notes;
        well_spelt = *from;
        drop(Argument::Misspelt, fields, well_spelt, [&](const Fields& of, std::string_view key) {
            notes.push_back(quoted_text(key) + " is no argument of this tool and was ignored. Did you mean " +
                            quoted_text(nearest_name(key, names_of(of))) + "?");
        });
        // A call that is refused anyway, perhaps for the argument that is misspelt, names them all.
        if (validator->check(well_spelt, kNullsAreLeftOut).empty()) {
            *ignored = std::move(notes);
            from = &well_spelt;
        }
    }
    auto violations = validator->check(*from, kNullsAreLeftOut);
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
