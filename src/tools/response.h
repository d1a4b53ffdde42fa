// The answer of a browser tool. Handlers say what happened; this code decides how it is printed, trimmed and
// redacted.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "session/session.h"
#include "tools/codegen.h"
#include "tools/content.h"

namespace tools {

// A snapshot that the agent asked for, as opposed to an automatic one.
struct SnapshotRequest {
    std::string file = {};                       // empty: into the answer
    std::shared_ptr<engine::Element> root = {};  // null: the whole page
    std::optional<int> depth = {};
    std::optional<bool> boxes = {};  // unset: the session's setting
};

// An output file for the agent, and its name in answers.
struct OutputFile {
    std::filesystem::path path;
    std::string shown;
};

// Builds the answer to one call.
class Response {
public:
    // Keeps references to both until finish() is done. A call that has one tab to itself passes that tab.
    Response(session::Session& session, const json::value& arguments,
             std::shared_ptr<session::Tab> acting = nullptr)
        : session_(session), arguments_(arguments), acting_(std::move(acting)) {}

    // The tab that the call acts in: its own, or the session's current one; null without a tab.
    std::shared_ptr<session::Tab> tab() const;
    // The same, created when missing.
    Task<std::shared_ptr<session::Tab>> ensure_tab();

    // The raw arguments, for the few handlers that need more than their Params.
    const json::value& arguments() const { return arguments_; }

    void add_text(std::string text) { results_.push_back(std::move(text)); }
    // Sets isError; the other sections are shown as well.
    void add_error(std::string text) { errors_.push_back(std::move(text)); }
    // A line of JavaScript, whatever the session's language.
    void add_code(std::string line) { code_.push_back(std::move(line)); }
    void add_action(const Action& action) { code_.push_back(to_code(action, session_.options().codegen)); }

    // A text for the answer, or for the file that the agent named.
    Result<void> add_result(std::string_view title, std::string text, const session::FileName& name);
    // The path for an output file. The answer mentions the file only once it is written.
    Result<OutputFile> output_file(const session::FileName& name) const;
    Result<void> add_file(std::string_view title, const OutputFile& file, std::string_view bytes);
    // Writes without a link. Marks a text that contains words of the page as untrusted when that is
    // configured.
    Result<void> write_text(const OutputFile& file, std::string text);
    // The same for texts of any length: does not block the loop for long ones.
    Task<> write_long_text(OutputFile file, std::string text);
    Result<void> write(const OutputFile& file, std::string_view bytes);
    // Shows the session's tabs as the result.
    void list_tabs() { lists_tabs_ = true; }
    void add_image(Image image) { images_.push_back(std::move(image)); }

    // The page as it is when everything is done, unless the session was set up without snapshots.
    void include_snapshot();
    void include_snapshot(SnapshotRequest request);

    // JSON in place of all sections, for tools that programs call; nothing about the page is added.
    void answer(json::value structured) { structured_ = std::move(structured); }
    void answer_error(const Error& error, json::object context = {});

    // The session gives its browser back once the answer is made.
    void close_browser() { closes_browser_ = true; }
    bool closes_browser() const { return closes_browser_; }

    // Reads the tabs and prints everything. Call once only.
    Task<ToolResult> finish();

private:
    friend ToolResult failed_as_json(session::Session& session, const Error& error,
                                     std::shared_ptr<session::Tab> acting);

    struct Section {
        std::string title;
        std::vector<std::string> lines;
        std::string fence = {};

        std::size_t size() const;
        // The size of its text in a message.
        std::size_t wire_size() const;
    };
    enum class Snapshot { None, Automatic, Requested };

    Task<std::vector<session::TabHeader>> read_headers(bool& changed);
    // JSON that is ready to be sent, as text and as structured content.
    struct Printed {
        json::value answer;
        std::string text;
        std::size_t size = 0;  // of both in a message
    };
    static Printed print(json::value answer, const Redactor& redactor);
    json::value begin_structured();
    ToolResult end_structured(Printed printed);
    Task<ToolResult> finish_structured();
    // response_limit.cc: moves what exceeds the size limit to files, or leaves it out.
    Task<> keep_within_limit();
    Task<Section> left_out(Section section, std::size_t limit);
    Task<json::value> leave_out(Printed printed, std::size_t limit);
    Task<std::string> printed();
    Task<> add_page_sections();
    void note_page(const std::vector<session::TabHeader>& headers,
                   const std::optional<std::string>& snapshot);
    Result<void> add_snapshot_section(std::string snapshot);
    void add_section(std::string title, std::vector<std::string> lines, std::string fence = {});
    static std::string print(const std::vector<Section>& sections);

    session::Session& session_;
    const json::value& arguments_;
    std::shared_ptr<session::Tab> acting_;  // null: the call has the whole session
    std::vector<std::string> errors_, results_, code_;
    std::vector<Image> images_;
    std::vector<ResourceLink> links_;
    bool lists_tabs_ = false;
    std::optional<std::vector<session::TabHeader>> headers_;  // already read
    Snapshot snapshot_ = Snapshot::None;
    SnapshotRequest request_;
    std::optional<json::value> structured_;
    bool structured_error_ = false;
    bool closes_browser_ = false;
    std::vector<Section> sections_;
    std::set<std::filesystem::path> written_;
    std::shared_ptr<PageNote> note_ = std::make_shared<PageNote>();
};

// "- 0: (current) [title](url)", one line for each tab.
std::vector<std::string> to_lines(const std::vector<session::TabHeader>& tabs);

// Adds what the tabs have logged and loaded since the previous answer, and the address of the current page.
// When the call has one tab to itself, leaves out tabs that belong to other calls.
void note_activity(const session::Session& session, PageNote& note, const session::Tab* acting = nullptr);

// The answer to a call that failed.
ToolResult failed(session::Session& session, const Error& error, const session::Tab* acting = nullptr);
ToolResult failed_as_json(session::Session& session, const Error& error,
                          std::shared_ptr<session::Tab> acting = nullptr);

}  // namespace tools
