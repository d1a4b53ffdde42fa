#include "tests/tools/support.h"

namespace {

using engine::StorageArea;
using testing::HasSubstr;

// Both areas have the same tools.
struct Area {
    StorageArea area;
    std::string tools;
    std::string name;
};

class BrowserWebStorage : public fakes::ToolTest, public testing::WithParamInterface<Area> {
protected:
    void SetUp() override { show_page(); }
    std::vector<engine::StorageItem>& items() { return page().storage[GetParam().area]; }
    fakes::Outcome run(const std::string& tool, std::string_view arguments = "{}") {
        return call(GetParam().tools + tool, arguments);
    }
    std::string in_code(const std::string& rest) { return "await page." + GetParam().name + "." + rest; }
};

TEST_P(BrowserWebStorage, ListsItems) {
    EXPECT_THAT(run("_list").text, HasSubstr("No " + GetParam().name + " items found"));
    items() = {{"a", "1"}, {"b", ""}};

    auto outcome = run("_list");

    EXPECT_THAT(outcome.text, HasSubstr("### Result\na=1\nb=\n"));
    EXPECT_THAT(outcome.text, HasSubstr(in_code("items();")));
}

TEST_P(BrowserWebStorage, GetsOneItem) {
    items() = {{"it's", "1"}};

    auto outcome = run("_get", R"({"key": "it's"})");

    EXPECT_THAT(outcome.text, HasSubstr("it's=1"));
    EXPECT_THAT(outcome.text, HasSubstr(in_code("getItem('it\\'s');")));
    EXPECT_THAT(run("_get", R"({"key": "b"})").text, HasSubstr(GetParam().name + " key 'b' not found"));
}

TEST_P(BrowserWebStorage, SetsDeletesAndClears) {
    EXPECT_THAT(run("_set", R"({"key": "a", "value": "1"})").text, HasSubstr(in_code("setItem('a', '1');")));
    run("_set", R"({"key": "b", "value": "2"})");
    EXPECT_EQ(items(), (std::vector<engine::StorageItem>{{"a", "1"}, {"b", "2"}}));

    EXPECT_THAT(run("_delete", R"({"key": "a"})").text, HasSubstr(in_code("removeItem('a');")));
    EXPECT_EQ(items(), (std::vector<engine::StorageItem>{{"b", "2"}}));

    EXPECT_THAT(run("_clear").text, HasSubstr(in_code("clear();")));
    EXPECT_TRUE(items().empty());
}

TEST_P(BrowserWebStorage, TellsWhyAPageMayKeepNothing) {
    page().fail("storage_items", {.code = ErrorCode::InvalidArgument, .message = "SecurityError: denied"});

    auto outcome = run("_list");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text, "### Error\nSecurityError: denied");
    EXPECT_TRUE(run("_set", R"({"key": "a"})").is_error);
}

INSTANTIATE_TEST_SUITE_P(Areas, BrowserWebStorage,
                         testing::Values(Area{StorageArea::Local, "browser_localstorage", "localStorage"},
                                         Area{StorageArea::Session, "browser_sessionstorage",
                                              "sessionStorage"}),
                         [](const auto& area) { return area.param.name; });

}  // namespace
