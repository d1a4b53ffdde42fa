#include "cli/answer_sections.h"

#include <optional>

#include "util/strings.h"

namespace cli {
namespace {

// The position of the section's first line; npos when the answer has no section of that title.
std::size_t find_section(std::string_view answer, std::string_view title, std::size_t from = 0) {
    std::string heading = "### " + std::string(title) + "\n";
    for (std::size_t at = answer.find(heading, from); at != answer.npos; at = answer.find(heading, at + 1)) {
        if (at == 0 || answer[at - 1] == '\n') return at + heading.size();
    }
    return answer.npos;
}

std::vector<std::string> lines_of(std::string_view answer, std::string_view title, std::size_t from) {
    std::size_t begin = find_section(answer, title, from);
    if (begin == answer.npos) return {};
    std::string_view section = answer.substr(begin);
    return split(section.substr(0, section.find("\n### ")), '\n');
}

bool take_back(std::string_view& text, std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.remove_suffix(end.size());
    return true;
}

// "- 0: (current) [title](url) [targetId=t1] [read-only] [crashed]"
std::optional<ListedTab> read_tab(std::string_view line) {
    std::size_t colon = line.find(':');
    if (!line.starts_with("- ") || colon == line.npos || colon == 2) return std::nullopt;
    if (line.substr(2, colon - 2).find_first_not_of("0123456789") != line.npos) return std::nullopt;
    std::string_view rest = trim(line.substr(colon + 1));
    ListedTab tab;
    constexpr std::string_view kCurrent = "(current) ", kId = " [targetId=";
    if (rest.starts_with(kCurrent)) {
        tab.is_current = true;
        rest.remove_prefix(kCurrent.size());
    }
    take_back(rest, " [crashed]");
    take_back(rest, " [read-only]");
    if (std::size_t id = rest.rfind(kId); id != rest.npos && rest.ends_with(']')) {
        tab.id = rest.substr(id + kId.size(), rest.size() - id - kId.size() - 1);
        rest = rest.substr(0, id);
    }
    std::size_t middle = rest.rfind("](");
    if (!rest.starts_with('[') || !rest.ends_with(')') || middle == rest.npos) return std::nullopt;
    tab.title = rest.substr(1, middle - 1);
    tab.url = rest.substr(middle + 2, rest.size() - middle - 3);
    return tab;
}

std::vector<ListedTab> read_tabs(const std::vector<std::string>& lines) {
    std::vector<ListedTab> tabs;
    for (const std::string& line : lines) {
        if (auto tab = read_tab(line)) tabs.push_back(std::move(*tab));
    }
    return tabs;
}

}  // namespace

AnswerSections read_sections(std::string_view answer, ResultShows result) {
    AnswerSections sections;
    std::size_t from = 0;
    std::size_t code = find_section(answer, "Ran Playwright code");
    if (code != answer.npos && answer.substr(code).starts_with("```")) {
        std::size_t begin = answer.find('\n', code), end = answer.find("\n```", begin);
        if (begin != answer.npos && end != answer.npos && end > begin) {
            sections.language = answer.substr(code + 3, begin - code - 3);
            sections.code = answer.substr(begin + 1, end - begin - 1);
            from = end;
        }
    }
    sections.tabs = read_tabs(lines_of(answer, "Open tabs", from));
    if (result == ResultShows::Tabs && sections.tabs.empty())
        sections.tabs = read_tabs(lines_of(answer, "Result", 0));
    sections.shows_page = find_section(answer, "Page", from) != answer.npos;
    for (const std::string& line : lines_of(answer, "Modal state", from)) {
        sections.has_dialog |= line.starts_with("- [\"") && line.contains("\" dialog with message \"");
        sections.has_file_chooser |= line.starts_with("- [File chooser]");
    }
    for (const std::string& line : lines_of(answer, "Events", from)) {
        constexpr std::string_view kBegin = "- Downloading file ", kEnd = " ...";
        if (line.starts_with(kBegin) && line.ends_with(kEnd))
            sections.downloads.push_back(
                line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size()));
    }
    return sections;
}

}  // namespace cli
