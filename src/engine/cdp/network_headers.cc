#include "engine/cdp/network_headers.h"

#include <algorithm>

#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {
namespace {

// Far more than any page has pending.
constexpr std::size_t kMaxRequests = 2000;

Headers raw_headers(const json::object& params) {
    const json::object* headers = json::find_object(params, "headers");
    return headers ? headers_of(*headers) : Headers();
}

}  // namespace

Headers headers_of(const json::object& headers) {
    Headers result;
    for (const auto& [given, value] : headers) {
        std::string name = to_lower(given);
        // Skip HTTP/2 pseudo-headers.
        if (name.starts_with(':') || !value.is_string()) continue;
        std::vector<std::string> lines = split(std::string_view(value.as_string()), '\n');
        if (name == "set-cookie") {
            for (std::string& line : lines) result.emplace_back(name, std::move(line));
        } else {
            result.emplace_back(std::move(name), join(lines, ", "));
        }
    }
    return result;
}

void merge_headers(Headers& announced, const Headers& real) {
    auto has = [](const Headers& headers, const std::string& name) {
        return std::any_of(headers.begin(), headers.end(),
                           [&](const auto& each) { return each.first == name; });
    };
    Headers merged;
    for (const auto& [name, value] : announced) {
        if (has(merged, name)) continue;
        if (!has(real, name)) merged.emplace_back(name, value);
        for (const auto& header : real) {
            if (header.first == name) merged.push_back(header);
        }
    }
    for (const auto& header : real) {
        if (!has(announced, header.first)) merged.push_back(header);
    }
    announced = std::move(merged);
}

ExtraHeaders::Hops& ExtraHeaders::hops(const std::string& id) {
    if (hops_.size() >= kMaxRequests) hops_.clear();
    return hops_[id];
}

void ExtraHeaders::take_sent(Entries& entries, const json::object& params) {
    Hops& request = hops(text_of(params, "requestId"));
    request.sent.push_back(raw_headers(params));
    align(entries, request);
}

void ExtraHeaders::take_received(Entries& entries, const json::object& params) {
    Hops& request = hops(text_of(params, "requestId"));
    request.received.push_back(raw_headers(params));
    align(entries, request);
}

void ExtraHeaders::expect(Entries& entries, const std::string& id, std::size_t entry) {
    Hops& request = hops(id);
    request.entries.push_back(entry);
    align(entries, request);
}

void ExtraHeaders::align(Entries& entries, Hops& hops) {
    auto apply = [&](std::vector<Headers>& from, Headers engine::RequestEntry::* to) {
        for (std::size_t i = 0; i < std::min(from.size(), hops.entries.size()); ++i) {
            if (from[i].empty() || hops.entries[i] >= entries.size()) continue;
            merge_headers(entries[hops.entries[i]].*to, std::exchange(from[i], {}));
        }
    };
    apply(hops.sent, &engine::RequestEntry::request_headers);
    apply(hops.received, &engine::RequestEntry::response_headers);
}

}  // namespace cdp
