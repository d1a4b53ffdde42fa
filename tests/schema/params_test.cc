#include "schema/params.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using schema::NoParams;
using schema::ParamList;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

namespace {

struct ScrollParams {
    std::string target;
    std::optional<double> margin;
};

ParamList<ScrollParams> scroll_params() {
    return {
        {"target", &ScrollParams::target, "Element ref from the last snapshot, like e12."},
        {"margin", &ScrollParams::margin, "Pixels to keep clear above it. Default 0."},
    };
}

enum class Button { Left, Right, Middle };
constexpr auto enum_names(Button) {
    return std::to_array<schema::EnumName<Button>>(
        {{Button::Left, "left"}, {Button::Right, "right"}, {Button::Middle, "middle"}});
}

struct FormField {
    std::string name;
    std::optional<std::string> value;

    static ParamList<FormField> params() {
        return {
            {"name", &FormField::name, "Human-readable name.", {.min_length = 1, .aliases = {"element"}}},
            {"value", &FormField::value, "What to fill in."},
        };
    }
};

struct Everything {
    std::string text;
    bool yes = false;
    int whole = 0;
    std::int64_t large = 0;
    double fraction = 0;
    Button button = Button::Left;
    std::vector<std::string> words;
    std::vector<Button> buttons;
    std::map<std::string, int> counts;
    FormField field;
    std::vector<FormField> fields;
    json::value anything;
    json::object object;
    json::array array;
};

ParamList<Everything> everything() {
    return {
        {"text", &Everything::text, ""},         {"yes", &Everything::yes, ""},
        {"whole", &Everything::whole, ""},       {"large", &Everything::large, ""},
        {"fraction", &Everything::fraction, ""}, {"button", &Everything::button, ""},
        {"words", &Everything::words, ""},       {"buttons", &Everything::buttons, ""},
        {"counts", &Everything::counts, ""},     {"field", &Everything::field, ""},
        {"fields", &Everything::fields, ""},     {"anything", &Everything::anything, ""},
        {"object", &Everything::object, ""},     {"array", &Everything::array, ""},
    };
}

json::value parse(std::string_view text) { return json::parse(text).value(); }

template <class P>
std::string schema_of(const ParamList<P>& params) {
    return json::serialize(params.to_schema());
}

template <class P>
Result<P> decode(const ParamList<P>& params, std::string_view arguments) {
    return params.decode(parse(arguments));
}

// The value that one optional argument gets, declared with `options`.
template <class T>
struct One {
    std::optional<T> it;
};
template <class T>
Result<One<T>> decode_one(schema::ParamOptions options, std::string_view arguments) {
    return decode(ParamList<One<T>>{{"it", &One<T>::it, "", std::move(options)}}, arguments);
}

}  // namespace

TEST(ParamSchema, ListsPropertiesInTheirOrderAndThePlainOnesAsRequired) {
    EXPECT_EQ(schema_of(scroll_params()),
              R"({"type":"object","properties":{)"
              R"("target":{"type":"string","description":"Element ref from the last snapshot, like e12."},)"
              R"("margin":{"type":"number","description":"Pixels to keep clear above it. Default 0."}},)"
              R"("required":["target"],"additionalProperties":false})");
}

TEST(ParamSchema, OfNoParamsIsAnObjectWithoutProperties) {
    EXPECT_EQ(schema_of(ParamList<NoParams>()),
              R"({"type":"object","properties":{},"additionalProperties":false})");
    EXPECT_EQ(schema_of(ParamList<NoParams>({})),
              R"({"type":"object","properties":{},"additionalProperties":false})");
}

TEST(ParamSchema, LeavesOutAnEmptyRequired) {
    ParamList<One<bool>> params = {{"it", &One<bool>::it, ""}};

    EXPECT_EQ(schema_of(params),
              R"({"type":"object","properties":{"it":{"type":"boolean"}},"additionalProperties":false})");
}

