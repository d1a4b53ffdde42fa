// Tools that do the same as others: a rule that denies one of them, or has a person confirm it, applies to
// the others, too.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

namespace tools {

inline constexpr std::string_view kEvaluate = "browser_evaluate", kFileUpload = "browser_file_upload";

// Tools that do the same; empty names fill up.
using SameWork = std::array<std::string_view, 3>;
inline constexpr std::array kSameWork{
    SameWork{"browser_click", "click"},
    SameWork{"browser_cookie_get", "browser_cookie_list", "get_cookies"},
    SameWork{"browser_cookie_set", "set_cookies"},
    SameWork{"browser_drag", "drag_and_drop"},
    SameWork{kEvaluate, "evaluate"},
    SameWork{kFileUpload, "upload_file"},
    SameWork{"browser_hover", "hover"},
    SameWork{"browser_localstorage_get", "browser_localstorage_list"},
    SameWork{"browser_mouse_wheel", "scroll"},
    SameWork{"browser_navigate_back", "go_back"},
    SameWork{"browser_network_requests", "get_request_log"},
    SameWork{"browser_network_state_set", "set_offline"},
    SameWork{"browser_press_key", "press"},
    SameWork{"browser_route", "mock_response"},
    SameWork{"browser_select_option", "select"},
    SameWork{"browser_sessionstorage_get", "browser_sessionstorage_list"},
    SameWork{"browser_set_storage_state", "restore_state"},
    SameWork{"browser_storage_state", "save_state"},
    SameWork{"browser_take_screenshot", "screenshot", "screenshot_element"},
    SameWork{"browser_type", "fill", "type"},
    SameWork{"close_session", "session_close"},
    SameWork{"create_new_session", "create_session"},
    SameWork{"list_sessions", "session_list"},
};

// A tool that also does what another one does, but not the other way round.
struct WiderWork {
    std::string_view tool, includes;
};
inline constexpr std::array kWiderWork{
    WiderWork{"block_resource", "browser_route"},
    WiderWork{"browser_cookie_clear", "browser_cookie_delete"},
    WiderWork{"browser_drop", kFileUpload},
    WiderWork{"browser_fill_form", "browser_select_option"},
    WiderWork{"browser_fill_form", "browser_type"},
    WiderWork{"browser_fill_form", "check"},
    WiderWork{"browser_fill_form", "uncheck"},
    WiderWork{"browser_find", "browser_snapshot"},
    WiderWork{"browser_localstorage_clear", "browser_localstorage_delete"},
    WiderWork{"browser_mouse_click_xy", "browser_click"},
    WiderWork{"browser_mouse_down", "browser_click"},
    WiderWork{"browser_mouse_drag_xy", "browser_drag"},
    WiderWork{"browser_mouse_move_xy", "browser_hover"},
    WiderWork{"browser_mouse_up", "browser_click"},
    WiderWork{"browser_network_request", "browser_network_requests"},
    // A mocked response may contain scripts, of any origin.
    WiderWork{"browser_route", kEvaluate},
    WiderWork{"browser_run_code", kEvaluate},
    WiderWork{"browser_run_code_unsafe", kEvaluate},
    WiderWork{"browser_sessionstorage_clear", "browser_sessionstorage_delete"},
    WiderWork{"browser_set_storage_state", "browser_cookie_set"},
    WiderWork{"browser_set_storage_state", "browser_localstorage_set"},
    WiderWork{"browser_storage_state", "browser_cookie_list"},
    WiderWork{"browser_storage_state", "browser_localstorage_list"},
    WiderWork{"check", "browser_click"},
    WiderWork{"close_session", "browser_close"},
    WiderWork{"compare_screenshots", "browser_take_screenshot"},
    WiderWork{"extract_links", "browser_snapshot"},
    WiderWork{"extract_table", "browser_snapshot"},
    WiderWork{"find_element", "browser_snapshot"},
    WiderWork{"find_elements", "browser_snapshot"},
    WiderWork{"get_all_text", "browser_snapshot"},
    WiderWork{"get_attribute", "browser_snapshot"},
    WiderWork{"get_console_content", "browser_console_messages"},
    WiderWork{"get_page_metadata", "browser_snapshot"},
    WiderWork{"get_text", "browser_snapshot"},
    WiderWork{"get_value", "browser_snapshot"},
    WiderWork{"history_diff", "get_content"},
    WiderWork{"set_throttling", "browser_network_state_set"},
    WiderWork{"uncheck", "browser_click"},
    WiderWork{"wait_for_load", "browser_wait_for"},
    WiderWork{"wait_for_selector", "browser_wait_for"},
};

// An argument with which a tool does another one's work.
struct ArgumentWork {
    std::string_view tool, argument, includes;
};
inline constexpr std::array kArgumentWork{
    ArgumentWork{"create_new_session", "storageState", "browser_set_storage_state"},
    ArgumentWork{"create_session", "storageState", "browser_set_storage_state"},
};

// The tools beside Playwright's that do what no other tool does. Addresses to open: see opening_calls.
inline constexpr std::array<std::string_view, 9> kWorkOfTheirOwn = {
    "element_exists", "get_content", "go_forward", "history_list",   "is_enabled",
    "is_visible",     "navigate",    "reload",     "session_resume",
};

// The other tools whose denials and confirmations apply to every call of the tool.
const std::vector<std::string>& also_judged_as(std::string_view tool);
// Those that apply to this call besides, because of its arguments.
std::vector<std::string> also_judged_as(std::string_view tool, const json::value& arguments);

}  // namespace tools
