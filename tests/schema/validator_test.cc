#include "schema/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/support.h"

using schema::problems;
using testing::HasSubstr;

TEST(SchemaType, AcceptsOnlyThatType) {
    EXPECT_EQ(problems(R"({"type": "string"})", R"("a")"), "");
    EXPECT_EQ(problems(R"({"type": "string"})", "5"), "✖ Invalid input: expected string, received number");
    EXPECT_EQ(problems(R"({"type": "number"})", R"("5")"),
              "✖ Invalid input: expected number, received string");
    EXPECT_EQ(problems(R"({"type": "boolean"})", "0"), "✖ Invalid input: expected boolean, received number");
    EXPECT_EQ(problems(R"({"type": "null"})", "false"), "✖ Invalid input: expected null, received boolean");
    EXPECT_EQ(problems(R"({"type": "array"})", "{}"), "✖ Invalid input: expected array, received object");
    EXPECT_EQ(problems(R"({"type": "object"})", "[]"), "✖ Invalid input: expected object, received array");
    EXPECT_EQ(problems(R"({"type": "object"})", "null"), "✖ Invalid input: expected object, received null");
}

TEST(SchemaType, TakesAWholeDoubleAsAnInteger) {
    EXPECT_EQ(problems(R"({"type": "integer"})", "1.0"), "");
    EXPECT_EQ(problems(R"({"type": "integer"})", "1e3"), "");
    EXPECT_EQ(problems(R"({"type": "number"})", "1"), "");
    EXPECT_EQ(problems(R"({"type": "integer"})", "1.5"),
              "✖ Invalid input: expected integer, received number");
}

TEST(SchemaType, MayBeOneOfSeveral) {
    EXPECT_EQ(problems(R"({"type": ["string", "null"]})", "null"), "");
    EXPECT_EQ(problems(R"({"type": ["string", "null"]})", "5"),
              "✖ Invalid input: expected string or null, received number");
    EXPECT_EQ(problems(R"({"type": ["string", "number", "array"]})", "{}"),
              "✖ Invalid input: expected string, number or array, received object");
}

TEST(SchemaEnum, ListsTheOptions) {
    EXPECT_EQ(problems(R"({"enum": ["a", "b", 3, null]})", "3.0"), "");
    EXPECT_EQ(problems(R"({"enum": ["a", "b", 3, null]})", R"("c")"),
              R"(✖ Invalid option: expected one of "a"|"b"|3|null)");
    EXPECT_EQ(problems(R"({"type": "string", "enum": ["a", "b"]})", "1"),
              R"(✖ Invalid option: expected one of "a"|"b")");
    EXPECT_EQ(problems(R"({"enum": ["a"]})", "1"), R"(✖ Invalid input: expected "a")");
}

TEST(SchemaConst, ComparesByValue) {
    EXPECT_EQ(problems(R"({"const": {"a": [1, false], "b": "x"}})", R"({"b": "x", "a": [1.0, false]})"), "");
    EXPECT_EQ(problems(R"({"const": {"a": 1}})", R"({"a": true})"), R"(✖ Invalid input: expected {"a":1})");
    EXPECT_NE(problems(R"({"const": [1, 2]})", "[2, 1]"), "");
    EXPECT_NE(problems(R"({"const": 0})", "false"), "");
    EXPECT_NE(problems(R"({"const": 9007199254740992})", "9007199254740993"), "");
}