TEST(ParamSchema, KnowsEveryType) {
    std::string field =
        R"({"type":"object","properties":{"name":{"type":"string","minLength":1,"description":"Human-readable name."},)"
        R"("value":{"type":"string","description":"What to fill in."}},"required":["name"],"additionalProperties":false})";

    EXPECT_EQ(json::serialize(*json::find(everything().to_schema(), "properties")),
              R"({"text":{"type":"string"},"yes":{"type":"boolean"},"whole":{"type":"integer"},)"
              R"("large":{"type":"integer"},"fraction":{"type":"number"},)"
              R"("button":{"type":"string","enum":["left","right","middle"]},)"
              R"("words":{"type":"array","items":{"type":"string"}},)"
              R"("buttons":{"type":"array","items":{"type":"string","enum":["left","right","middle"]}},)"
              R"("counts":{"type":"object","additionalProperties":{"type":"integer"}},)"
              R"("field":)" +
                  field + R"(,"fields":{"type":"array","items":)" + field +
                  R"(},)"
                  R"("anything":{},"object":{"type":"object"},"array":{"type":"array","items":{}}})");
}

TEST(ParamSchema, CarriesTheOptions) {
    struct Params {
        double scale = 0;
        std::string kind;
        std::vector<std::string> tags;
        std::string session;
    };
    ParamList<Params> params = {
        {"scale", &Params::scale, "Zoom.", {.minimum = 0.5, .maximum = 10, .default_value = 1}},
        {"kind", &Params::kind, "", {.choices = {"png", "jpeg"}, .default_value = "png"}},
        {"tags", &Params::tags, "", {.pattern = "^[a-z]+$", .min_items = 1, .max_items = 3}},
        {"session",
         &Params::session,
         "",
         {.header = "Session-Id", .aliases = {"id"}, .keywords = {{"format", "uuid"}}}},
    };

    EXPECT_EQ(
        json::serialize(*json::find(params.to_schema(), "properties")),
        R"({"scale":{"type":"number","minimum":0.5,"maximum":10,"default":1,"description":"Zoom."},)"
        R"("kind":{"type":"string","enum":["png","jpeg"],"default":"png"},)"
        R"("tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},"minItems":1,"maxItems":3},)"
        R"("session":{"type":"string","format":"uuid","x-mcp-header":"Session-Id"}})");
    EXPECT_EQ(json::serialize(*json::find(params.to_schema(), "required")), R"(["tags","session"])");
}

TEST(ParamDecoding, FillsTheStruct) {
    auto params = decode(scroll_params(), R"({"margin": 4, "target": "e12"})");

    ASSERT_TRUE(params.has_value());
    EXPECT_EQ(params->target, "e12");
    EXPECT_EQ(params->margin, 4.0);
}

TEST(ParamDecoding, FillsEveryType) {
    auto params = decode(everything(), R"({
        "text": "é", "yes": true, "whole": 3.0, "large": 9007199254740993, "fraction": 2, "button": "middle",
        "words": ["a", "b"], "buttons": ["right"], "counts": {"x": 1, "y": 2}, "field": {"name": "n", "value": "v"},
        "fields": [{"name": "first"}, {"name": "second", "value": ""}],
        "anything": null, "object": {"k": [1]}, "array": [1, "two"]})");

    ASSERT_TRUE(params.has_value()) << params.error().message;
    EXPECT_EQ(params->text, "é");
    EXPECT_TRUE(params->yes);
    EXPECT_EQ(params->whole, 3);
    EXPECT_EQ(params->large, 9007199254740993);
    EXPECT_EQ(params->fraction, 2.0);
    EXPECT_EQ(params->button, Button::Middle);
    EXPECT_THAT(params->words, ElementsAre("a", "b"));
    EXPECT_THAT(params->buttons, ElementsAre(Button::Right));
    EXPECT_THAT(params->counts, ElementsAre(Pair("x", 1), Pair("y", 2)));
    EXPECT_EQ(params->field.value, "v");
    ASSERT_EQ(params->fields.size(), 2u);
    EXPECT_EQ(params->fields[0].value, std::nullopt);
    EXPECT_EQ(params->fields[1].value, "");
    EXPECT_TRUE(params->anything.is_null());
    EXPECT_EQ(json::serialize(params->object), R"({"k":[1]})");
    EXPECT_EQ(json::serialize(params->array), R"([1,"two"])");
}

