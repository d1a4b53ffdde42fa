// The routes of the JSON API, in one table: requests are matched by it, and it is what the OpenAPI document
// says.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "record/api.h"

namespace record {

struct ApiParameter {
    std::string_view name;
    std::string_view description;
    std::string_view type = "string";
    bool required = false;  // only members of a body are
};

struct ApiRoute {
    std::string_view method;
    std::string_view path;  // "/api/content/{ref}": a last part in braces is any one part
    std::string_view summary;
    std::vector<ApiParameter> query = {};
    std::vector<ApiParameter> body = {};
    std::string_view answer;  // a schema of kSchemas
    int status = 200;
    bool needs_record = true;
    Task<ApiAnswer> (Api::*handler)(ApiRequest request);
};

std::span<const ApiRoute> api_routes();

// OpenAPI 3.1.
json::object openapi(std::string_view version);

}  // namespace record
