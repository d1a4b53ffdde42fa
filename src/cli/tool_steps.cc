#include "cli/tool_steps.h"

#include <algorithm>
#include <cctype>

#include "cli/step_code.h"

namespace cli {
namespace {

// Every tool that this server has; see ToolSteps.KnowEveryTool.
constexpr ToolSteps kToolSteps[] = {
    // Always on.
    {"browser_click"},
    {"browser_close"},
    {"browser_console_messages", Part::Nothing},
    {"browser_drag"},
    {"browser_drop", Part::Action, step_code::browser_drop},
    {"browser_emulate_media"},
    {"browser_evaluate", Part::Action, step_code::browser_evaluate},
    {"browser_file_upload", Part::Files},
    {"browser_fill_form"},
    {"browser_find", Part::Nothing},
    {"browser_handle_dialog", Part::Dialog},
    {"browser_hover"},
    {"browser_navigate", Part::Action, nullptr, true},
    {"browser_navigate_back", Part::Action, nullptr, true},
    {"browser_network_request", Part::Nothing},
    {"browser_network_requests", Part::Nothing},
    {"browser_press_key"},
    {"browser_resize"},
    {"browser_run_code_unsafe"},
    {"browser_select_option"},
    {"browser_snapshot", Part::Nothing},
    {"browser_tabs", Part::Tabs},
    {"browser_take_screenshot", Part::Nothing},
    {"browser_type"},
    {"browser_wait_for", Part::Wait},
    // config, devtools, pdf
    {"browser_get_config", Part::Nothing},
    {"browser_hide_highlight", Part::Nothing},
    {"browser_highlight", Part::Nothing},
    {"browser_pdf_save", Part::Nothing},
    {"browser_start_recording", Part::Nothing},
    {"browser_start_tracing", Part::Nothing},
    {"browser_start_video", Part::Nothing},
    {"browser_stop_recording", Part::Action, step_code::stop_recording},
    {"browser_stop_tracing", Part::Nothing},
    {"browser_stop_video", Part::Nothing},
    {"browser_video_chapter", Part::Nothing},
    {"browser_video_hide_actions", Part::Nothing},
    {"browser_video_show_actions", Part::Nothing},
    // history
    {"create_new_session", Part::Action, step_code::create_session, true},
    {"get_console_content", Part::Nothing},
    {"get_content", Part::Nothing},
    {"history_diff", Part::Nothing},
    {"history_list", Part::Nothing},
    // network
    {"browser_network_state_set"},
    {"browser_route", Part::Action, step_code::browser_route},
    {"browser_route_list", Part::Nothing},
    {"browser_unroute", Part::Action, step_code::browser_unroute},
    // sessions
    {"close_session", Part::Action, step_code::close_session},
    {"create_session", Part::Action, step_code::create_session, true},
    {"get_cookies", Part::Nothing},
    {"list_sessions", Part::Nothing},
    {"restore_state", Part::Action, step_code::restore_state},
    {"save_state", Part::Nothing},
    {"session_close", Part::Action, step_code::close_session},
    {"session_list", Part::Nothing},
    {"session_resume", Part::Nothing},
    {"set_cookies", Part::Action, step_code::set_cookies},
    // storage
    {"browser_cookie_clear"},
    {"browser_cookie_delete"},
    {"browser_cookie_get", Part::Nothing},
    {"browser_cookie_list", Part::Nothing},
    {"browser_cookie_set"},
    {"browser_localstorage_clear", Part::Action, step_code::clear_local_items},
    {"browser_localstorage_delete", Part::Action, step_code::delete_local_item},
    {"browser_localstorage_get", Part::Nothing},
    {"browser_localstorage_list", Part::Nothing},
    {"browser_localstorage_set", Part::Action, step_code::set_local_item},
    {"browser_sessionstorage_clear", Part::Action, step_code::clear_session_items},
    {"browser_sessionstorage_delete", Part::Action, step_code::delete_session_item},
    {"browser_sessionstorage_get", Part::Nothing},
    {"browser_sessionstorage_list", Part::Nothing},
    {"browser_sessionstorage_set", Part::Action, step_code::set_session_item},
    {"browser_set_storage_state"},
    {"browser_storage_state", Part::Check, step_code::browser_storage_state},
    // testing
    {"browser_generate_locator", Part::Nothing},
    {"browser_verify_element_visible", Part::Check},
    {"browser_verify_list_visible", Part::Check},
    {"browser_verify_text_visible", Part::Check},
    {"browser_verify_value", Part::Check},
    // toolkit
    {"block_resource", Part::Action, step_code::block_resource},
    {"check", Part::Action, step_code::check},
    {"click", Part::Action, step_code::click},
    {"compare_screenshots", Part::Nothing},
    {"drag_and_drop", Part::Action, step_code::drag_and_drop},
    {"element_exists", Part::Read, step_code::read_exists},
    {"evaluate", Part::Action, step_code::evaluate},
    {"extract_links", Part::Nothing},
    {"extract_table", Part::Nothing},
    {"fill", Part::Action, step_code::fill},
    {"find_element", Part::Read, step_code::read_visible},
    {"find_elements", Part::Nothing},
    {"get_all_text", Part::Nothing},
    {"get_attribute", Part::Read, step_code::read_attribute},
    {"get_page_metadata", Part::Nothing},
    {"get_request_log", Part::Nothing},
    {"get_text", Part::Read, step_code::read_text},
    {"get_value", Part::Read, step_code::read_value},
    {"go_back", Part::Action, step_code::go_back, true},
    {"go_forward", Part::Action, step_code::go_forward, true},
    {"hover", Part::Action, step_code::hover},
    {"is_enabled", Part::Read, step_code::read_enabled},
    {"is_visible", Part::Read, step_code::read_visible},
    {"mock_response", Part::Action, step_code::mock_response},
    {"navigate", Part::Action, step_code::navigate, true},
    {"press", Part::Action, step_code::press},
    {"reload", Part::Action, step_code::reload, true},
    {"screenshot", Part::Nothing},
    {"screenshot_element", Part::Nothing},
    {"scroll", Part::Action, step_code::scroll},
    {"select", Part::Action, step_code::select},
    {"set_offline", Part::Action, step_code::set_offline},
    {"set_throttling", Part::Action, step_code::set_throttling},
    {"type", Part::Action, step_code::type},
    {"uncheck", Part::Action, step_code::uncheck},
    {"upload_file", Part::Action, step_code::upload_file},
    {"wait_for_load", Part::Wait, step_code::wait_for_load},
    {"wait_for_selector", Part::Wait, step_code::wait_for_selector},
    // vision
    {"browser_mouse_click_xy"},
    {"browser_mouse_down"},
    {"browser_mouse_drag_xy"},
    {"browser_mouse_move_xy"},
    {"browser_mouse_up"},
    {"browser_mouse_wheel"},
};

}  // namespace

std::span<const ToolSteps> all_tool_steps() { return kToolSteps; }

ToolSteps steps_of(std::string_view tool) {
    auto known = std::ranges::find(kToolSteps, tool, &ToolSteps::tool);
    return known == std::end(kToolSteps) ? ToolSteps{tool} : *known;
}

std::string_view target_of(const json::object& params) {
    for (std::string_view name : {"target", "ref", "selector"}) {
        if (auto given = json::find_string(params, name); given && !given->empty()) return *given;
    }
    return {};
}

bool is_ref(std::string_view target) {
    auto digits = [&] {
        std::size_t count = 0;
        while (count < target.size() && std::isdigit(static_cast<unsigned char>(target[count]))) ++count;
        target.remove_prefix(count);
        return count > 0;
    };
    if (target.starts_with('f')) {
        target.remove_prefix(1);
        if (!digits()) return false;
    }
    if (!target.starts_with('e')) return false;
    target.remove_prefix(1);
    return digits() && target.empty();
}

}  // namespace cli
