// What a call saw of its page: for the record, never for the answer.
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
    int status = 0;  // zero: no answer came
    std::string status_text, mime_type, failure;
    std::chrono::milliseconds duration{};
};

struct PageNote {
    std::string url, title;
    std::optional<std::string> snapshot;  // secrets redacted, as the answer has it or links to it
    bool whole_page = true;               // not only a part, or only the upper levels
    std::vector<NotedMessage> console;    // what pages logged since the answer before
    std::vector<NotedRequest> requests;   // and which of their requests have ended since
    // What was typed into password fields; null: not known.
    std::shared_ptr<const session::TypedPasswords> passwords = {};
};

}  // namespace tools
