#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;

class BrowserStorageState : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
};

TEST_F(BrowserStorageState, IsSavedToAFile) {
    context().state = *json::parse(R"({"cookies": [], "origins": []})");

    auto outcome = call("browser_storage_state");

    std::string name = ".playwright-mcp/storage-state-2026-03-04T05-06-07-089Z.json";
    EXPECT_THAT(outcome.text, HasSubstr("- [Storage state](" + name + ")"));
    EXPECT_THAT(outcome.text, HasSubstr("await page.context().storageState({ path: '" + name + "' });"));
    EXPECT_EQ(directory.read(name), "{\n  \"cookies\": [],\n  \"origins\": []\n}");
}

TEST_F(BrowserStorageState, StaysInTheWorkspace) {
    call("browser_storage_state", R"({"filename": "state/one.json"})");

    EXPECT_TRUE(directory.has("state/one.json"));
    EXPECT_THAT(call("browser_storage_state", R"({"filename": "/etc/state.json"})").text,
                HasSubstr("File access denied"));
    EXPECT_THAT(call("browser_set_storage_state", R"({"filename": "/etc/passwd"})").text,
                HasSubstr("File access denied"));
}

TEST_F(BrowserStorageState, IsRestoredFromAFile) {
    directory.write("state.json", R"({"cookies": [{"name": "a", "value": "1"}]})");

    auto outcome = call("browser_set_storage_state", R"({"filename": "state.json"})");

    EXPECT_THAT(outcome.text, HasSubstr("Storage state restored from state.json"));
    EXPECT_THAT(outcome.text, HasSubstr("await page.context().setStorageState('state.json');"));
    EXPECT_EQ(json::serialize(context().state), R"({"cookies":[{"name":"a","value":"1"}]})");
}

TEST_F(BrowserStorageState, IsRefusedBeforeAnythingIsChanged) {
    context().state = *json::parse(R"({"cookies": []})");
    for (const char* text : {"{}", R"({"cookies": 1})", R"({"origins": [{"origin": "nowhere"}]})"}) {
        directory.write("state.json", text);
        EXPECT_THAT(call("browser_set_storage_state", R"({"filename": "state.json"})").text,
                    HasSubstr("browserContext.setStorageState: Error setting storage state:\n"));
        EXPECT_EQ(json::serialize(context().state), R"({"cookies":[]})");
    }
}

TEST_F(BrowserStorageState, SaysWhatIsWrongWithAFile) {
    directory.write("broken.json", "{oops");
    std::string path = directory.path().string();

    EXPECT_THAT(call("browser_set_storage_state", R"({"filename": "none.json"})").text,
                HasSubstr("Error: Error reading storage state from " + path +
                          "/none.json:\nENOENT: no such file or directory, open '" + path + "/none.json'"));
    EXPECT_THAT(call("browser_set_storage_state", R"({"filename": "broken.json"})").text,
                HasSubstr("SyntaxError: Error reading storage state from " + path + "/broken.json:\n"));
}

}  // namespace
