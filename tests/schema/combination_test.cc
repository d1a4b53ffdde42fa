// Schemas made of schemas: composition, conditions and references.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/support.h"

using schema::problems;
using schema::refusal;
using testing::HasSubstr;

TEST(SchemaBooleans, AcceptAllOrNothing) {
    EXPECT_EQ(problems("true", "1"), "");
    EXPECT_EQ(problems("{}", "1"), "");
    EXPECT_EQ(problems("false", "1"), "✖ Invalid input: expected never, received number");
}

TEST(SchemaAllOf, ReportsEveryPart) {
    std::string schema = R"({"allOf": [{"minLength": 2}, {"pattern": "^a"}]})";

    EXPECT_EQ(problems(schema, R"("ab")"), "");
    EXPECT_EQ(
        problems(schema, R"("b")"),
        "✖ Too small: expected string to have >=2 characters\n✖ Invalid string: must match pattern /^a/");
}

TEST(SchemaAnyOf, SaysWhichTypesWouldDo) {
    std::string schema = R"({"anyOf": [{"type": "string"}, {"type": "array"}, {"const": "auto"}]})";

    EXPECT_EQ(problems(schema, "[]"), "");
    EXPECT_EQ(problems(schema, "5"), "✖ Invalid input: expected string, array or \"auto\", received number");
}

TEST(SchemaAnyOf, ReportsTheOnlyBranchThatTheValueCouldMean) {
    std::string schema =
        R"({"anyOf": [{"type": "string"}, {"properties": {"x": {"type": "number"}}, "type": "object"}]})";

    EXPECT_EQ(problems(schema, R"({"x": "1"})"),
              "✖ Invalid input: expected number, received string\n  → at x");
}

TEST(SchemaAnyOf, SaysThatNoneOfSeveralMatched) {
    EXPECT_EQ(problems(R"({"anyOf": [{"minimum": 5}, {"maximum": 1}]})", "3"),
              "✖ Invalid input: matches none of the alternatives");
}

TEST(SchemaOneOf, NeedsExactlyOne) {
    std::string schema = R"({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]})";

    EXPECT_EQ(problems(schema, "4"), "");
    EXPECT_EQ(problems(schema, "6"), "✖ Invalid input: more than one option matched");
    EXPECT_EQ(problems(schema, "5"), "✖ Invalid input: matches none of the alternatives");
}

TEST(SchemaOneOf, ReadsTitledConstantsAsAnEnum) {
    std::string schema = R"({"oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]})";

    EXPECT_EQ(problems(schema, R"("g")"), "");
    EXPECT_EQ(problems(schema, R"("b")"), R"(✖ Invalid option: expected one of "r"|"g")");
}

TEST(SchemaNot, RefusesWhatMatches) {
    EXPECT_EQ(problems(R"({"not": {"type": "string"}})", "1"), "");
    EXPECT_EQ(problems(R"({"not": {"type": "string"}})", R"("a")"),
              "✖ Invalid input: matches what is not allowed");
}

TEST(SchemaIf, ChoosesThenOrElse) {
    std::string schema =
        R"({"if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["x"]}, "else": {"required": ["y"]}})";

    EXPECT_EQ(problems(schema, R"({"kind": "a", "x": 1})"), "");
    EXPECT_EQ(problems(schema, R"({"kind": "b", "y": 1})"), "");
    EXPECT_THAT(problems(schema, R"({"kind": "a", "y": 1})"), HasSubstr("at x"));
    EXPECT_THAT(problems(schema, R"({"kind": "b", "x": 1})"), HasSubstr("at y"));
    EXPECT_EQ(problems(R"({"then": false, "else": false})", "1"), "") << "they mean nothing without if";
}

TEST(SchemaReference, LeadsToDefinitions) {
    EXPECT_EQ(problems(R"({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"type": "string"}}})", R"("x")"),
              "");
    EXPECT_EQ(problems(R"({"$ref": "#/definitions/a", "definitions": {"a": {"type": "string"}}})", "1"),
              "✖ Invalid input: expected string, received number");
    EXPECT_NE(problems(R"({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}})",
                       R"({"b": 1})"),
              "");
    EXPECT_NE(problems(R"({"$ref": "#/allOf/0", "allOf": [{"type": "string"}]})", "1"), "");
}

TEST(SchemaReference, LeadsToAnchorsAndEmbeddedResources) {
    EXPECT_NE(problems(R"({"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "string"}}})", "1"),
              "");
    std::string bundle = R"({
        "$id": "https://example.com/root", "$ref": "inner",
        "$defs": {"inner": {"$id": "inner", "$ref": "#/$defs/text", "$defs": {"text": {"type": "string"}}}}})";
    EXPECT_EQ(problems(bundle, R"("x")"), "");
    EXPECT_NE(problems(bundle, "1"), "");
}

