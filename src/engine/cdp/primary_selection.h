// The primary selection: what was selected last, which a middle click pastes. A browser has one for all of
// its contexts, and it is the desktop's where there is one.
#pragma once

#include <memory>
#include <string_view>

#include "engine/types.h"
#include "util/result.h"

namespace cdp {

class Context;

// Settings of Chromium's --blink-settings, with which browsers of ours neither write nor paste it.
inline constexpr std::string_view kNoPrimarySelection =
    "selectionClipboardBufferAvailable=false,middleClickPasteAllowed=false";

// Fails for the middle button where it could paste what another context has selected: in a browser that
// another program started without these settings.
Result<void> check_button(const Context* context, engine::MouseButton button);

}  // namespace cdp
