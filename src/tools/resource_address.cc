#include "tools/resource_address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "util/strings.h"

namespace tools {
namespace {

// The parts after `first` are those that are true here, in this order.
struct Form {
    ResourceKind kind;
    std::string_view first;
    bool session, page, item;
    std::string_view last = {};
};
constexpr std::array<Form, 8> kForms = {{
    {ResourceKind::Session, "session", true, false, false},
    {ResourceKind::Page, "page", true, true, false},
    {ResourceKind::Snapshot, "page", true, true, false, "snapshot"},
    {ResourceKind::Element, "element", true, true, true},
    {ResourceKind::Screenshot, "screenshot", true, true, true},
    {ResourceKind::NetworkLog, "network-log", true, true, false},
    {ResourceKind::Download, "download", true, false, true},
    {ResourceKind::Content, "content", false, false, true},
}};

// A session literally named "default" is escaped to differ from the one without a name.
std::string session_part(const std::string& name) {
    if (name.empty()) return std::string(kOwnSession);
    return name == kOwnSession ? "%64efault" : percent_encode(name);
}

std::optional<ResourceAddress> read_as(const Form& form, const std::vector<std::string>& parts) {
    std::size_t next = 1;
    ResourceAddress address{.kind = form.kind};
    for (auto [wanted, into] : {std::pair(form.session, &address.session),
                                std::pair(form.page, &address.page), std::pair(form.item, &address.item)}) {
        if (!wanted) continue;
        if (next == parts.size() || parts[next].empty()) return std::nullopt;
        bool own = into == &address.session && parts[next] == kOwnSession;
        if (!own) *into = percent_decode(parts[next]);
        ++next;
    }
    if (!form.last.empty() && (next == parts.size() || parts[next++] != form.last)) return std::nullopt;
    return next == parts.size() ? std::optional(address) : std::nullopt;
}

}  // namespace

PartOfResource part_of(std::string_view uri) {
    constexpr std::string_view kPart = "?part=";
    std::size_t at = uri.rfind(kPart);
    PartOfResource whole{std::string(uri)};
    if (at == uri.npos) return whole;
    std::string_view number = uri.substr(at + kPart.size());
    std::size_t part = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), part);
    if (error != std::errc() || end != number.data() + number.size() || part == 0) return whole;
    return {std::string(uri.substr(0, at)), part};
}

std::optional<ResourceAddress> parse_address(std::string_view uri) {
    if (!uri.starts_with(kResourceScheme)) return std::nullopt;
    std::string whole = part_of(uri).uri;
    std::vector<std::string> parts = split(std::string_view(whole).substr(kResourceScheme.size()), '/');
    for (const Form& form : kForms) {
        if (parts.front() != form.first) continue;
        if (auto address = read_as(form, parts)) return address;
    }
    return std::nullopt;
}

std::string to_uri(const ResourceAddress& address) {
    const Form& form = *std::ranges::find(kForms, address.kind, &Form::kind);
    std::string uri = std::string(kResourceScheme) + std::string(form.first);
    if (form.session) uri += "/" + session_part(address.session);
    if (form.page) uri += "/" + percent_encode(address.page);
    if (form.item) uri += "/" + percent_encode(address.item);
    return form.last.empty() ? uri : uri + "/" + std::string(form.last);
}

}  // namespace tools
