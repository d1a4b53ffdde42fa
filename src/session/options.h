// How a session's calls behave, as plain typed fields; main.cc fills them from the configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/browser.h"
#include "engine/code_runner.h"
#include "session/budget.h"
#include "session/video_encoder.h"

namespace session {

// The enumerators stand in the order of the configuration's choices.
enum class Codegen { TypeScript, Python, Java, CSharp, None };
enum class SnapshotMode { Full, None };
enum class SnapshotDelivery { File, Inline, Both };
enum class ImageResponses { Allow, Omit, Only };
enum class FilePaths { Relative, Absolute };
enum class ConsoleLevel { Error, Warning, Info, Debug };

// An event of a session's tab.
enum class TabEvent { Opened, Navigated, Loaded, Closed, ToolsChanged, Changed, Logged, Requested, GotFile };

// Records every tab as a video, from its first moment to its last.
struct RecordVideo {
    std::filesystem::path directory = {};  // absolute; empty: the output directory
    VideoFormat format = {};
};

// Records the network of every tab in a HAR file, like Playwright's recordHar.
struct RecordHar {
    enum class Content { Omit, Embed, Attach };

    std::filesystem::path file;  // absolute; set by the operator. Further sessions add -1, -2, … to its name
    Content content = Content::Embed;
    std::string url_filter = {};  // a glob; empty: all
    std::string creator_version = {};
    std::shared_ptr<std::size_t> files = std::make_shared<std::size_t>(0);  // of all sessions
};

struct SessionOptions {
    Codegen codegen = Codegen::TypeScript;
    std::chrono::milliseconds action_timeout{5'000};       // zero: no limit
    std::chrono::milliseconds navigation_timeout{60'000};  // zero: no limit
    std::chrono::milliseconds expect_timeout{5'000};       // of the testing tools; zero: no limit
    std::chrono::milliseconds settle_timeout{500};
    std::string base_url = {};    // for relative addresses; empty: none
    std::string stuck_tool = {};  // a tool that never ends, to test the watchdog
    SnapshotMode snapshot_mode = SnapshotMode::Full;
    bool snapshot_boxes = false;
    // Inline puts automatic snapshots of up to `snapshot_inline_limit` bytes into the answer.
    SnapshotDelivery snapshot_delivery = SnapshotDelivery::File;
    std::size_t snapshot_inline_limit = 65'536;
    ImageResponses image_responses = ImageResponses::Allow;
    FilePaths file_paths = FilePaths::Relative;
    ConsoleLevel console_level = ConsoleLevel::Info;  // least severe message that goes to the log file
    std::map<std::string, std::string> secrets = {};  // values by name
    std::map<std::string, std::string> hidden = {};   // the same, only to be redacted
    std::map<std::string, std::vector<std::string>> secret_origins = {};  // where some of them may be typed
    std::vector<std::string> redact_url_params = {};                      // whose values answers do not show
    std::filesystem::path working_directory = {};  // the workspace until the client names one; absolute
    std::filesystem::path output_dir = {};         // empty: .playwright-mcp in the workspace
    std::optional<std::uint64_t> output_max_size = {};
    std::filesystem::path trimmed_directory = {};  // for output_max_size; empty: the output directory
    bool allow_unrestricted_file_access = false;
    bool own_folder = false;     // the working directory is one client's: created when needed, no links in it
    bool for_same_user = false;  // clients on the network may not use it
    bool trusts_roots = true;    // the client's roots become its workspace
    std::vector<std::string> writable_dot_names = {};  // writable names with a leading dot; "*": all
    // For files that have no other place. Empty: in the state directory.
    std::filesystem::path private_directory = {};
    // The directory whose browser profile is used. Empty: the workspace.
    std::filesystem::path profile_directory = {};
    bool mark_untrusted = false;                          // texts of pages are marked as such in files, too
    std::optional<std::size_t> max_screenshot_size = {};  // in bytes
    // Whether an agent may open an address. Empty: any that is not on the disk.
    std::function<Result<void>(const std::string& url)> may_visit = {};
    // Called when an action of a page is refused.
    std::function<void(const std::string& what)> warn = {};
    // Called with the text for a password field, before it is typed.
    std::function<void(const std::string& text)> password_typed = {};
    // Called when a rule about files, addresses or secrets stops the agent.
    std::function<void(const std::string& what, const std::string& rule)> denied = {};
    // The rule that kept the browser from opening a page; nothing when none did.
    std::function<std::optional<std::string>(const std::string& url)> why_denied = {};
    // The reason why an address was unreachable, where the browser's own error is about our proxy: worded as
    // without a proxy. Nothing when there was none.
    std::function<std::optional<std::string>(const std::string& url)> why_unreachable = {};
    // Whether calls of other sessions run in the same context. Empty: the context is the session's own.
    std::function<bool()> others_are_busy = {};
    bool page_tools = true;  // tools that pages offer are offered to agents
    bool save_session = false;
    std::optional<RecordVideo> record_video = {};
    std::optional<RecordHar> record_har = {};
    Budget budget = {};
    bool tab_ids = false;          // tabs are shown with their ids
    bool auto_assign_tab = false;  // a tab is opened and announced before the first call is answered
    bool shared_context = false;   // others use the same browser context, so it cannot be closed
    // Creates the runner of Playwright code on the pages of a context, for a workspace. Empty: there is none.
    std::function<std::shared_ptr<engine::CodeRunner>(const std::shared_ptr<engine::Context>& context,
                                                      const std::filesystem::path& workspace)>
        code_runner = {};
    std::filesystem::path downloads_path = {};          // second place for finished downloads; empty: none
    std::vector<std::filesystem::path> init_page = {};  // modules that are given each new page
    // Called with each event of a tab, by the tab's id.
    std::function<void(const std::string& tab, TabEvent event)> tab_event = {};
    // Called with one line for the person who started the server: where the session log is.
    std::function<void(std::string_view)> announce = {};
    // The time of day; the system's unless a test sets it.
    std::function<std::chrono::system_clock::time_point()> now = &std::chrono::system_clock::now;
};

}  // namespace session
