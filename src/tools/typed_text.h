// Resolves secrets in a text to type, and types it.
#pragma once

#include "session/session.h"

namespace tools {

struct TypedText {
    std::string text;
    bool is_secret = false;
};

// PolicyDenied when the secret is not allowed for the page's origin, or for the origin of the element's own
// frame. Text typed into a password field is kept out of the session's record.
Task<TypedText> text_to_type(session::Tab& tab, std::string text, const engine::Located& found);

// Replaces the element's text. A secret is typed only into this element.
Task<> fill_text(session::Tab& tab, const TypedText& typed, std::shared_ptr<engine::Element> element,
                 Deadline deadline);
// The same key by key. Texts other than secrets follow the focus, as a user's typing would.
Task<> type_text(session::Tab& tab, TypedText typed, std::shared_ptr<engine::Element> element,
                 std::chrono::milliseconds delay, Deadline deadline);

// Call before a key is pressed in the focused element: a key typed into a password is kept out of the record.
Task<> note_key(session::Tab& tab, std::string key, bool is_for_password);

}  // namespace tools
