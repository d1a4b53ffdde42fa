// The contents of the record, as plain structs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace store {

// Wall clock time, in milliseconds. A record without one gets the time it is handed in.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;
inline constexpr Time kNow{};

enum class SessionState { Active, Hibernated, Closed, Error };
enum class Status { Success, Error };
enum class Level { Debug, Info, Warn, Error };

std::string_view to_string(SessionState state);
std::string_view to_string(Status status);
std::string_view to_string(Level level);
// Nothing for a word that is none of "debug", "info", "warn", "error".
std::optional<Level> level_of(std::string_view word);

// A session begins, changes its state, or changes its metadata.
struct SessionRecord {
    std::string session_id;
    SessionState state = SessionState::Active;
    std::optional<std::string> metadata = {};  // JSON; unset: unchanged
    // The id of its saved state (Store::save_state); unset: unchanged.
    std::optional<std::string> state_id = {};
    Time timestamp = kNow;
};

struct RequestRecord {
    std::string ref_id;  // a UUID
    std::string session_id;
    std::string tool_name;
    std::string params;           // JSON, secrets redacted
    std::string request_id = {};  // the caller's id for it, unique in its session; may be empty
    Time timestamp = kNow;
};

struct ConsoleMessage {
    Level level = Level::Info;
    std::string message;
    std::string url = {};
    int line = 0;
    int column = 0;
    Time timestamp = kNow;
};

// The answer to a request that was recorded before.
struct ResponseRecord {
    std::string ref_id;
    Status status = Status::Success;
    std::string result = {};  // the exact bytes
    std::optional<std::string> page_snapshot = {};
    std::vector<ConsoleMessage> console_logs = {};
    std::string error_message = {};
    std::string page_url = {};
    std::string page_title = {};
    std::string network = {};  // requests that ended: a JSON array, or empty
    // The request's params, if they were withheld until it was known what may be kept; else unset.
    std::optional<std::string> params = {};
    Time timestamp = kNow;
};

// How far a reader has read a page.
struct Cursor {
    std::string reader;
    std::string ref_id;
    std::string page_key;
    std::int64_t cursor_position = 0;
    std::string last_snapshot_hash = {};  // SHA-256, raw
    Time last_read = kNow;
};

}  // namespace store
