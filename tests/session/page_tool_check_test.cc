#include "session/page_tool_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using engine::PageTool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

PageTool tool(std::string name, std::string_view schema) {
    return {.frame_label = "http://a/", .name = std::move(name), .input_schema = json::parse(schema).value()};
}

TEST(PageToolCheck, KeepsWhatTheProtocolHasAFormFor) {
    for (std::string_view schema :
         {R"({"type": "object"})", R"({"properties": {"q": {"type": "string"}}, "required": ["q"]})", "null",
          "{}",
          R"({"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}, {"type": "integer"}]}}})"}) {
        auto checked = session::check_page_tools({tool("t", schema)});
        EXPECT_THAT(checked.tools, SizeIs(1)) << schema;
        EXPECT_EQ(json::find_string(session::schema_of(tool("t", schema)), "type"), "object");
    }
}

TEST(PageToolCheck, RefusesWhatWouldBreakAClientsList) {
    for (std::string_view schema : {
             R"({"type": "object", "required": "a"})",
             R"({"type": "object", "required": [1]})",
             R"({"type": "object", "properties": []})",
             R"({"type": "object", "properties": {"a": true}})",
             R"({"type": "object", "properties": {"a": "string"}})",
             R"({"type": "object", "properties": {"a b": {}}})",
             R"({"type": "object", "properties": {"a": {"type": "text"}}})",
             R"({"type": "object", "properties": {"a": {"$ref": "http://evil.test/schema"}}})",
             R"({"type": "object", "$schema": 5})",
             R"({"type": "array"})",
             R"({"type": ["object"]})",
             R"("object")",
             "[]",
         }) {
        auto checked = session::check_page_tools({tool("good", "{}"), tool("bad", schema)});
        EXPECT_THAT(checked.tools, SizeIs(1)) << schema;
        EXPECT_THAT(checked.refused, ElementsAre(HasSubstr("The tool \"bad\" of http://a/ is not offered: ")))
            << schema;
    }
}

TEST(PageToolCheck, RefusesSecretsInNamesAndNumbers) {
    Redactor secrets(std::map<std::string, std::string>{{"PIN", "48151623"}});
    auto checked = session::check_page_tools(
        {tool("good", R"({"type": "object", "description": "48151623"})"), tool("t48151623", "{}"),
         tool("number",
              R"({"type": "object", "properties": {"a": {"type": "number", "maximum": 48151623}}})"),
         tool("key", R"({"type": "object", "properties": {"48151623": {"type": "number"}}})")},
        secrets);
    EXPECT_THAT(checked.tools, ElementsAre(testing::Field(&PageTool::name, "good")));
    EXPECT_THAT(checked.refused, SizeIs(3));
}

TEST(PageToolCheck, RefusesArgumentsThatTheServerTakesAsItsOwn) {
    for (std::string argument : {"sessionId", "session_id", "targetId", "tabId", "_response"}) {
        std::string properties = R"("properties": {")" + argument + R"(": {"type": "number"}})";
        for (std::string schema : {
                 R"({"type": "object", )" + properties + "}",
                 R"({"type": "object", "required": [")" + argument + R"("]})",
                 R"({"type": "object", "allOf": [{)" + properties + "}]}",
                 R"({"type": "object", "if": {}, "then": {"oneOf": [{)" + properties + "}]}}",
                 R"({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {)" + properties + "}}}",
             }) {
            auto checked = session::check_page_tools({tool("good", "{}"), tool("bad", schema)});
            EXPECT_THAT(checked.tools, SizeIs(1)) << schema;
            EXPECT_THAT(checked.refused, ElementsAre(HasSubstr("its argument \"" + argument + "\"")))
                << schema;
        }
    }
    // Members of an argument are the page's own.
    EXPECT_THAT(
        session::check_page_tools(
            {tool("t", R"({"properties": {"a": {"properties": {"sessionId": {"type": "string"}}}}})")})
            .tools,
        SizeIs(1));
}

TEST(PageToolCheck, BoundsNumberAndSize) {
    std::vector<PageTool> many;
    for (int i = 0; i < 500; ++i) many.push_back(tool("t" + std::to_string(i), "{}"));
    many[0].description = std::string(100'000, 'x');
    many[0].title = many[0].description;
    auto checked = session::check_page_tools(many);
    EXPECT_THAT(checked.tools, SizeIs(64));
    EXPECT_LE(checked.tools[0].description.size(), 4'100);
    EXPECT_LE(checked.tools[0].title.size(), 300);
    EXPECT_THAT(checked.refused, SizeIs(6));
    EXPECT_EQ(checked.refused.back(), "So are 431 more.");

    std::string wide = R"({"type": "object", "description": ")" + std::string(20'000, 'x') + "\"}";
    EXPECT_THAT(session::check_page_tools({tool("wide", wide)}).tools, SizeIs(0));
    EXPECT_THAT(session::check_page_tools({tool(std::string(1'000, 'n'), "{}")}).tools, SizeIs(0));
}

}  // namespace
