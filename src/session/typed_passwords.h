// The texts of a session's password fields: kept out of the record, of traces and of the log.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "util/redactor.h"

namespace session {

class TypedPasswords {
public:
    // Forgets the oldest when there are too many.
    void add(std::string text);
    // Texts that a page showed in such fields. They do not make it forget typed ones.
    void add_shown(std::vector<std::string> texts);
    // Whether the text is long enough to be told from other text.
    static bool is_distinct(std::string_view text) { return text.size() >= 4; }
    // Whether exactly this was typed or shown.
    bool holds(std::string_view text) const;
    // Finds the distinct texts.
    const Redactor& redactor() const { return redactor_; }

private:
    void build_redactor();

    std::deque<std::string> typed_, shown_;
    Redactor redactor_;
};

}  // namespace session
