#include "schema/form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/json.h"

using testing::HasSubstr;

namespace {

// The problem with a form that has one field; empty when there is none.
std::string problem(std::string_view field) {
    json::object form{{"type", "object"}, {"properties", json::object{{"it", json::parse(field).value()}}}};
    auto checked = schema::check_form(form);
    return checked ? "" : checked.error().message;
}

}  // namespace

TEST(Form, HasPlainFieldsAndChoices) {
    EXPECT_EQ(problem(R"({"type": "string", "format": "email", "maxLength": 100, "title": "Mail"})"), "");
    EXPECT_EQ(problem(R"({"type": "integer", "minimum": 0, "default": 1})"), "");
    EXPECT_EQ(problem(R"({"type": "number"})"), "");
    EXPECT_EQ(problem(R"({"type": "boolean", "default": false})"), "");
    EXPECT_EQ(problem(R"({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]})"), "");
    EXPECT_EQ(problem(R"({"type": "string", "oneOf": [{"const": "a", "title": "A"}]})"), "");
    EXPECT_EQ(problem(R"({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 2})"),
              "");
    EXPECT_EQ(problem(R"({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}})"), "");
}

TEST(Form, HasNothingNested) {
    EXPECT_EQ(problem(R"({"type": "object", "properties": {}})"),
              "The field \"it\" cannot be asked for in a form.");
    EXPECT_NE(problem(R"({"type": "array", "items": {"type": "string"}})"), "");
    EXPECT_NE(problem(R"({"type": "array"})"), "");
    EXPECT_NE(problem(R"({"type": ["string", "null"]})"), "");
    EXPECT_NE(problem(R"({"type": "string", "oneOf": [{"const": "a"}]})"), "");
    EXPECT_NE(problem(R"({"type": "number", "enum": [1, 2]})"), "");
    EXPECT_NE(problem(R"({"$ref": "#/$defs/a"})"), "");
    EXPECT_NE(problem("true"), "");
}

TEST(Form, IsAnObject) {
    EXPECT_FALSE(schema::check_form({{"type", "string"}}).has_value());
    EXPECT_FALSE(schema::check_form({{"type", "object"}}).has_value());
    EXPECT_TRUE(schema::check_form({{"type", "object"}, {"properties", json::object()}}).has_value());
}
