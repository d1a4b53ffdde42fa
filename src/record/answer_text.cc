#include "record/answer_text.h"

namespace record {
namespace {

constexpr std::string_view kTitle = "### Snapshot\n", kFence = "```yaml\n", kFenceEnd = "\n```";

bool begins_line(std::string_view text, std::size_t at) { return at == 0 || text[at - 1] == '\n'; }

std::string_view line_at(std::string_view text, std::size_t at) {
    return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

// The text after the first line that begins with `label`.
std::string value_of(std::string_view text, std::string_view label) {
    for (std::size_t at = text.find(label); at != text.npos; at = text.find(label, at + 1)) {
        if (begins_line(text, at)) return std::string(line_at(text, at + label.size()));
    }
    return {};
}

std::optional<SnapshotSection> section_at(std::string_view text, std::size_t begin) {
    SnapshotSection section{.begin = begin};
    std::size_t at = begin + kTitle.size();
    bool links = text.substr(at).starts_with("- [Snapshot](");
    if (links) at = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.substr(at).starts_with(kFence)) {
        std::size_t first = at + kFence.size();
        // An empty snapshot's fence ends on the line after it.
        std::size_t last = text.find(kFenceEnd, first - 1);
        if (last == text.npos) return std::nullopt;
        section.end = last + kFenceEnd.size();
        if (last > first) section.snapshot = text.substr(first, last - first);
    } else if (links) {
        section.end = text[at - 1] == '\n' ? at - 1 : at;
    } else {
        return std::nullopt;
    }
    return section;
}

}  // namespace

std::optional<SnapshotSection> find_snapshot(std::string_view text) {
    // Sections with text of the page or the agent come before it.
    for (std::size_t at = text.rfind(kTitle); at != text.npos; at = text.rfind(kTitle, at - 1)) {
        if (begins_line(text, at)) {
            if (auto section = section_at(text, at)) return section;
        }
        if (at == 0) break;
    }
    return std::nullopt;
}

std::string linked_snapshot(std::string_view text) {
    constexpr std::string_view kLink = "- [Snapshot](", kBegin = "page-", kEnd = ".yml";
    auto section = find_snapshot(text);
    if (!section) return {};
    std::string_view line = line_at(text, section->begin + kTitle.size());
    if (!line.starts_with(kLink) || !line.ends_with(')')) return {};
    std::string_view path = line.substr(kLink.size(), line.size() - kLink.size() - 1);
    std::string_view name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || name.size() < kBegin.size() + kEnd.size())
        return {};
    std::string_view time = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    return time.find_first_not_of("0123456789TZ-") == time.npos ? std::string(path) : "";
}

std::shared_ptr<tools::PageNote> read_page(std::string_view text) {
    auto section = find_snapshot(text);
    std::string url = value_of(text, "- Page URL: ");
    if (!section && url.empty()) return nullptr;
    auto page = std::make_shared<tools::PageNote>();
    page->url = std::move(url);
    page->title = value_of(text, "- Page Title: ");
    if (section && !section->snapshot.empty()) page->snapshot = std::string(section->snapshot);
    return page;
}

tools::ToolResult taken_apart(const std::string& result_json) {
    tools::ToolResult result;
    auto parsed = json::parse(result_json);
    const json::object* members = parsed ? parsed->if_object() : nullptr;
    if (!members) return result;
    result.is_error = json::find_bool(*members, "isError").value_or(false);
    const json::array* content = json::find_array(*members, "content");
    for (const json::value& each : content ? *content : json::array{}) {
        const json::object* part = each.if_object();
        if (!part) continue;
        auto text = json::find_string(*part, "text"), data = json::find_string(*part, "data");
        auto type = json::find_string(*part, "type");
        if (type == "text" && text)
            result.content.emplace_back(tools::Text{std::string(*text)});
        else if (type == "image" && data)
            result.content.emplace_back(tools::Image{
                std::string(*data), std::string(json::find_string(*part, "mimeType").value_or(""))});
    }
    return result;
}

std::string text_of(const tools::ToolResult& result) {
    std::string text;
    for (const tools::Content& content : result.content) {
        if (const auto* part = std::get_if<tools::Text>(&content)) text += part->text;
    }
    return text;
}

std::size_t text_size(const tools::ToolResult& result) {
    std::size_t size = 0;
    for (const tools::Content& content : result.content) {
        if (const auto* part = std::get_if<tools::Text>(&content)) size += part->text.size();
    }
    return size;
}

}  // namespace record
