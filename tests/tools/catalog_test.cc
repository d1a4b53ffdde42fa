#include "tests/tools/support.h"

namespace {

using testing::UnorderedElementsAre;

class Catalog : public testing::Test {
protected:
    static std::vector<std::string> names(const std::vector<std::string>& capabilities) {
        tools::Registry registry;
        tools::register_tools(registry, capabilities, {});
        std::vector<std::string> names;
        for (const auto& tool : registry.tools()) names.push_back(tool->name);
        return names;
    }
};

TEST_F(Catalog, HasPlaywrightsDefaultTools) {
    EXPECT_THAT(names({}),
                UnorderedElementsAre(
                    "browser_click", "browser_close", "browser_console_messages", "browser_drag",
                    "browser_drop", "browser_emulate_media", "browser_evaluate", "browser_file_upload",
                    "browser_fill_form", "browser_find", "browser_handle_dialog", "browser_hover",
                    "browser_navigate", "browser_navigate_back", "browser_network_request",
                    "browser_network_requests", "browser_press_key", "browser_resize",
                    "browser_run_code_unsafe", "browser_select_option", "browser_snapshot", "browser_tabs",
                    "browser_take_screenshot", "browser_type", "browser_wait_for"));
}

TEST_F(Catalog, AddsWhatACapabilityBrings) {
    EXPECT_THAT(names({"config"}), testing::Contains("browser_get_config"));
}

TEST_F(Catalog, MarksTheToolsThatOnlyLook) {
    std::vector<std::string> readers;
    for (const tools::Tool& tool : tools::all_tools({})) {
        if (tool.effect == tools::Effect::ReadsPage) readers.push_back(tool.name);
    }

    EXPECT_THAT(readers,
                UnorderedElementsAre("browser_console_messages", "browser_find", "browser_network_request",
                                     "browser_network_requests", "browser_snapshot",
                                     "browser_take_screenshot", "browser_wait_for"));
}

TEST_F(Catalog, DescribesEveryToolAndArgument) {
    for (const tools::Tool& tool : tools::all_tools({})) {
        EXPECT_FALSE(tool.title.empty()) << tool.name;
        EXPECT_FALSE(tool.description.empty()) << tool.name;
        EXPECT_LT(tool.description.size(), 200u) << tool.name;
        for (const auto& [name, schema] : json::find(tool.input_schema, "properties")->as_object()) {
            EXPECT_TRUE(json::find(schema, "description")) << tool.name << "." << std::string_view(name);
        }
    }
}

}  // namespace
