// The routes of the JSON API, in one table: it matches requests and generates the OpenAPI document.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/api.h"

namespace api {

struct ApiParameter {
    std::string_view name;
    std::string_view description;
    std::string_view type = "string";
    bool required = false;             // only members of a body can be required
    std::string_view other_name = {};  // accepted, not listed
};

// The tool that a route stands for. It has no default: a route without one does not compile.
class ApiAccess {
public:
    // Runs as a call of this tool.
    static ApiAccess as(tools::StandsFor tool) { return ApiAccess(std::move(tool)); }
    // Runs the tool that its body names, as a call of that tool.
    static ApiAccess as_the_tool_it_names() { return ApiAccess(std::nullopt); }
    // Shows no caller's data, so no rule applies.
    static ApiAccess to_nothing() { return ApiAccess(std::nullopt); }

    const std::optional<tools::StandsFor>& tool() const { return tool_; }

private:
    explicit ApiAccess(std::optional<tools::StandsFor> tool) : tool_(std::move(tool)) {}
    std::optional<tools::StandsFor> tool_;
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
    ApiAccess access;
    Task<ApiAnswer> (Api::*handler)(ApiRequest request);
};

std::span<const ApiRoute> api_routes();

// OpenAPI 3.1.
json::object openapi(std::string_view version);

}  // namespace api