TEST(ParamDecoding, ReadsNumbersThatWereNotParsedFromText) {
    ParamList<One<int>> params = {{"it", &One<int>::it, ""}};

    EXPECT_EQ(params.decode(json::object{{"it", std::size_t{5}}})->it, 5);
}

TEST(ParamDecoding, FillsMembersOfABase) {
    struct Base {
        std::string target;
    };
    struct Derived : Base {
        int count = 0;
    };
    ParamList<Derived> params = {{"count", &Derived::count, ""}, {"target", &Derived::target, ""}};

    auto decoded = decode(params, R"({"target": "e1", "count": 2})");

    EXPECT_EQ(decoded->target, "e1");
    EXPECT_EQ(decoded->count, 2);
}

TEST(ParamDecoding, TakesNullForNoArgumentsAtAll) {
    EXPECT_TRUE(decode(ParamList<NoParams>(), "null").has_value());
    EXPECT_TRUE(decode(ParamList<NoParams>(), "{}").has_value());
    EXPECT_EQ(decode(scroll_params(), "null").error().code, ErrorCode::MissingParameter);
}

TEST(ParamDecoding, TakesNullForAnOptionalArgumentAsLeftOut) {
    EXPECT_EQ(decode(scroll_params(), R"({"target": "e1", "margin": null})")->margin, std::nullopt);
    EXPECT_EQ(decode_one<int>({.default_value = 7}, R"({"it": null})")->it, 7);
}

TEST(ParamDecoding, TakesNullForAnOptionalMemberOfANestedStruct) {
    auto params = decode_one<FormField>({}, R"({"it": {"name": "n", "value": null}})");

    ASSERT_TRUE(params.has_value());
    EXPECT_EQ(params->it->value, std::nullopt);
}

