#include "tests/tools/support.h"
#include "tools/opening_calls.h"
#include "tools/same_work.h"
#include "util/strings.h"

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
    EXPECT_EQ(outcome.text,
              "### Error\nTool \"browser_pdf_save\" not found\n"
              "### Hint\nIt belongs to the capability \"pdf\": start the server with --caps=pdf.");
    EXPECT_FALSE(registry.find_tool("browser_no_such_tool"));
    EXPECT_THAT(names({"storage"}), testing::Not(testing::Contains("browser_pdf_save")));
}

TEST_F(Catalog, FindsAToolByAnotherNameThatIsNotListed) {
    tools::Registry registry;
    tools::register_tools(registry, {"storage"}, {});

    ASSERT_TRUE(registry.find_tool("browser_cookies"));
    EXPECT_EQ(registry.find_tool("browser_cookies")->name, "browser_cookie_list") << "rules know it by that";
    EXPECT_THAT(names({"storage"}), testing::Not(testing::Contains("browser_cookies")));
    EXPECT_TRUE(registry.remove_tool("browser_cookie_list"));
    EXPECT_FALSE(registry.find_tool("browser_cookies"));
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

TEST_F(Catalog, KnowsEveryArgumentThatIsAnAddressToOpen) {
    std::vector<std::string> found, known;
    for (const auto& each : tools::kOpeningArguments)
        known.push_back(std::string(each.tool) + "." + std::string(each.argument));
    for (const tools::Tool& tool : tools::all_tools({})) {
        for (const auto& [name, schema] : json::find(tool.input_schema, "properties")->as_object()) {
            if (to_lower(name).contains("url") || to_lower(name).contains("address"))
                found.push_back(tool.name + "." + std::string(name));
        }
    }
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(known));
}

TEST_F(Catalog, DeclaresOfEveryToolBesidePlaywrightsWhichOthersDoTheSame) {
    std::set<std::string_view> known, declared(tools::kWorkOfTheirOwn.begin(), tools::kWorkOfTheirOwn.end());
    std::vector<tools::Tool> all = tools::all_tools({});
    for (const tools::Tool& tool : all) known.insert(tool.name);
    for (const auto& same : tools::kSameWork) declared.insert(same.begin(), same.end());
    for (const auto& wider : tools::kWiderWork) {
        declared.insert(wider.tool);
        EXPECT_TRUE(known.contains(wider.includes)) << wider.includes;
    }
    for (const auto& work : tools::kArgumentWork)
        EXPECT_TRUE(known.contains(work.tool) && known.contains(work.includes)) << work.tool;
    declared.erase("");
    for (std::string_view name : declared)
        EXPECT_TRUE(known.contains(name) || name == "browser_run_code") << name << ": upstream's only";
    for (const tools::Tool& tool : all) {
        if (!tool.name.starts_with("browser_")) EXPECT_TRUE(declared.contains(tool.name)) << tool.name;
        for (const std::string& alias : tool.aliases) EXPECT_FALSE(declared.contains(alias)) << alias;
    }
}

TEST_F(Catalog, JudgesTheToolsThatDoTheSameAlikeInBothDirections) {
    for (const auto& same : tools::kSameWork) {
        for (std::string_view one : same) {
            for (std::string_view other : same) {
                if (one.empty() || other.empty() || one == other) continue;
                EXPECT_THAT(tools::also_judged_as(one), testing::Contains(other)) << one;
            }
        }
    }
    for (const auto& wider : tools::kWiderWork)
        EXPECT_THAT(tools::also_judged_as(wider.tool), testing::Contains(wider.includes)) << wider.tool;
    EXPECT_THAT(tools::also_judged_as("browser_snapshot"), testing::IsEmpty());
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
