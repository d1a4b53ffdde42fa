// The arguments of a tool, declared once as a literal:
//
//   struct ScrollParams {
//       std::string target;            // a plain type is a required argument
//       std::optional<double> margin;  // an optional type may be left out
//   };
//   ParamList<ScrollParams> params = {
//       {"target", &ScrollParams::target, "Element ref from the last snapshot, like e12."},
//       {"margin", &ScrollParams::margin, "Pixels to keep clear above it.", {.minimum = 0}},
//   };
//
// An argument is a string, bool, int, std::int64_t, double, an enum with `enum_names`, json::value (for
// anything), json::object, json::array, a std::vector or std::map<std::string, …> of these, or a struct
// whose `static ParamList<S> params()` declares its own. Such a struct must not contain itself.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "schema/types.h"
#include "util/json.h"
#include "util/result.h"

namespace schema {

// Further properties of an argument. For a list, the rules on values apply to each of its items.
struct ParamOptions {
    std::optional<double> minimum = {};
    std::optional<double> maximum = {};
    std::optional<int> min_length = {};  // in characters
    std::optional<int> max_length = {};
    std::string pattern = {};  // ECMAScript, unanchored
    std::vector<std::string> choices = {};
    std::optional<int> min_items = {};
    std::optional<int> max_items = {};
    json::value default_value = nullptr;  // of an omitted argument, also a plain one; null: none
    std::string header = {};              // x-mcp-header: the HTTP header that repeats the argument
    // Other names: accepted, not listed. "viewport.width" is the member of an object.
    std::vector<std::string> aliases = {};
    std::vector<std::string> item_aliases = {};  // the same, for one item in the place of a list
    json::object keywords = {};                  // for anything else: {{"format", "uri"}}
};

struct Field;

std::shared_ptr<const Field> make_field(std::string_view name, std::string_view description, const Type& type,
                                        std::size_t offset);
std::shared_ptr<const Field> make_field(std::string_view name, std::string_view description, const Type& type,
                                        std::size_t offset, ParamOptions options);
std::shared_ptr<const Fields> make_fields(std::vector<std::shared_ptr<const Field>> fields);
// Whether the argument is, or is a misspelling of, a session's id: "sessionID", "sesion_id".
bool names_session(std::string_view argument);
// Whether the argument names a tab, in any spelling: "tabId", "target_id", "tab".
bool names_tab(std::string_view argument);

json::object to_schema(const Fields& fields, Purpose purpose);
Result<void> decode(const Fields& fields, const json::value& arguments, void* into,
                    std::vector<std::string>* ignored, std::vector<std::string>* foreign);
void read(const Fields& fields, const json::value& from, void* into);

// One argument: its name, the member of P (or of a base of P) that takes it, and its description.
template <class P>
class Param {
public:
    template <class M, class Owner>
        requires std::is_base_of_v<Owner, P>
    Param(std::string_view name, M Owner::* member, std::string_view description)
        : field_(make_field(name, description, kType<M>, offset_of(member))) {}

    template <class M, class Owner>
        requires std::is_base_of_v<Owner, P>
    Param(std::string_view name, M Owner::* member, std::string_view description, ParamOptions options)
        : field_(make_field(name, description, kType<M>, offset_of(member), std::move(options))) {}

    const std::shared_ptr<const Field>& field() const { return field_; }

private:
    template <class M, class Owner>
    static std::size_t offset_of(M Owner::* member) {
        P params{};
        return static_cast<std::size_t>(reinterpret_cast<const char*>(&(params.*member)) -
                                        reinterpret_cast<const char*>(&params));
    }

    std::shared_ptr<const Field> field_;
};

// The arguments of one tool. Copies share everything; any thread may decode.
template <class P>
class ParamList {
public:
    ParamList() : ParamList(std::initializer_list<Param<P>>{}) {}
    ParamList(std::initializer_list<Param<P>> params) {
        std::vector<std::shared_ptr<const Field>> fields;
        for (const Param<P>& param : params) fields.push_back(param.field());
        fields_ = make_fields(std::move(fields));
    }

    // The JSON Schema shown to agents, an object with the arguments in their order.
    json::object to_schema() const { return schema::to_schema(*fields_, Purpose::Listing); }

    // Checks the arguments of a call and fills P. Null stands for no arguments, and for an optional argument
    // that was left out. The error's message has a line for each problem.
    //
    // An unknown argument is refused when it names a session or a tab: the call is meant for another page.
    // When it resembles a known name, it is refused as well, or ignored with a line in `ignored`, if given.
    // Any other is ignored, because clients add arguments for themselves; `foreign` gets its name.
    Result<P> decode(const json::value& arguments, std::vector<std::string>* ignored = nullptr,
                     std::vector<std::string>* foreign = nullptr) const {
        P params{};
        Result<void> filled = schema::decode(*fields_, arguments, &params, ignored, foreign);
        if (!filled) return std::move(filled).error();
        return params;
    }

    const Fields& fields() const { return *fields_; }

private:
    std::shared_ptr<const Fields> fields_;
};

// For a tool without arguments.
struct NoParams {};

template <class S>
    requires requires { S::params(); }
struct TypeOf<S> {
    static const Fields* fields() {
        static const ParamList<S> list = S::params();
        return &list.fields();
    }
    static json::object schema(Purpose purpose) { return to_schema(*fields(), purpose); }
    static void read(const json::value& from, void* into) { schema::read(*fields(), from, into); }
};

}  // namespace schema