TEST(ParamDecoding, RefusesNullForARequiredArgument) {
    auto params = decode(scroll_params(), R"({"target": null})");

    EXPECT_EQ(params.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(params.error().message, "✖ Invalid input: expected string, received null\n  → at target");
}

TEST(ParamDecoding, SaysWhatIsMissing) {
    auto params = decode(scroll_params(), "{}");

    EXPECT_EQ(params.error().code, ErrorCode::MissingParameter);
    EXPECT_EQ(params.error().message, "✖ Invalid input: expected string, received undefined\n  → at target");
}

TEST(ParamDecoding, SaysEverythingThatIsWrong) {
    auto params = decode(scroll_params(), R"({"margin": "4"})");

    EXPECT_EQ(params.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(params.error().message,
              "✖ Invalid input: expected string, received undefined\n  → at target\n"
              "✖ Invalid input: expected number, received string\n  → at margin");
}

TEST(ParamDecoding, NamesThePathWithinNestedArguments) {
    struct Params {
        std::vector<FormField> fields;
    };
    ParamList<Params> params = {{"fields", &Params::fields, ""}};

    EXPECT_EQ(decode(params, R"({"fields": [{"name": "a"}, {"name": 1}]})").error().message,
              "✖ Invalid input: expected string, received number\n  → at fields[1].name");
}

TEST(ParamDecoding, SuggestsTheArgumentThatAnUnknownOneIsCloseTo) {
    auto params = decode(scroll_params(), R"({"target": "e1", "margn": 3})");

    EXPECT_EQ(params.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(params.error().message, "✖ Unrecognized key: \"margn\"");
    EXPECT_EQ(params.error().hint, "Did you mean \"margin\"?");
}

TEST(ParamDecoding, IgnoresArgumentsThatClientsAddForThemselves) {
    auto params = decode(scroll_params(), R"({"target": "e1", "reason": "to see it", "_meta2": {"a": 1}})");

    ASSERT_TRUE(params);
    EXPECT_EQ(params->target, "e1");
    EXPECT_TRUE(decode(ParamList<NoParams>(), R"({"reason": "none"})"));
    struct Nested {
        std::vector<FormField> fields;
    };
    ParamList<Nested> nested = {{"fields", &Nested::fields, ""}};
    EXPECT_TRUE(decode(nested, R"({"fields": [{"name": "a", "description": "b"}]})"));
}

TEST(ParamDecoding, IgnoresMisspeltNamesAndSaysSoWhereTheCallerCanBeTold) {
    std::vector<std::string> ignored;
    json::value arguments = json::parse(R"({"target": "e1", "margn": 3, "reason": "x"})").value();

    auto params = scroll_params().decode(arguments, &ignored);

    ASSERT_TRUE(params);
    EXPECT_FALSE(params->margin);
    EXPECT_THAT(ignored, ElementsAre(AllOf(HasSubstr("\"margn\""), HasSubstr("was ignored"),
                                           HasSubstr("Did you mean \"margin\"?"))));
}

TEST(ParamDecoding, NamesAMisspeltArgumentWhenTheCallLacksIt) {
    std::vector<std::string> ignored;

    auto params = scroll_params().decode(json::parse(R"({"targt": "e1"})").value(), &ignored);

    ASSERT_FALSE(params);
    EXPECT_THAT(params.error().message, AllOf(HasSubstr("at target"), HasSubstr("\"targt\"")));
    EXPECT_EQ(params.error().hint, "Did you mean \"target\"?");
    EXPECT_THAT(ignored, testing::IsEmpty());
}

TEST(ParamDecoding, NeverIgnoresTheNameOfASessionOrTab) {
    for (const char* name :
         {"session", "sessionID", "sesionId", "sessionName", "tab_id", "target_id", "tab"}) {
        std::vector<std::string> ignored;
        std::string text = R"({"target": "e1", ")" + std::string(name) + R"(": "x"})";
        EXPECT_FALSE(scroll_params().decode(json::parse(text).value(), &ignored)) << name;
    }
}

TEST(ParamDecoding, ComparesUnknownNamesWithTheUnlistedOnesAsWell) {
    struct Mocked {
        std::optional<int> status;
        std::optional<int> width;
    };
    ParamList<Mocked> params = {{"status", &Mocked::status, "", {.aliases = {"response.status"}}},
                                {"width", &Mocked::width, "", {.aliases = {"viewport.width"}}}};
    for (const char* name : {"reponse", "Response", "respons"}) {
        auto refused = decode(params, R"({")" + std::string(name) + R"(": {"status": 404}})");
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().hint, "Did you mean \"response\"?");
    }
    for (const char* name : {"viewPort", "view_port", "viewportSize"}) {
        auto refused = decode(params, R"({")" + std::string(name) + R"(": {"width": 300}})");
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().hint, "Did you mean \"viewport\"?");
    }
}

TEST(ParamDecoding, RefusesNamesOfSessionsAndTabsThatItDoesNotTake) {
    for (const char* name : {"session_id", "sessionID", "session", "sesionId", "sessoinId", "sessionIds",
                             "tabId", "target-id"}) {
        auto params = decode(scroll_params(), R"({"target": "e1", ")" + std::string(name) + R"(": "x"})");
        ASSERT_FALSE(params) << name;
        EXPECT_THAT(params.error().message, HasSubstr("Unrecognized key"));
    }
}

TEST(ParamDecoding, RefusesArgumentsThatAreNoObject) {
    EXPECT_EQ(decode(scroll_params(), "[]").error().message,
              "✖ Invalid input: expected object, received array");
}

TEST(ParamDecoding, GivesTheDefaultToAnArgumentThatWasLeftOut) {
    struct Params {
        int count = 0;
        Button button = Button::Left;
    };
    ParamList<Params> params = {
        {"count", &Params::count, "", {.default_value = 5}},
        {"button", &Params::button, "", {.default_value = "right"}},
    };

    auto left_out = decode(params, "{}");
    auto given = decode(params, R"({"count": 1, "button": "middle"})");

    EXPECT_EQ(left_out->count, 5);
    EXPECT_EQ(left_out->button, Button::Right);
    EXPECT_EQ(given->count, 1);
    EXPECT_EQ(given->button, Button::Middle);
}

TEST(ParamDecoding, AcceptsFormerNames) {
    ParamList<ScrollParams> params = {
        {"target", &ScrollParams::target, "", {.aliases = {"ref", "element"}}},
        {"margin", &ScrollParams::margin, ""},
    };

    EXPECT_EQ(decode(params, R"({"ref": "e1", "margin": 2})")->target, "e1");
    EXPECT_EQ(decode(params, R"({"element": "e2"})")->target, "e2");
    EXPECT_EQ(decode(params, R"({"ref": "former", "target": "present"})")->target, "present");
    EXPECT_THAT(decode(params, R"({"ref": 1})").error().message, HasSubstr("at target"));
}

TEST(ParamDecoding, AcceptsMembersOfAnObjectAndOneItemForAList) {
    struct Params {
        std::optional<int> width;
        std::optional<int> height;
        std::vector<std::string> values;
    };
    ParamList<Params> params = {
        {"width", &Params::width, "", {.minimum = 1, .aliases = {"viewport.width"}}},
        {"height", &Params::height, "", {.aliases = {"viewport.height"}}},
        {"values", &Params::values, "", {.item_aliases = {"value"}}},
    };

    auto decoded = decode(params, R"({"viewport": {"width": 300, "height": 200}, "value": "a"})");
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->width, 300);
    EXPECT_EQ(decoded->height, 200);
    EXPECT_THAT(decoded->values, ElementsAre("a"));

    EXPECT_EQ(decode(params, R"({"viewport": {"width": 300}, "width": 4, "value": "a"})")->width, 4);
    EXPECT_THAT(decode(params, R"({"value": ["a", "b"]})")->values, ElementsAre("a", "b"));
    EXPECT_THAT(decode(params, R"({"viewport": {"width": 0}, "value": "a"})").error().message,
                HasSubstr("at width"));
    EXPECT_THAT(decode(params, R"({"viewport": {"wide": 5}, "value": "a"})").error().message,
                HasSubstr("viewport"));
    EXPECT_THAT(decode(params, R"({"viewport": 5, "value": "a"})").error().message, HasSubstr("viewport"));
    EXPECT_FALSE(json::find(*json::find_object(params.to_schema(), "properties"), "viewport"));
}

