#include "record/answer_shape.h"

#include <algorithm>

#include "record/answer_text.h"
#include "store/diff.h"

namespace record {
namespace {

using tools::Text;
using tools::ToolResult;

// A mostly new page is easier to read whole.
bool is_worth_it(std::string_view delta, std::string_view snapshot) {
    return delta.size() < snapshot.size() - snapshot.size() / 5;
}

std::string how_to_get_it(const Reference& reference) {
    return reference.ref_id.empty() ? "browser_snapshot shows it, with depth or target only a part."
                                    : "All of it: get_content with ref_id \"" + reference.ref_id + "\".";
}

std::string fenced(std::string_view snapshot) {
    while (snapshot.ends_with('\n')) snapshot.remove_suffix(1);
    return "### Snapshot\n```yaml\n" + std::string(snapshot) + "\n```";
}

// The text with its snapshot replaced, and the reason.
std::string with_snapshot(const Cut& cut, std::string_view text, const SnapshotSection& section,
                          std::string_view snapshot, std::string_view why) {
    return std::string(text.substr(0, section.begin)) + fenced(snapshot) +
           std::string(text.substr(section.end)) + "\n### Left out\n- " + std::string(why) + " " +
           how_to_get_it(cut.reference);
}

ToolResult with_text(const ToolResult& result, std::string text) {
    ToolResult changed{.is_error = result.is_error, .trusted = result.trusted};
    for (const tools::Content& content : result.content) {
        if (!std::holds_alternative<Text>(content))
            changed.content.push_back(content);
        else if (!text.empty())
            changed.content.emplace_back(Text{std::exchange(text, {})});
    }
    return changed;
}

const std::string* whole_snapshot(const ToolResult& result) {
    return result.page && result.page->snapshot && result.page->whole_page ? &*result.page->snapshot
                                                                           : nullptr;
}

std::optional<ToolResult> delta(const Cut& cut, std::string_view text, const SnapshotSection& section) {
    const std::string* snapshot = whole_snapshot(cut.result);
    if (!snapshot || !cut.before) return std::nullopt;
    std::string changes = store::render_delta(*cut.before, *snapshot);
    if (changes.empty()) {
        std::size_t lines = store::split_lines(*snapshot).size();
        changes = "# " + std::to_string(lines) + (lines == 1 ? " line" : " lines") + " unchanged";
    }
    if (!is_worth_it(changes, *snapshot)) return std::nullopt;
    return with_text(cut.result, with_snapshot(cut, text, section, changes,
                                               "What has not changed since the answer before."));
}

std::optional<ToolResult> outline(const Cut& cut, std::string_view text, const SnapshotSection& section,
                                  std::size_t max_chars) {
    if (!cut.result.page || !cut.result.page->snapshot) return std::nullopt;
    constexpr std::string_view kWhy = "The lower levels of the page.";
    constexpr std::size_t kMinOutlineLength = 200;
    std::size_t rest = with_snapshot(cut, text, section, "", kWhy).size();
    if (rest + kMinOutlineLength > max_chars) return std::nullopt;
    std::string upper = store::render_outline(*cut.result.page->snapshot, max_chars - rest);
    return with_text(cut.result, with_snapshot(cut, text, section, upper, kWhy));
}

// The whole result with the snapshot of its file put into the answer, when it fits.
std::optional<ToolResult> inlined(const Cut& cut, std::string_view text, const SnapshotSection& section) {
    const std::string* snapshot = whole_snapshot(cut.result);
    if (!snapshot || !section.snapshot.empty()) return std::nullopt;
    return with_text(cut.result, std::string(text.substr(0, section.begin)) + fenced(*snapshot) +
                                     std::string(text.substr(section.end)));
}

ToolResult reference_to(const Cut& cut, std::size_t left_out) {
    json::object data = describe(cut.reference, cut.result);
    if (left_out > 0) {
        data["left_out"] = std::to_string(left_out) + " characters. " + how_to_get_it(cut.reference);
    }
    ToolResult result{.is_error = cut.result.is_error};
    result.content.emplace_back(Text{json::serialize(data)});
    // Clients check the result against the tool's schema.
    if (cut.result.structured) {
        result.structured = json::object{{"success", true}, {"data", data}};
    }
    return result;
}

}  // namespace

std::optional<Mode> mode_of(std::string_view word) {
    if (word == "full") return Mode::Full;
    if (word == "ref") return Mode::Ref;
    if (word == "delta") return Mode::Delta;
    return std::nullopt;
}

json::object describe(const Reference& reference, const ToolResult& result) {
    json::object data{{"ref_id", reference.ref_id},
                      {"session_id", reference.session_id},
                      {"status", result.is_error ? "error" : "success"},
                      {"timestamp", reference.timestamp},
                      {"tool", reference.tool}};
    const tools::PageNote none;
    const tools::PageNote& page = result.page ? *result.page : none;
    auto errors =
        std::ranges::count(page.console, tools::NotedMessage::Level::Error, &tools::NotedMessage::level);
    data["has_snapshot"] = page.snapshot.has_value();
    data["has_console_logs"] = !page.console.empty();
    data["console_error_count"] = errors;
    if (!page.url.empty()) data["page_url"] = page.url;
    if (!page.title.empty()) data["page_title"] = page.title;
    constexpr std::size_t kMaxErrorLength = 1'000;
    if (result.is_error) data["error"] = text_of(result).substr(0, kMaxErrorLength);
    return data;
}

Shaped shape(const Cut& cut, const Wanted& wanted) {
    // Programs depend on the error's code, and the answer is short.
    if (cut.result.structured && cut.result.is_error) return {};
    if (wanted.mode == Mode::Ref) return {reference_to(cut, 0), false};
    std::size_t limit = wanted.max_chars.value_or(std::string::npos);
    std::string text = text_of(cut.result);
    auto section = find_snapshot(text);
    if (wanted.mode == Mode::Delta && section) {
        auto smaller = delta(cut, text, *section);
        if (!smaller) smaller = inlined(cut, text, *section);
        if (smaller && text_size(*smaller) <= limit) return {std::move(smaller)};
    }
    if (text.size() <= limit) return {};
    if (section) {
        auto smaller = delta(cut, text, *section);
        if (smaller && text_size(*smaller) <= limit) return {std::move(smaller)};
        smaller = outline(cut, text, *section, limit);
        if (smaller && text_size(*smaller) <= limit) return {std::move(smaller), false};
    }
    return {reference_to(cut, text.size()), false};
}

}  // namespace record
