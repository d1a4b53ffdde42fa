#include "session/session_log.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "util/strings.h"

namespace session {
namespace {

// The text of each "### Title" section.
std::map<std::string, std::string, std::less<>> read_sections(std::string_view answer) {
    constexpr std::string_view kMark = "### ";
    std::map<std::string, std::string, std::less<>> sections;
    std::string title, content;
    auto finish = [&] {
        if (!title.empty()) sections[title] = trim(content);
        content.clear();
    };
    for (const std::string& line : split(answer, '\n')) {
        if (line.starts_with(kMark)) {
            finish();
            title = line.substr(kMark.size());
        } else {
            content += line + "\n";
        }
    }
    finish();
    return sections;
}

// The text within its ``` fence, if it has one.
std::string unfenced(std::string text) {
    if (!text.starts_with("```")) return text;
    text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
    if (text.ends_with("```")) text.erase(text.size() - 3);
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

void add_snapshot(json::object& result, const std::string& section, const Workspace& workspace) {
    constexpr std::string_view kLink = "- [Snapshot](";
    if (!section.starts_with(kLink)) {
        result["inlineSnapshot"] = unfenced(section);
        return;
    }
    std::filesystem::path file = section.substr(kLink.size(), section.find(')') - kLink.size());
    // Page text may look like a section of ours; it cannot make us read files outside of the workspace.
    if (auto text = workspace.read(workspace.root() / file)) result["snapshot"] = std::move(*text);
}

}  // namespace

Result<SessionLog> SessionLog::create(const Workspace& workspace, const SessionOptions& options) {
    auto since =
        std::chrono::duration_cast<std::chrono::milliseconds>(options.now().time_since_epoch()).count();
    std::filesystem::path folder = workspace.output_dir() / ("session-" + std::to_string(since));
    TRY(workspace.make_directory(folder));
    if (options.announce) options.announce("Session: " + folder.string());
    return SessionLog(folder / "session.md");
}

void SessionLog::add(std::string_view tool, const json::value& arguments, std::string_view answer,
                     bool is_error, const json::array& attachments, const Workspace& workspace,
                     const Redactor& hidden) const {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kBefore = {{
        {"result", "Result"},
        {"error", "Error"},
        {"code", "Ran Playwright code"},
        {"tabs", "Open tabs"},
        {"page", "Page"},
    }};
    auto sections = read_sections(answer);
    json::object result;
    auto add_section = [&](std::string_view key, std::string_view title) {
        if (auto it = sections.find(title); it != sections.end())
            result[key] = key == "code" ? unfenced(it->second) : it->second;
    };
    for (const auto& [key, title] : kBefore) add_section(key, title);
    if (auto it = sections.find("Snapshot"); it != sections.end())
        add_snapshot(result, it->second, workspace);
    add_section("events", "Events");
    add_section("modalState", "Modal state");
    if (!hidden.empty()) result = hidden.redact_all(std::move(result)).as_object();
    if (is_error) result["isError"] = true;
    if (!attachments.empty()) result["attachments"] = attachments;
    std::string text = "\n### Tool call: " + std::string(tool) + "\n- Args\n```json\n" +
                       json::pretty(arguments) + "\n```\n- Result\n```json\n" + json::pretty(result) +
                       "\n```\n";
    (void)workspace.append(file_, text);
}

}  // namespace session