TEST(ParamDecoding, SaysWhatAnObjectOfArgumentsMayHave) {
    struct Params {
        std::optional<int> status;
        std::optional<json::value> body;
    };
    ParamList<Params> params = {
        {"status", &Params::status, "", {.aliases = {"response.status"}}},
        {"body", &Params::body, "", {.aliases = {"response.body", "response"}}},
    };

    EXPECT_FALSE(decode(params, R"({"response": null})")->body);
    // What is no member of the object may itself be the argument.
    EXPECT_EQ(decode(params, R"({"response": "hi"})")->body, json::value("hi"));
    EXPECT_EQ(decode(params, R"({"response": [1]})")->body, json::value(json::array{1}));
    auto rest = decode(params, R"({"response": {"status": 201, "users": [1]}})");
    EXPECT_EQ(rest->status, 201);
    EXPECT_EQ(rest->body, json::parse(R"({"users": [1]})").value());

    auto both = decode(params, R"({"response": {"body": "a", "users": [1]}})").error();
    EXPECT_THAT(both.message, HasSubstr(R"(Unrecognized key: "response")"));
    EXPECT_EQ(both.hint, R"("response" is an object that may have status or body.)");
}

TEST(ParamDecoding, AcceptsFormerNamesWithinNestedStructs) {
    struct Params {
        std::vector<FormField> fields;
    };
    ParamList<Params> params = {{"fields", &Params::fields, ""}};

    auto decoded = decode(params, R"({"fields": [{"name": "a"}, {"element": "b"}]})");

    ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
    EXPECT_EQ(decoded->fields[1].name, "b");
}

