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
    auto added = [](const std::string& capability) {
        std::vector<std::string> all = names({capability}), usual = names({});
        std::erase_if(all, [&](const auto& name) { return std::ranges::find(usual, name) != usual.end(); });
        return all;
    };
    EXPECT_THAT(added("config"), UnorderedElementsAre("browser_get_config"));
    auto devtools = UnorderedElementsAre(
        "browser_hide_highlight", "browser_highlight", "browser_start_recording", "browser_start_tracing",
        "browser_start_video", "browser_stop_recording", "browser_stop_tracing", "browser_stop_video",
        "browser_video_chapter", "browser_video_hide_actions", "browser_video_show_actions");
    EXPECT_THAT(added("devtools"), devtools);
    EXPECT_THAT(added("tracing"), devtools) << "its former name";
    EXPECT_THAT(added("network"), UnorderedElementsAre("browser_network_state_set", "browser_route",
                                                       "browser_route_list", "browser_unroute"));
    EXPECT_THAT(added("history"),
                UnorderedElementsAre("create_new_session", "get_content", "get_console_content",
                                     "history_list", "history_diff"));
    EXPECT_THAT(added("pdf"), UnorderedElementsAre("browser_pdf_save"));
    EXPECT_THAT(added("storage"),
                UnorderedElementsAre("browser_cookie_clear", "browser_cookie_delete", "browser_cookie_get",
                                     "browser_cookie_list", "browser_cookie_set",
                                     "browser_localstorage_clear", "browser_localstorage_delete",
                                     "browser_localstorage_get", "browser_localstorage_list",
                                     "browser_localstorage_set", "browser_sessionstorage_clear",
                                     "browser_sessionstorage_delete", "browser_sessionstorage_get",
                                     "browser_sessionstorage_list", "browser_sessionstorage_set",
                                     "browser_set_storage_state", "browser_storage_state"));
    EXPECT_THAT(added("testing"),
                UnorderedElementsAre("browser_generate_locator", "browser_verify_element_visible",
                                     "browser_verify_list_visible", "browser_verify_text_visible",
                                     "browser_verify_value"));
    EXPECT_THAT(added("toolkit"),
                UnorderedElementsAre(
                    "navigate", "go_back", "go_forward", "reload", "wait_for_load", "click", "type", "fill",
                    "select", "check", "uncheck", "hover", "scroll", "drag_and_drop", "upload_file", "press",
                    "get_text", "get_all_text", "get_attribute", "get_value", "screenshot",
                    "screenshot_element", "compare_screenshots", "extract_table", "extract_links",
                    "get_page_metadata", "evaluate", "find_element", "find_elements", "element_exists",
                    "is_visible", "is_enabled", "wait_for_selector", "block_resource", "mock_response",
                    "set_offline", "set_throttling", "get_request_log"));
    EXPECT_THAT(added("vision"),
                UnorderedElementsAre("browser_mouse_click_xy", "browser_mouse_down", "browser_mouse_drag_xy",
                                     "browser_mouse_move_xy", "browser_mouse_up", "browser_mouse_wheel"));
}

TEST_F(Catalog, AnswersForAToolWhoseCapabilityIsOff) {
    tools::Registry registry;
    tools::register_tools(registry, {"storage"}, {});
    auto tool = registry.find_tool("browser_pdf_save");
    ASSERT_TRUE(tool);
    Loop loop;
    fakes::FakeClient client;
    json::value arguments = json::object();

    auto outcome =
        fakes::to_outcome(fakes::run_task(loop, tool->run({arguments, client, Deadline::never()})));

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text, "### Error\nTool \"browser_pdf_save\" not found");
    EXPECT_FALSE(registry.find_tool("browser_no_such_tool"));
    EXPECT_THAT(names({"storage"}), testing::Not(testing::Contains("browser_pdf_save")));
}

TEST_F(Catalog, MarksTheToolsThatOnlyLook) {
    std::vector<std::string> readers;
    for (const tools::Tool& tool : tools::all_tools({})) {
        bool usual = tool.capability.empty();
        if (usual && tool.effect == tools::Effect::ReadsPage) readers.push_back(tool.name);
    }

    EXPECT_THAT(readers,
                UnorderedElementsAre("browser_console_messages", "browser_find", "browser_network_request",
                                     "browser_network_requests", "browser_snapshot",
                                     "browser_take_screenshot", "browser_wait_for"));
}

TEST_F(Catalog, LetsEveryToolOfABrowserBeToldWhereToAct) {
    for (const tools::Tool& tool : tools::all_tools({})) {
        bool of_server = tool.capability == "sessions" || tool.capability == "config";
        bool of_record = tool.capability == "history";
        if (!of_record) EXPECT_EQ(tool.acts_in_session, !of_server) << tool.name;
    }
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
