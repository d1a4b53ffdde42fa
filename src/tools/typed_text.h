// What is typed for a text that may be the name of a secret, and how.
#pragma once

#include "session/session.h"

namespace tools {

struct TypedText {
    std::string text;
    bool is_secret = false;
};

// PolicyDenied for a secret that is not for the page's origin, or not for that of the element's own frame.
// What is typed into a field for passwords is kept out of the session's record.
Task<TypedText> text_to_type(session::Tab& tab, std::string text, const engine::Located& found);

// In place of what the element holds. A secret goes into this element and nowhere else.
Task<> fill_text(session::Tab& tab, const TypedText& typed, std::shared_ptr<engine::Element> element,
                 Deadline deadline);
// The same key by key. Other texts than secrets go where the focus moves to, as a user's would.
Task<> type_text(session::Tab& tab, TypedText typed, std::shared_ptr<engine::Element> element,
                 std::chrono::milliseconds delay, Deadline deadline);

// Before a key is pressed wherever the focus is: one that writes into a password is kept out of the record.
Task<> note_key(session::Tab& tab, std::string key, bool is_for_password);

}  // namespace tools
