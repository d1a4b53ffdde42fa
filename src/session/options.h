// How a session's calls behave, as plain typed fields; main.cc fills them from the configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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

// What becomes of a session's tab.
enum class TabEvent { Opened, Navigated, Loaded, Closed, ToolsChanged };

// Every tab as a video, from its first moment to its last.
struct RecordVideo {
    std::filesystem::path directory = {};  // absolute; empty: the output directory
    VideoFormat format = {};
};

struct SessionOptions {
    Codegen codegen = Codegen::TypeScript;
    std::chrono::milliseconds action_timeout{5'000};       // zero: no limit
    std::chrono::milliseconds navigation_timeout{60'000};  // zero: no limit
    std::chrono::milliseconds settle_timeout{500};
    std::string stuck_tool = {};  // one that never ends, for tests of what notices that
    SnapshotMode snapshot_mode = SnapshotMode::Full;
    bool snapshot_boxes = false;
    // Inline puts automatic snapshots of up to `snapshot_inline_limit` bytes into the answer.
    SnapshotDelivery snapshot_delivery = SnapshotDelivery::File;
    std::size_t snapshot_inline_limit = 65'536;
    ImageResponses image_responses = ImageResponses::Allow;
    FilePaths file_paths = FilePaths::Relative;
    ConsoleLevel console_level = ConsoleLevel::Info;  // least severe message that goes to the log file
    std::map<std::string, std::string> secrets = {};  // values by name
    std::map<std::string, std::vector<std::string>> secret_origins = {};  // where some of them may be typed
    std::filesystem::path working_directory = {};  // the workspace until the client names one; absolute
    std::filesystem::path output_dir = {};         // empty: .playwright-mcp in the workspace
    std::optional<std::uint64_t> output_max_size = {};
    std::filesystem::path trimmed_directory = {};  // that this limits; empty: the output directory
    bool allow_unrestricted_file_access = false;
    bool own_folder =
        false;  // the working directory is one client's and ours: made when needed, no links in it
    bool for_same_user = false;                        // clients on the network may not use it
    bool trusts_roots = true;                          // the client says where its workspace is
    std::vector<std::string> writable_dot_names = {};  // names with a leading dot that are written; "*": all
    // Where files go that can go nowhere else. Empty: in the state directory.
    std::filesystem::path private_directory = {};
    // Which directory's browser profile is used. Empty: the workspace's.
    std::filesystem::path profile_directory = {};
    bool mark_untrusted = false;                          // texts of pages are marked as that in files, too
    std::optional<std::size_t> max_screenshot_size = {};  // in bytes
    // Whether an agent may open an address. Empty: any that is not on the disk.
    std::function<Result<void>(const std::string& url)> may_visit = {};
    // Told of what a page did that was not let through.
    std::function<void(const std::string& what)> warn = {};
    // Told of what is typed into a password field, before it is.
    std::function<void(const std::string& text)> password_typed = {};
    // Told of what a rule about files, addresses or secrets kept the agent from.
    std::function<void(const std::string& what, const std::string& rule)> denied = {};
    // The rule behind a page that the browser could not open; nothing when there was none.
    std::function<std::optional<std::string>(const std::string& url)> why_denied = {};
    bool page_tools = true;  // tools that pages offer are offered to agents
    bool save_session = false;
    std::optional<RecordVideo> record_video = {};
    Budget budget = {};
    bool tab_ids = false;          // tabs are shown with their ids
    bool auto_assign_tab = false;  // a tab is opened before the first call is answered, and told of
    bool shared_context = false;   // others use the same browser context, so it cannot be closed
    // Makes what runs Playwright code on the pages of a context, for a workspace. Empty: nothing can.
    std::function<std::shared_ptr<engine::CodeRunner>(const std::shared_ptr<engine::Context>& context,
                                                      const std::filesystem::path& workspace)>
        code_runner = {};
    std::vector<std::filesystem::path> init_page = {};  // modules that are given each new page
    // Told what becomes of tabs, by their ids.
    std::function<void(const std::string& tab, TabEvent event)> tab_event = {};
    // Told one line for the person who started the server: where the session log is.
    std::function<void(std::string_view)> announce = {};
    // The time of day; the system's unless a test sets it.
    std::function<std::chrono::system_clock::time_point()> now = &std::chrono::system_clock::now;
};

}  // namespace session
