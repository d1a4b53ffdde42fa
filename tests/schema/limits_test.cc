// Hostile schemas and instances end in a violation, soon and without a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/support.h"

using schema::problems;
using schema::refusal;
using schema::Validator;
using testing::HasSubstr;

namespace {

std::string repeat(std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

std::vector<schema::Violation> check(std::string_view schema, const json::value& instance) {
    return Validator::create(json::parse(schema).value())->check(instance);
}

}  // namespace

TEST(SchemaLimits, RefuseASchemaThatIsTooDeep) {
    std::string fits = repeat(R"({"not":)", 60) + "{}" + repeat("}", 60);
    std::string deep = repeat(R"({"not":)", 70) + "{}" + repeat("}", 70);

    EXPECT_EQ(refusal(fits), "");
    EXPECT_THAT(refusal(deep), HasSubstr("nested more than 64 levels deep"));
}

TEST(SchemaLimits, RefuseASchemaWithTooManyParts) {
    EXPECT_EQ(refusal(R"({"allOf": [)" + repeat("{},", 9'000) + "{}]}"), "");
    EXPECT_THAT(refusal(R"({"allOf": [)" + repeat("{},", 10'000) + "{}]}"),
                HasSubstr("more than 10,000 subschemas"));
}

TEST(SchemaLimits, EndAReferenceThatLeadsToItself) {
    EXPECT_EQ(problems(R"({"$ref": "#"})", "1"), "✖ Invalid input: nested too deep to check");
    EXPECT_EQ(
        problems(
            R"({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}})",
            "1"),
        "✖ Invalid input: nested too deep to check");
}

TEST(SchemaLimits, EndWorkThatDoublesAtEveryLevel) {
    std::string schema =
        R"({"type": "array", "anyOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]})";

    EXPECT_EQ(problems(schema, repeat("[", 100) + repeat("]", 100)), "");
    EXPECT_EQ(problems(schema, repeat("[", 100) + "1" + repeat("]", 100)),
              "✖ Invalid input: too large to check");
    EXPECT_EQ(problems(R"({"not": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}})", "1"),
              "✖ Invalid input: nested too deep to check");
}

TEST(SchemaLimits, EndManySmallChecks) {
    json::array many(300'000, json::object());
    std::string properties;
    for (int i = 0; i < 1000; ++i) properties += "\"p" + std::to_string(i) + "\":true,";
    std::string schema = R"({"items": {"properties": {)" + properties + R"("last": true}}})";

    auto violations = check(schema, many);

    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].message, "Invalid input: too large to check");
}

TEST(SchemaLimits, LeaveAStringThatIsTooLongForItsPattern) {
    EXPECT_EQ(problems(R"({"pattern": "^a"})", '"' + std::string(100'000, 'a') + '"'),
              "✖ Invalid string: too long to match pattern /^a/");
}

TEST(SchemaLimits, LetManyDifferentItemsBeUnique) {
    json::array many;
    for (int i = 0; i < 100'000; ++i) many.emplace_back(json::object{{"id", i}});

    EXPECT_TRUE(check(R"({"uniqueItems": true})", many).empty());
}

TEST(SchemaLimits, StopLookingAfterAHundredViolations) {
    json::array many(5000, "text");

    auto violations = check(R"({"items": {"type": "number"}})", many);

    EXPECT_EQ(violations.size(), 100u);
    EXPECT_THAT(describe(violations), testing::EndsWith("… and 90 more"));
}

TEST(SchemaLimits, KeepMessagesShort) {
    std::string key(10'000, 'k');
    json::value instance = json::object{{key, 1}};

    EXPECT_LT(describe(check(R"({"additionalProperties": false})", instance)).size(), 300u);
    EXPECT_LT(describe(check(R"({"additionalProperties": {"type": "string"}})", instance)).size(), 400u);
    EXPECT_LT(describe(check(R"({"pattern": ")" + key.substr(0, 4000) + R"("})", json::value("k"))).size(),
              300u);
    EXPECT_LT(describe(check(R"({"enum": [")" + key + R"("]})", instance)).size(), 300u);
}

TEST(SchemaLimits, AcceptALargeHonestInstance) {
    json::array many;
    for (int i = 0; i < 50'000; ++i)
        many.emplace_back(json::object{{"name", "n"}, {"value", std::string(1000, 'v')}});

    EXPECT_TRUE(check(R"({"items": {"properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                          "required": ["name"], "additionalProperties": false}})",
                      many)
                    .empty());
}
