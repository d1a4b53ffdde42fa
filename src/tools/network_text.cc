#include "tools/network_text.h"

#include <algorithm>
#include <array>

#include "util/strings.h"

namespace tools {
namespace {

std::string upper(std::string_view text) {
    std::string raised(text);
    for (char& c : raised) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    }
    return raised;
}

// A data: address can be megabytes long and carries no information for the reader.
std::string shown_url(const std::string& url) {
    std::size_t comma = url.find(',');
    return url.starts_with("data:") && comma != std::string::npos ? url.substr(0, comma + 1) + "…" : url;
}

// "[200] OK", "[FAILED] net::ERR_ABORTED", or nothing before there is a response.
std::string outcome(const engine::RequestEntry& request) {
    if (request.status) return "[" + std::to_string(*request.status) + "] " + request.status_text;
    return request.failure.empty() ? std::string() : "[FAILED] " + request.failure;
}

std::string first_part(std::string_view content_type) {
    return std::string(trim(content_type.substr(0, content_type.find(';'))));
}

void add_headers(std::vector<std::string>& lines, std::string_view title, const Headers& headers) {
    if (headers.empty()) return;
    lines.insert(lines.end(), {"", "  " + std::string(title)});
    for (const auto& [name, value] : normalized(headers)) lines.push_back("    " + name + ": " + value);
}

}  // namespace

bool is_fetch(const engine::RequestEntry& request) {
    return request.resource_type == "fetch" || request.resource_type == "xhr";
}

bool has_succeeded(const engine::RequestEntry& request) {
    return request.failure.empty() && request.status && *request.status < 400;
}

bool can_have_body(const engine::RequestEntry& request) {
    if (!request.status) return false;
    int status = *request.status;
    return status >= 200 && status != 204 && status != 304;
}

std::string to_line(const engine::RequestEntry& request) {
    std::string line = "[" + upper(request.method) + "] " + shown_url(request.url);
    std::string end = outcome(request);
    return end.empty() ? line : line + " => " + end;
}

std::string to_details(const engine::RequestEntry& request, std::size_t number) {
    std::vector<std::string> lines = {
        "#" + std::to_string(number) + " [" + upper(request.method) + "] " + shown_url(request.url), "",
        "  General"};
    if (std::string end = outcome(request); !end.empty()) lines.push_back("    status:    " + end);
    if (request.duration)
        lines.push_back("    duration:  " + std::to_string(request.duration->count()) + "ms");
    lines.push_back("    type:      " + request.resource_type);
    if (std::string type = first_part(content_type(request)); !type.empty())
        lines.push_back("    mimeType:  " + type);
    add_headers(lines, "Request headers", request.request_headers);
    if (request.status) add_headers(lines, "Response headers", request.response_headers);
    std::vector<std::string> hints;
    auto hint = [&](std::string_view part, std::string_view words) {
        hints.push_back("Call browser_network_request with part=\"" + std::string(part) + "\" to read the " +
                        std::string(words) + ".");
    };
    if (!request.post_data.empty()) hint("request-body", "request body");
    if (can_have_body(request)) hint("response-body", "response body");
    if (!hints.empty()) lines.emplace_back();
    lines.insert(lines.end(), hints.begin(), hints.end());
    return join(lines, "\n");
}

json::object to_json(const engine::RequestEntry& request) {
    json::object entry{
        {"method", request.method}, {"url", request.url}, {"resourceType", request.resource_type}};
    entry["status"] = request.status ? json::value(*request.status) : json::value(nullptr);
    if (!request.mime_type.empty()) entry["mimeType"] = request.mime_type;
    if (request.duration) entry["duration"] = request.duration->count();
    json::object timing;
    if (request.started) {
        auto since_epoch = request.started->time_since_epoch();
        timing["startTime"] = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
    }
    if (request.duration) timing["duration"] = request.duration->count();
    if (!timing.empty()) entry["timing"] = std::move(timing);
    if (!request.failure.empty()) entry["failure"] = request.failure;
    entry["finished"] = request.finished;
    return entry;
}

Headers normalized(const Headers& headers) {
    Headers result;
    for (const auto& [given, value] : headers) {
        std::string name = to_lower(given);
        auto known = std::ranges::find_if(result, [&](const auto& header) { return header.first == name; });
        if (known == result.end())
            result.emplace_back(std::move(name), value);
        else
            known->second = value;
    }
    return result;
}

std::string to_text(const Headers& headers) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : normalized(headers)) lines.push_back(name + ": " + value);
    return join(lines, "\n");
}

std::string content_type(const engine::RequestEntry& request) {
    for (const auto& [name, value] : request.response_headers) {
        if (equals_ignoring_case(name, "content-type")) return value;
    }
    return {};
}

bool is_text_type(std::string_view given) {
    static constexpr std::array<std::string_view, 8> kText = {"application/json",
                                                              "application/javascript",
                                                              "application/x-javascript",
                                                              "application/ecmascript",
                                                              "application/graphql",
                                                              "image/svg",
                                                              "application/x-www-form-urlencoded",
                                                              "image/svg+xml"};
    std::string type = first_part(given);
    if (type.starts_with("text/") || type.starts_with("application/xml")) return true;
    if (type.starts_with("application/") && (type.ends_with("+json") || type.ends_with("+xml"))) return true;
    return std::find(kText.begin(), kText.end(), type) != kText.end();
}

std::string extension_for(std::string_view given) {
    std::string type = to_lower(first_part(given));
    std::size_t slash = type.find('/');
    if (slash == std::string::npos) return "bin";
    std::string_view kind = std::string_view(type).substr(slash + 1);
    if (std::size_t plus = kind.rfind('+'); plus != std::string_view::npos) kind.remove_prefix(plus + 1);
    if (kind == "plain") return "txt";
    if (kind == "javascript" || kind == "ecmascript") return "js";
    if (kind == "jpeg") return "jpg";
    std::string extension(kind);
    std::erase_if(extension, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
    return extension.empty() ? "bin" : extension;
}

}  // namespace tools
