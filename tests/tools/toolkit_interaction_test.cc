#include "tests/tools/toolkit_support.h"

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

struct Sample {
    std::string tool;
    std::string arguments;  // with the selector left open
    std::string done;
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.tool; }

std::string filled(std::string text, const std::string& selector) {
    for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$'))
        text.replace(at, 1, selector);
    return text;
}

class ToolkitAction : public fakes::ToolkitTest, public testing::WithParamInterface<Sample> {};

INSTANTIATE_TEST_SUITE_P(
    Each, ToolkitAction,
    testing::Values(Sample{"click", R"("selector": "$", "button": "right", "clickCount": 2)",
                           "click #it button=1 count=2 modifiers=0"},
                    Sample{"type", R"("selector": "$", "text": "hi")", "type #it hi"},
                    Sample{"fill", R"("selector": "$", "value": "hi")", "fill #it hi"},
                    Sample{"select", R"("selector": "$", "values": ["a", "b"])", "select_options #it a,b"},
                    Sample{"check", R"("selector": "$")", "set_checked #it yes"},
                    Sample{"uncheck", R"("selector": "$")", "set_checked #it no"},
                    Sample{"hover", R"("selector": "$")", "hover #it"},
                    Sample{"drag_and_drop", R"("source": "$", "target": "$")", "drag #it to #it"},
                    Sample{"upload_file", R"("selector": "$", "files": [])", "set_files #it"},
                    Sample{"press", R"("selector": "$", "key": "a", "modifiers": ["Control", "Shift"])",
                           "press #it Control+Shift+a"}),
    [](const auto& info) { return info.param.tool; });

TEST_P(ToolkitAction, IsDoneToTheElement) {
    auto answer = ask(GetParam().tool, "{" + filled(GetParam().arguments, "#it") + "}");

    EXPECT_EQ(answer["success"], json::value(true)) << json::serialize(answer);
    EXPECT_THAT(done(), ElementsAre(GetParam().done));
}

TEST_P(ToolkitAction, SaysWhenThereIsNoSuchElement) {
    auto failed = error(GetParam().tool, "{" + filled(GetParam().arguments, "#none") + R"(, "timeout": 1})");

    EXPECT_EQ(failed["code"], json::value("ELEMENT_NOT_FOUND"));
    EXPECT_EQ(failed["message"], json::value("\"#none\" does not match any elements."));
    EXPECT_EQ(failed["retryable"], json::value(false));
    EXPECT_THAT(std::string(failed["suggestion"].as_string()), HasSubstr("wait_for_selector"));
    EXPECT_TRUE(done().empty());
}

TEST_P(ToolkitAction, SaysWhenTheSelectorCannotBeRead) {
    page().fail("find", fakes::bad_selector());

    EXPECT_EQ(code(GetParam().tool, "{" + filled(GetParam().arguments, "[") + "}"), "INVALID_SELECTOR");
}

class ToolkitInteraction : public fakes::ToolkitTest {};