TEST(ParamDecoding, ChecksTheOptions) {
    EXPECT_THAT(decode_one<double>({.minimum = 1}, R"({"it": 0.5})").error().message,
                HasSubstr("Too small: expected number to be >=1"));
    EXPECT_THAT(decode_one<int>({.maximum = 10}, R"({"it": 11})").error().message,
                HasSubstr("Too big: expected number to be <=10"));
    EXPECT_THAT(decode_one<std::string>({.choices = {"left", "right"}}, R"({"it": "up"})").error().message,
                HasSubstr(R"(Invalid option: expected one of "left"|"right")"));
    EXPECT_THAT(decode_one<std::string>({.min_length = 1}, R"({"it": ""})").error().message,
                HasSubstr("Too small: expected string to have >=1 characters"));
    EXPECT_THAT(
        decode_one<std::vector<std::string>>({.choices = {"a"}}, R"({"it": ["a", "b"]})").error().message,
        HasSubstr("at it[1]"));
    EXPECT_THAT(decode_one<std::vector<int>>({.max_items = 1}, R"({"it": [1, 2]})").error().message,
                HasSubstr("Too big: expected array to have <=1 items"));
    EXPECT_TRUE(
        decode_one<std::vector<int>>({.minimum = 1, .max_items = 2}, R"({"it": [1, 2]})").has_value());
}

TEST(ParamDecoding, RefusesNumbersThatDoNotFit) {
    EXPECT_THAT(decode_one<int>({}, R"({"it": 2147483648})").error().message, HasSubstr("Too big"));
    EXPECT_THAT(decode_one<int>({.minimum = 0}, R"({"it": 1e300})").error().message, HasSubstr("Too big"));
    EXPECT_THAT(decode_one<std::int64_t>({}, R"({"it": 9223372036854775808})").error().message,
                HasSubstr("Too big"));
    EXPECT_THAT(decode_one<std::int64_t>({}, R"({"it": 9223372036854775808.0})").error().message,
                HasSubstr("Too big"));
    EXPECT_THAT(decode_one<int>({}, R"({"it": 1.5})").error().message,
                HasSubstr("expected integer, received number"));
    EXPECT_EQ(decode_one<int>({}, R"({"it": -2147483648})")->it, -2147483647 - 1);
}

TEST(ParamDecoding, NamesWhatAToolDeclaredWrongly) {
    EXPECT_EQ(decode_one<int>({.default_value = "seven"}, "{}").error().code, ErrorCode::InternalError);
    EXPECT_THAT(decode_one<std::string>({.pattern = "("}, "{}").error().message,
                StartsWith("The tool's own schema is wrong."));
}

TEST(ParamLiteral, FitsIntoTheLiteralOfATool) {
    struct Spec {
        std::string name;
        ParamList<ScrollParams> params;
        std::string title;
    };
    auto tool = [](Spec spec) { return spec; };

    Spec spec = tool({
        .name = "browser_scroll",
        .params = {{"target", &ScrollParams::target, "Element ref from the last snapshot, like e12."}},
        .title = "Scroll",
    });

    EXPECT_EQ(spec.params.decode(parse(R"({"target": "e1"})"))->target, "e1");
    EXPECT_EQ(Spec{.name = "none"}.params.decode(parse(R"({"target": "e1"})"))->target, "");
}

TEST(ParamNames, OfAnEnumGoBothWays) {
    EXPECT_EQ(schema::name_of(Button::Middle), "middle");
    EXPECT_EQ(schema::name_of(static_cast<Button>(9)), "");
}
