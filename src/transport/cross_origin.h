// CORS: lets pages of allowed origins read the answers of this listener.
#pragma once

#include <string>
#include <string_view>

#include "transport/http.h"

namespace transport {

// Whether the request is a browser's CORS preflight.
bool is_preflight(const HttpExchange& exchange);
// Headers that let pages of `origin` ("*": every origin) read an answer and the headers that a client needs.
Headers cross_origin_headers(std::string origin);
// Answers a preflight; `methods` are the methods of the path.
void answer_preflight(HttpExchange& exchange, std::string_view methods);

}  // namespace transport