TEST_F(ToolkitInteraction, AnswersBrowserCrashedWhenTheTabCrashes) {
    page().during("click", [this] { page().crash(); });
    EXPECT_EQ(code("click", R"({"selector": "#it"})"), "BROWSER_CRASHED");

    json::object next = ask("get_request_log");
    EXPECT_TRUE(next.contains("success"));
    EXPECT_THAT(json::serialize(next["session"]), testing::HasSubstr("The page crashed."));
}

TEST_F(ToolkitInteraction, AnswersBrowserCrashedWhenTheBrowserIsLost) {
    page().during("click", [this] { context().lose(); });
    EXPECT_EQ(code("click", R"({"selector": "#it"})"), "BROWSER_CRASHED");
}

TEST_F(ToolkitInteraction, WaitsForAnElementThatComesLater) {
    page().during("find", [this] { page().add_element("#late"); });

    EXPECT_EQ(data("click", R"({"selector": "#late"})"), R"({"selector":"#late","url":"http://localhost/"})");
}

TEST_F(ToolkitInteraction, TellsAnElementThatIsNotReadyFromOneThatIsNotThere) {
    page().fail(
        "click",
        {.code = ErrorCode::Timeout,
         .message = "locator.click: Timeout 5000ms exceeded.\nCall log:\n  - element is not visible\n"});

    auto failed = error("click", R"({"selector": "#it"})");

    EXPECT_EQ(failed["code"], json::value("ELEMENT_NOT_INTERACTIVE"));
    EXPECT_EQ(failed["message"], json::value("locator.click: Timeout 5000ms exceeded."));
    EXPECT_THAT(std::string(failed["details"].at("log").as_string()), HasSubstr("element is not visible"));
    EXPECT_EQ(failed["details"].at("selector"), json::value("#it"));
    EXPECT_EQ(failed["details"].at("page"), json::value("http://localhost/"));
}

TEST_F(ToolkitInteraction, TypesKeyByKeyWhenThereIsADelay) {
    EXPECT_EQ(data("type", R"({"selector": "#it", "text": "aé", "delay": 1})"), R"({"selector":"#it"})");

    EXPECT_THAT(done(), ElementsAre("type #it a", "type - é"));
}

TEST_F(ToolkitInteraction, RefusesWrongArgumentsInTheSameForm) {
    EXPECT_EQ(code("click"), "MISSING_PARAMETER");
    EXPECT_EQ(code("click", R"({"selector": "#it", "clickCount": 0})"), "INVALID_ARGUMENT");
    EXPECT_EQ(code("press", R"({"key": "a", "modifiers": ["Hyper"]})"), "INVALID_ARGUMENT");
}

TEST_F(ToolkitInteraction, SaysInOneLineWhichArgumentIsWrong) {
    EXPECT_EQ(error("click")["message"],
              json::value("Invalid input: expected string, received undefined at selector"));
    EXPECT_EQ(error("click", R"({"selector": 1, "clickCount": 0})")["message"],
              json::value("Invalid input: expected string, received number at selector; "
                          "Too small: expected number to be >=1 at clickCount"));
}

TEST_F(ToolkitInteraction, SaysWhichOptionsAListHas) {
    page().fail("select_options",
                {.code = ErrorCode::Timeout,
                 .message = "Timeout 5000ms exceeded.\nCall log:\n  - did not find some options\n"});
    page().readings["options"] = json::array{json::object{{"value", "s"}, {"label", "Small"}},
                                             json::object{{"value", "l"}, {"label", "Large"}}};

    auto failed = error("select", R"({"selector": "#it", "values": ["Small", "xl"]})");

    EXPECT_EQ(failed["code"], json::value("ELEMENT_NOT_FOUND"));
    EXPECT_EQ(failed["message"], json::value("The list has no option \"xl\""));
    EXPECT_EQ(failed["suggestion"], json::value("Its options are: \"s\" (Small), \"l\" (Large)."));
}

TEST_F(ToolkitInteraction, UploadsOnlyFilesThatAreThereAndAllowed) {
    directory.write("a.txt", "a");

    EXPECT_EQ(data("upload_file", R"({"selector": "#it", "files": ["a.txt"]})"),
              R"({"selector":"#it","files":["a.txt"]})");
    EXPECT_THAT(done(), Contains("set_files #it a.txt"));
    EXPECT_EQ(code("upload_file", R"({"selector": "#it", "files": ["b.txt"]})"), "NOT_FOUND");
    EXPECT_NE(code("upload_file", R"({"selector": "#it", "files": ["/etc/passwd"]})"), "no error");
}

TEST_F(ToolkitInteraction, ScrollsThePageOrAnElement) {
    page().readings["scroll"] = json::object{{"x", 0}, {"y", 300}};

    EXPECT_EQ(data("scroll", R"({"y": 300})"), R"({"x":0,"y":300})");
    EXPECT_EQ(data("scroll", R"({"y": 300, "selector": "#it"})"), R"({"x":0,"y":300})");
    EXPECT_THAT(done(), ElementsAre(R"(read scroll  {"scoped":false,"y":300})",
                                    R"(read scroll #it {"scoped":true,"y":300})"));
    EXPECT_EQ(code("scroll", R"({"y": 1, "selector": "#none", "timeout": 1})"), "ELEMENT_NOT_FOUND");
}

TEST_F(ToolkitInteraction, TellsOfADialogThatTheActionOpened) {
    page().during("click", [this] { page().open_dialog("confirm", "Sure?"); });

    auto answer = ask("click", R"({"selector": "#it"})");

    EXPECT_EQ(json::serialize(answer["dialogs"]), R"([{"type":"confirm","message":"Sure?"}])");
    auto next = error("click", R"({"selector": "#it"})");
    EXPECT_EQ(next["code"], json::value("ELEMENT_NOT_INTERACTIVE"));
    EXPECT_THAT(std::string(next["suggestion"].as_string()), HasSubstr("browser_handle_dialog"));
}

class ToolkitSecrets : public fakes::ToolkitTest {
protected:
    ToolkitSecrets() : ToolkitTest({.secrets = {{"PASSWORD", "hunter2"}}}) {}
};

TEST_F(ToolkitSecrets, AreTypedByNameAndNeverShown) {
    EXPECT_EQ(data("fill", R"({"selector": "#it", "value": "PASSWORD"})"), R"({"selector":"#it"})");
    EXPECT_THAT(done(), ElementsAre("fill #it hunter2"));

    page().field_value = "say \"hunter2\"";
    EXPECT_EQ(data("get_value", R"({"selector": "#it"})"),
              R"({"value":"say \"<secret>PASSWORD</secret>\""})");
}

}  // namespace
