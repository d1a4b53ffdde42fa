// What was typed into a session's password fields: kept out of the record, of traces and of the log.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "util/redactor.h"

namespace session {

class TypedPasswords {
public:
    // Of very many, the oldest is forgotten.
    void add(std::string text);
    // Whether it is long enough to be told from other text.
    static bool is_distinct(std::string_view text) { return text.size() >= 4; }
    // Whether exactly this was typed.
    bool holds(std::string_view text) const;
    // Finds those that are distinct.
    const Redactor& redactor() const { return redactor_; }

private:
    std::deque<std::string> texts_;
    Redactor redactor_;
};

}  // namespace session
