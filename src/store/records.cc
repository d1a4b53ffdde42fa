#include "store/records.h"

namespace store {

std::string_view to_string(SessionState state) {
    switch (state) {
        case SessionState::Active:
            return "active";
        case SessionState::Hibernated:
            return "hibernated";
        case SessionState::Closed:
            return "closed";
        case SessionState::Error:
            return "error";
    }
    return "error";
}

std::string_view to_string(Status status) { return status == Status::Success ? "success" : "error"; }

std::string_view to_string(Level level) {
    switch (level) {
        case Level::Debug:
            return "debug";
        case Level::Info:
            return "info";
        case Level::Warn:
            return "warn";
        case Level::Error:
            return "error";
    }
    return "info";
}

std::optional<Level> level_of(std::string_view word) {
    for (Level level : {Level::Debug, Level::Info, Level::Warn, Level::Error}) {
        if (word == to_string(level)) return level;
    }
    return {};
}

}  // namespace store
