// A call's observations of its page: for the record, never for the answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace session {
class TypedPasswords;
}

namespace tools {

struct NotedMessage {
    enum class Level { Debug, Info, Warning, Error } level = Level::Info;
    std::string text;
    std::string url;
    int line = 0, column = 0;  // from 0
    std::chrono::system_clock::time_point time;
};

// A request of a page that has ended.
struct NotedRequest {
    std::string method, url, resource_type;
    int status = 0;  // zero: no response
    std::string status_text, mime_type, failure;
    std::chrono::milliseconds duration{};
};

struct PageNote {
    std::string url, title;
    std::optional<std::string> snapshot;  // secrets redacted, as in the answer or the file that it links to
    bool whole_page = true;               // false: only a part, or only the upper levels
    std::vector<NotedMessage> console;    // messages that pages logged since the previous answer
    std::vector<NotedRequest> requests;   // requests of those pages that ended since then
    // The texts typed into password fields; null: unknown.
    std::shared_ptr<const session::TypedPasswords> passwords = {};
};

}  // namespace tools
