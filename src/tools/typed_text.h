// What is typed for a text that may be the name of a secret.
#pragma once

#include "session/session.h"

namespace tools {

struct TypedText {
    std::string text;
    bool is_secret = false;
};

// PolicyDenied for a secret that is not for the page's origin, or not for that of the element's own frame.
Task<TypedText> text_to_type(session::Tab& tab, std::string text, std::shared_ptr<engine::Element> element);

}  // namespace tools
