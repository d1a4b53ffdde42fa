// Formats requests for answers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/types.h"
#include "util/json.h"

namespace tools {

using Headers = std::vector<std::pair<std::string, std::string>>;

// fetch() and XMLHttpRequest; everything else is static.
bool is_fetch(const engine::RequestEntry& request);
bool has_succeeded(const engine::RequestEntry& request);
bool can_have_body(const engine::RequestEntry& request);

// "[GET] url => [200] OK"
std::string to_line(const engine::RequestEntry& request);
// Everything but the bodies; `number` is the number under which agents know the request.
std::string to_details(const engine::RequestEntry& request, std::size_t number);

// Everything but headers and bodies, for programs.
json::object to_json(const engine::RequestEntry& request);

// Names in lower case; the last value wins when a name repeats.
Headers normalized(const Headers& headers);
// "name: value", a line each.
std::string to_text(const Headers& headers);
// The value of Content-Type, empty when there is none.
std::string content_type(const engine::RequestEntry& request);

bool is_text_type(std::string_view content_type);
// "png" for image/png, "bin" for unknown types.
std::string extension_for(std::string_view content_type);

}  // namespace tools