TEST(SchemaNumbers, HaveLimits) {
    EXPECT_EQ(problems(R"({"minimum": 1, "maximum": 10})", "1"), "");
    EXPECT_EQ(problems(R"({"minimum": 1, "maximum": 10})", "10"), "");
    EXPECT_EQ(problems(R"({"minimum": 1})", "0"), "✖ Too small: expected number to be >=1");
    EXPECT_EQ(problems(R"({"maximum": 10})", "10.5"), "✖ Too big: expected number to be <=10");
    EXPECT_EQ(problems(R"({"exclusiveMinimum": 1})", "1"), "✖ Too small: expected number to be >1");
    EXPECT_EQ(problems(R"({"exclusiveMinimum": 1})", "1.1"), "");
    EXPECT_EQ(problems(R"({"exclusiveMaximum": 10})", "10"), "✖ Too big: expected number to be <10");
    EXPECT_EQ(problems(R"({"exclusiveMaximum": 10})", "9"), "");
    EXPECT_EQ(problems(R"({"minimum": 1})", R"("0")"), "") << "only numbers are compared";
    EXPECT_NE(problems(R"({"maximum": 18446744073709551614})", "18446744073709551615"), "");
}

TEST(SchemaNumbers, CanBeMultiples) {
    EXPECT_EQ(problems(R"({"multipleOf": 3})", "9"), "");
    EXPECT_EQ(problems(R"({"multipleOf": 3})", "10"), "✖ Invalid number: must be a multiple of 3");
    EXPECT_EQ(problems(R"({"multipleOf": 0.0001})", "0.0075"), "");
    EXPECT_EQ(problems(R"({"multipleOf": 0.01})", "0.751"), "✖ Invalid number: must be a multiple of 0.01");
    EXPECT_NE(problems(R"({"multipleOf": 0.123456789})", "1e308"), "");
}

TEST(SchemaStrings, CountCharactersNotBytes) {
    EXPECT_EQ(problems(R"({"minLength": 1, "maxLength": 2})", R"("é😀")"), "");
    EXPECT_EQ(problems(R"({"minLength": 1})", R"("")"),
              "✖ Too small: expected string to have >=1 characters");
    EXPECT_EQ(problems(R"({"maxLength": 2})", R"("abc")"),
              "✖ Too big: expected string to have <=2 characters");
    EXPECT_EQ(problems(R"({"minLength": 2.0})", R"("a")"),
              "✖ Too small: expected string to have >=2 characters");
    EXPECT_EQ(problems(R"({"maxLength": 2})", "12345"), "");
}

TEST(SchemaStrings, MatchPatternsAnywhere) {
    EXPECT_EQ(problems(R"({"pattern": "b+"})", R"("abba")"), "");
    EXPECT_EQ(problems(R"({"pattern": "^e\\d+$"})", R"("f12")"),
              R"(✖ Invalid string: must match pattern /^e\d+$/)");
    EXPECT_EQ(problems(R"({"pattern": "^a"})", "5"), "");
}

TEST(SchemaArrays, HaveItems) {
    std::string schema = R"({"items": {"type": "number"}})";

    EXPECT_EQ(problems(schema, "[1, 2]"), "");
    EXPECT_EQ(problems(schema, R"([1, "2", 3, "4"])"),
              "✖ Invalid input: expected number, received string\n  → at [1]\n"
              "✖ Invalid input: expected number, received string\n  → at [3]");
    EXPECT_EQ(problems(R"({"items": false})", "[]"), "");
    EXPECT_EQ(problems(R"({"items": false})", "[1]"),
              "✖ Invalid input: expected never, received number\n  → at [0]");
}

TEST(SchemaArrays, BeginWithPrefixItems) {
    std::string schema = R"({"prefixItems": [{"type": "string"}, true], "items": {"type": "number"}})";

    EXPECT_EQ(problems(schema, R"(["a"])"), "");
    EXPECT_EQ(problems(schema, R"(["a", "b", 1])"), "");
    EXPECT_EQ(problems(schema, R"([1, "b", 1])"),
              "✖ Invalid input: expected string, received number\n  → at [0]");
    EXPECT_EQ(problems(schema, R"(["a", "b", "c"])"),
              "✖ Invalid input: expected number, received string\n  → at [2]");
}

