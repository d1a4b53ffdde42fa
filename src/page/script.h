// The JavaScript that runs inside web pages, embedded when we build.
#pragma once

#include <string>
#include <string_view>

namespace page {

// The scripts of this folder up to snapshot.js as one text. Evaluated once in an isolated world, it creates
// the object `troupe` there.
std::string_view script();
// The remaining scripts, to be evaluated after it: selectors, locators, actions.
std::string_view more_script();
// hooks/activity.js and hooks/peers.js, for the page's own world. The first contains TROUPE_CHANNEL as
// placeholder for the channel's name.
std::string_view activity_script();
std::string_view peers_script();
// hooks/recorder.js, for a world where both of the first two scripts are loaded.
std::string_view recorder_script();

}  // namespace page