TEST(SchemaReference, LeavesItsNeighboursInForce) {
    std::string schema = R"({"$ref": "#/$defs/a", "maxLength": 1, "$defs": {"a": {"type": "string"}}})";

    EXPECT_EQ(problems(schema, R"("x")"), "");
    EXPECT_NE(problems(schema, R"("xx")"), "");
}

TEST(SchemaReference, MayBeRecursive) {
    std::string tree =
        R"({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}, "additionalProperties": false})";

    EXPECT_EQ(problems(tree, R"({"children": [{"children": []}, {}]})"), "");
    EXPECT_EQ(problems(tree, R"({"children": [{}, {"children": [{"childs": 1}]}]})"),
              "✖ Unrecognized key: \"childs\"\n  → at children[1].children[0]");
}

TEST(SchemaReference, IsNeverFetched) {
    EXPECT_THAT(refusal(R"({"properties": {"a": {"$ref": "https://example.com/schema.json"}}})"),
                "Invalid schema at #/properties/a: the reference \"https://example.com/schema.json\" leads "
                "outside of the "
                "schema, and nothing is fetched.");
    EXPECT_THAT(refusal(R"({"$ref": "#/$defs/missing"})"), HasSubstr("leads nowhere"));
    EXPECT_THAT(refusal(R"({"$ref": "#missing"})"), HasSubstr("leads nowhere"));
    EXPECT_THAT(refusal(R"({"$ref": 5})"), HasSubstr("\"$ref\" must be a string"));
}

TEST(SchemaDialect, IsTheOneOf2020) {
    EXPECT_EQ(refusal(R"({"$schema": "https://json-schema.org/draft/2020-12/schema"})"), "");
    EXPECT_EQ(refusal(R"({"$schema": "https://json-schema.org/draft/2020-12/schema#"})"), "");
    EXPECT_THAT(refusal(R"({"$schema": "http://json-schema.org/draft-07/schema#"})"),
                HasSubstr("the dialect \"http://json-schema.org/draft-07/schema#\" is not supported"));
}

TEST(SchemaKeywords, ThatAreUnknownOrOnlyDescribeAreIgnored) {
    EXPECT_EQ(
        problems(
            R"({"title": "t", "description": "d", "default": 1, "format": "email", "x-mcp-header": "A", "foo": 5})",
            R"("x")"),
        "");
}

TEST(SchemaKeywords, ThatAreMalformedAreRefused) {
    EXPECT_EQ(refusal(R"({"properties": {"a": {"type": "text"}}})"),
              "Invalid schema at #/properties/a: unknown type \"text\".");
    EXPECT_THAT(refusal(R"({"required": "a"})"), HasSubstr("\"required\" must be a list of names"));
    EXPECT_THAT(refusal(R"({"required": [1]})"), HasSubstr("\"required\" must be a list of names"));
    EXPECT_THAT(refusal(R"({"properties": []})"), HasSubstr("\"properties\" must be an object of schemas"));
    EXPECT_THAT(refusal(R"({"anyOf": {}})"), HasSubstr("\"anyOf\" must be a list of schemas"));
    EXPECT_THAT(refusal(R"({"items": [{}]})"), HasSubstr("#/items: a schema is an object, true or false"));
    EXPECT_THAT(refusal(R"({"minLength": -1})"), HasSubstr("\"minLength\" must be a whole number"));
    EXPECT_THAT(refusal(R"({"minimum": "1"})"), HasSubstr("\"minimum\" must be a number"));
    EXPECT_THAT(refusal(R"({"multipleOf": 0})"), HasSubstr("\"multipleOf\" must be above 0"));
    EXPECT_THAT(refusal(R"({"enum": "a"})"), HasSubstr("\"enum\" must be a list"));
    EXPECT_THAT(refusal(R"({"pattern": "("})"), HasSubstr("The pattern /(/ cannot be used: unmatched (."));
    EXPECT_THAT(refusal(R"({"patternProperties": {"[": {}}})"), HasSubstr("unmatched ["));
    EXPECT_THAT(refusal(R"({"dependentRequired": {"a": "b"}})"), HasSubstr("\"dependentRequired\" must be"));
    EXPECT_THAT(refusal("5"), HasSubstr("a schema is an object, true or false"));
}