TEST(SchemaArrays, ContainWhatTheyMust) {
    EXPECT_EQ(problems(R"({"contains": {"const": 1}})", "[0, 1]"), "");
    EXPECT_EQ(problems(R"({"contains": {"const": 1}})", "[0]"),
              "✖ Too small: expected array to have >=1 matching items");
    EXPECT_EQ(problems(R"({"contains": {"const": 1}, "minContains": 2})", "[1, 1]"), "");
    EXPECT_NE(problems(R"({"contains": {"const": 1}, "minContains": 2})", "[1, 2]"), "");
    EXPECT_EQ(problems(R"({"contains": {"const": 1}, "maxContains": 1})", "[1, 1]"),
              "✖ Too big: expected array to have <=1 matching items");
    EXPECT_EQ(problems(R"({"contains": {"const": 1}, "minContains": 0})", "[]"), "");
}

TEST(SchemaArrays, HaveASize) {
    EXPECT_EQ(problems(R"({"minItems": 1, "maxItems": 2})", "[1, 2]"), "");
    EXPECT_EQ(problems(R"({"minItems": 1})", "[]"), "✖ Too small: expected array to have >=1 items");
    EXPECT_EQ(problems(R"({"maxItems": 1})", "[1, 2]"), "✖ Too big: expected array to have <=1 items");
}

TEST(SchemaArrays, CanBeSets) {
    std::string schema = R"({"uniqueItems": true})";

    EXPECT_EQ(problems(schema, R"([1, true, "1", null, [1], {"a": 1}, {"a": 2}, 0, false])"), "");
    EXPECT_EQ(problems(schema, "[1, 2, 1.0]"), "✖ Invalid array: items [0] and [2] are equal");
    EXPECT_EQ(problems(schema, R"([{"a": 1, "b": 2}, {"b": 2, "a": 1}])"),
              "✖ Invalid array: items [0] and [1] are equal");
    EXPECT_EQ(problems(R"({"uniqueItems": false})", "[1, 1]"), "");
}

TEST(SchemaObjects, CheckTheirProperties) {
    std::string schema =
        R"({"properties": {"url": {"type": "string"}, "deep": {"properties": {"first-name": {"type": "string"}}}}})";

    EXPECT_EQ(problems(schema, R"({"url": "x", "other": 1})"), "");
    EXPECT_EQ(problems(schema, R"({"url": 1})"),
              "✖ Invalid input: expected string, received number\n  → at url");
    EXPECT_EQ(problems(schema, R"({"deep": {"first-name": 1}})"),
              "✖ Invalid input: expected string, received number\n  → at deep[\"first-name\"]");
    EXPECT_EQ(problems(R"({"properties": {"a": false}})", R"({"a": 1})"),
              "✖ Invalid input: expected never, received number\n  → at a");
}

TEST(SchemaObjects, NameTheExpectedTypeOfWhatIsMissing) {
    std::string schema = R"({
        "properties": {"url": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "ref": {"$ref": "#/$defs/count"}},
        "required": ["url", "kind", "ref", "more"], "$defs": {"count": {"type": "integer"}}})";

    EXPECT_EQ(problems(schema, R"({"url": "", "kind": "a", "ref": 1, "more": null})"), "");
    EXPECT_EQ(problems(schema, "{}"),
              "✖ Invalid input: expected string, received undefined\n  → at url\n"
              "✖ Invalid option: expected one of \"a\"|\"b\"\n  → at kind\n"
              "✖ Invalid input: expected integer, received undefined\n  → at ref\n"
              "✖ Invalid input: expected a value, received undefined\n  → at more");
}

TEST(SchemaObjects, MarkWhatIsMissing) {
    auto validator = schema::Validator::create(json::parse(R"({"required": ["a"]})").value());

    auto violations = validator->check(json::object());

    ASSERT_EQ(violations.size(), 1u);
    EXPECT_TRUE(violations[0].missing);
    EXPECT_EQ(violations[0].path, "a");
}

