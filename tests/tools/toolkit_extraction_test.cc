#include "tests/tools/toolkit_support.h"

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ToolkitExtraction : public fakes::ToolkitTest {};

TEST_F(ToolkitExtraction, ReadsWhatAnElementHolds) {
    page().readings["text"] = json::object{{"text", "Hello"}};
    page().readings["attribute"] = json::object{{"value", nullptr}};
    page().readings["table"] = json::object{{"headers", json::array{"A"}}, {"rows", json::array()}};
    page().field_value = "42";

    EXPECT_EQ(data("get_text", R"({"selector": "#it"})"), R"({"text":"Hello"})");
    EXPECT_EQ(data("get_attribute", R"({"selector": "#it", "name": "href"})"), R"({"value":null})");
    EXPECT_EQ(data("extract_table", R"({"selector": "#it"})"), R"({"headers":["A"],"rows":[]})");
    EXPECT_EQ(data("get_value", R"({"selector": "#it"})"), R"({"value":"42"})");
    EXPECT_THAT(done(), ElementsAre("read text #it", R"(read attribute #it {"name":"href"})",
                                    "read table #it", "input_value #it"));
}

TEST_F(ToolkitExtraction, SaysWhenThereIsNoSuchElement) {
    for (const char* tool : {"get_text", "get_value", "extract_table", "find_element", "screenshot_element"})
        EXPECT_EQ(code(tool, R"({"selector": "#none", "timeout": 1})"), "ELEMENT_NOT_FOUND") << tool;
    EXPECT_EQ(code("get_attribute", R"({"selector": "#none", "name": "a", "timeout": 1})"),
              "ELEMENT_NOT_FOUND");
    EXPECT_EQ(code("is_enabled", R"({"selector": "#none"})"), "ELEMENT_NOT_FOUND");
}

TEST_F(ToolkitExtraction, SaysWhenTheSelectorCannotBeRead) {
    for (const char* tool :
         {"get_text", "get_all_text", "extract_table", "extract_links", "find_element", "find_elements",
          "element_exists", "is_visible", "is_enabled", "wait_for_selector"}) {
        page().fail("read", fakes::bad_selector());
        EXPECT_EQ(code(tool, R"({"selector": "["})"), "INVALID_SELECTOR") << tool;
    }
}

TEST_F(ToolkitExtraction, GivesEmptyListsForNoMatch) {
    EXPECT_EQ(data("get_all_text", R"({"selector": "#none"})"), R"({"texts":[]})");
    EXPECT_EQ(data("find_elements", R"({"selector": "#none"})"), R"({"total":0,"elements":[]})");
    EXPECT_EQ(data("extract_links", R"({"selector": "#none"})"), R"({"total":0,"links":[]})");
}

TEST_F(ToolkitExtraction, ReadsThePageAsAWhole) {
    page().readings["links"] =
        json::object{{"total", 1}, {"links", json::array{json::object{{"url", "http://a/"}}}}};
    page().readings["metadata"] = json::object{{"title", "T"}};

    EXPECT_EQ(data("extract_links", R"({"limit": 5})"), R"({"total":1,"links":[{"url":"http://a/"}]})");
    EXPECT_EQ(data("get_page_metadata"), R"({"title":"T"})");
    EXPECT_THAT(done(), ElementsAre(R"(read links  {"scoped":false,"limit":5})", "read metadata "));
}

TEST_F(ToolkitExtraction, EvaluatesExpressionsFunctionsAndBodies) {
    page().evaluated = {.value = json::value(3), .is_function = true};

    EXPECT_EQ(data("evaluate", R"({"script": "(a, b) => a + b", "args": [1, 2]})"), "3");
    EXPECT_EQ(data("evaluate", R"({"script": "return args[0]", "args": [1]})"), "3");
    page().evaluated = {};
    EXPECT_EQ(data("evaluate", R"({"script": "void 0"})"), "null");
    EXPECT_THAT(done(), Contains(HasSubstr("(a, b) => a + b")));
    EXPECT_THAT(done(), Contains(HasSubstr("script(...[1,2])")));
    EXPECT_THAT(done(), Contains(HasSubstr("async args => {return args[0]\n}")));
}

TEST_F(ToolkitExtraction, BlamesTheScriptForWhatItThrows) {
    page().fail("evaluate", {.code = ErrorCode::InternalError, .message = "TypeError: a is null\n    at x"});

    auto failed = error("evaluate", R"({"script": "a.b"})");

    EXPECT_EQ(failed["code"], json::value("INVALID_ARGUMENT"));
    EXPECT_EQ(failed["message"], json::value("TypeError: a is null"));
}

TEST_F(ToolkitExtraction, TakesPictures) {
    json::value arguments = json::parse(R"({"fullPage": true, "type": "jpeg", "quality": 50})").value();
    auto result = fakes::run_task(loop, start_call("screenshot", arguments));

    ASSERT_TRUE(result && result->structured);
    EXPECT_EQ(
        json::serialize(result->structured->at("data")),
        R"({"file":".playwright-mcp/page-2026-03-04T05-06-07-089Z.jpeg","mimeType":"image/jpeg","width":800,"height":600,)"
        R"("fullPage":true,"capturedAt":1772600767089})");
    EXPECT_EQ(std::get<tools::Image>(result->content.at(1)).mime_type, "image/jpeg");
    EXPECT_TRUE(directory.has(".playwright-mcp/page-2026-03-04T05-06-07-089Z.jpeg"));
    EXPECT_THAT(data("screenshot_element", R"({"selector": "#it"})"), HasSubstr("element-2026"));
    EXPECT_THAT(done(), Contains("screenshot png css #it"));
}

class ToolkitElements : public fakes::ToolkitTest {};

TEST_F(ToolkitElements, DescribesElements) {
    page().readings["first"] = json::object{{"tag", "a"}};
    page().readings["elements"] =
        json::object{{"total", 1}, {"elements", json::array{json::object{{"tag", "a"}}}}};

    EXPECT_EQ(data("find_element", R"({"selector": "#it"})"), R"({"tag":"a"})");
    EXPECT_EQ(data("find_elements", R"({"selector": "#it"})"), R"({"total":1,"elements":[{"tag":"a"}]})");
}

TEST_F(ToolkitElements, TellsTheStateOfAnElement) {
    page().readings["state"] = json::object{{"exists", true}, {"visible", false}, {"enabled", true}};

    EXPECT_EQ(data("element_exists", R"({"selector": "#it"})"), R"({"exists":true})");
    EXPECT_EQ(data("is_visible", R"({"selector": "#it"})"), R"({"exists":true,"visible":false})");
    EXPECT_EQ(data("is_enabled", R"({"selector": "#it"})"), R"({"enabled":true})");
    EXPECT_EQ(data("element_exists", R"({"selector": "#none"})"), R"({"exists":false})");
    EXPECT_EQ(data("is_visible", R"({"selector": "#none"})"), R"({"exists":false,"visible":false})");
}

TEST_F(ToolkitElements, WaitsForAStateUntilTheTimeout) {
    page().readings["state"] = json::object{{"exists", true}, {"visible", false}, {"enabled", true}};

    EXPECT_THAT(data("wait_for_selector", R"({"selector": "#it", "state": "attached"})"),
                HasSubstr("attached"));
    EXPECT_THAT(data("wait_for_selector", R"({"selector": "#it", "state": "hidden"})"), HasSubstr("hidden"));
    EXPECT_THAT(data("wait_for_selector", R"({"selector": "#none", "state": "detached"})"),
                HasSubstr("detached"));
    auto late = error("wait_for_selector", R"({"selector": "#it", "timeout": 1})");
    EXPECT_EQ(late["code"], json::value("TIMEOUT"));
    EXPECT_EQ(late["message"], json::value("Waited 1 ms for \"#it\" to be visible; it is hidden."));
}

TEST_F(ToolkitElements, SeesAnElementThatComesLater) {
    page().readings["state"] = json::object{{"exists", true}, {"visible", true}, {"enabled", true}};
    page().during("read", [this] { page().add_element("#late"); });

    EXPECT_THAT(data("wait_for_selector", R"({"selector": "#late"})"), HasSubstr("\"visible\":true"));
}

}  // namespace
