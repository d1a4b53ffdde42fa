// The code of steps that is written from a call's arguments, by tool: see the table in tool_steps.cc.
#pragma once

#include <initializer_list>

#include "cli/tool_steps.h"

namespace cli::step_code {

// Nothing: a test cannot repeat the call.
using Code = std::optional<std::string>;

std::string text_of(const json::object& object, std::string_view key);
// Anything that JSON can express, in JavaScript.
std::string literal(const json::value& value);
// The arguments of these names, as an object for Playwright; empty when none was given.
std::string options_of(const json::object& params, std::initializer_list<std::string_view> names);
// The value of an argument that may be a list, under a name for the list or for one item.
json::array list_of(const json::object& params, std::string_view name, std::string_view item_name = {});
// The address that a call opened.
std::string url_of(const json::object& params, const json::value& data);

// A selector of the toolkit as a locator of all its matches.
Code all_matches(const WrittenCall& call, std::string_view selector);
// The toolkit acts on the first match.
Code first_match(const WrittenCall& call, std::string_view argument = "selector");
// The context of the page.
std::string context_of(const WrittenCall& call);

// method(first, options), where both may be empty.
std::string with(std::string_view method, std::string first, const std::string& options);
// A statement that calls the method of the page, or of the element.
std::string on_page(const WrittenCall& call, const std::string& method);
Code on_first(const WrittenCall& call, const std::string& method);

Code block_resource(const WrittenCall& call);
Code browser_drop(const WrittenCall& call);
Code browser_evaluate(const WrittenCall& call);
Code browser_route(const WrittenCall& call);
Code browser_storage_state(const WrittenCall& call);
Code browser_unroute(const WrittenCall& call);
Code check(const WrittenCall& call);
Code clear_local_items(const WrittenCall& call);
Code clear_session_items(const WrittenCall& call);
Code click(const WrittenCall& call);
Code close_session(const WrittenCall& call);
Code create_session(const WrittenCall& call);
Code delete_local_item(const WrittenCall& call);
Code delete_session_item(const WrittenCall& call);
Code drag_and_drop(const WrittenCall& call);
Code evaluate(const WrittenCall& call);
Code fill(const WrittenCall& call);
Code go_back(const WrittenCall& call);
Code go_forward(const WrittenCall& call);
Code hover(const WrittenCall& call);
Code mock_response(const WrittenCall& call);
Code navigate(const WrittenCall& call);
Code press(const WrittenCall& call);
Code read_attribute(const WrittenCall& call);
Code read_enabled(const WrittenCall& call);
Code read_exists(const WrittenCall& call);
Code read_text(const WrittenCall& call);
Code read_value(const WrittenCall& call);
Code read_visible(const WrittenCall& call);
Code reload(const WrittenCall& call);
Code restore_state(const WrittenCall& call);
Code scroll(const WrittenCall& call);
Code select(const WrittenCall& call);
Code set_cookies(const WrittenCall& call);
Code set_local_item(const WrittenCall& call);
Code set_offline(const WrittenCall& call);
Code set_session_item(const WrittenCall& call);
Code set_throttling(const WrittenCall& call);
Code stop_recording(const WrittenCall& call);
Code type(const WrittenCall& call);
Code uncheck(const WrittenCall& call);
Code upload_file(const WrittenCall& call);
Code wait_for_load(const WrittenCall& call);
Code wait_for_selector(const WrittenCall& call);

}  // namespace cli::step_code