TEST(SchemaObjects, NameTheKeysThatAreNotKnown) {
    std::string schema =
        R"({"properties": {"a": true, "in": {"additionalProperties": false}}, "additionalProperties": false})";

    EXPECT_EQ(problems(schema, R"({"a": 1})"), "");
    EXPECT_EQ(problems(schema, R"({"a": 1, "foo": 2})"), "✖ Unrecognized key: \"foo\"");
    EXPECT_EQ(problems(schema, R"({"foo": 2, "ba\"r": 2})"), R"(✖ Unrecognized keys: "foo", "ba\"r")");
    EXPECT_EQ(problems(schema, R"({"in": {"b": 1}})"), "✖ Unrecognized key: \"b\"\n  → at in");
}

TEST(SchemaObjects, CheckAdditionalPropertiesBySchema) {
    std::string schema =
        R"({"properties": {"a": {}}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": {"type": "number"}})";

    EXPECT_EQ(problems(schema, R"({"a": "any", "b": 1, "x-c": "text"})"), "");
    EXPECT_EQ(problems(schema, R"({"b": "1"})"),
              "✖ Invalid input: expected number, received string\n  → at b");
    EXPECT_EQ(problems(schema, R"({"x-c": 1})"),
              "✖ Invalid input: expected string, received number\n  → at [\"x-c\"]");
}

TEST(SchemaObjects, CheckTheirNames) {
    std::string schema = R"({"propertyNames": {"maxLength": 3}})";

    EXPECT_EQ(problems(schema, R"({"abc": 1})"), "");
    EXPECT_EQ(problems(schema, R"({"abcd": 1})"),
              "✖ Invalid key: Too big: expected string to have <=3 characters\n  → at abcd");
}

TEST(SchemaObjects, HaveASize) {
    EXPECT_EQ(problems(R"({"minProperties": 1, "maxProperties": 1})", R"({"a": 1})"), "");
    EXPECT_EQ(problems(R"({"minProperties": 1})", "{}"),
              "✖ Too small: expected object to have >=1 properties");
    EXPECT_EQ(problems(R"({"maxProperties": 1})", R"({"a": 1, "b": 2})"),
              "✖ Too big: expected object to have <=1 properties");
}

TEST(SchemaObjects, MayNeedSomethingWhenSomethingElseIsGiven) {
    std::string schema =
        R"({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}})";

    EXPECT_EQ(problems(schema, R"({"a": 1, "b": 1})"), "");
    EXPECT_EQ(problems(schema, R"({"b": 1})"), "");
    EXPECT_EQ(problems(schema, R"({"a": 1})"), R"(✖ Invalid input: "b" is required when "a" is given)");
    EXPECT_EQ(problems(schema, R"({"c": 1})"),
              "✖ Invalid input: expected a value, received undefined\n  → at d");
}

TEST(SchemaDescription, LeavesOutThePathOfTheRootAndEndsAfterTen) {
    std::vector<schema::Violation> violations(12, {.path = "a", .message = "No"});
    violations[0].path = "";

    std::string text = describe(violations);

    EXPECT_THAT(text, testing::StartsWith("✖ No\n✖ No\n  → at a\n"));
    EXPECT_THAT(text, testing::EndsWith("  → at a\n… and 2 more"));
    EXPECT_EQ(schema::describe({}), "");
}

TEST(SchemaNulls, CountAsLeftOutWhereAsked) {
    auto validator = schema::Validator::create(
        json::parse(
            R"({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]})")
            .value());
    schema::CheckOptions lenient{.nulls = schema::Nulls::AbsentWhenOptional};

    EXPECT_TRUE(validator->check(json::parse(R"({"a": null, "b": ""})").value(), lenient).empty());
    EXPECT_FALSE(validator->check(json::parse(R"({"a": null, "b": ""})").value()).empty());
    EXPECT_FALSE(validator->check(json::parse(R"({"b": null})").value(), lenient).empty());
}
