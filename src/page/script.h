// Our JavaScript that runs inside web pages, embedded when we build.
#pragma once

#include <string>
#include <string_view>

namespace page {

// The scripts of this folder up to snapshot.js in one text. Evaluated once in an isolated world, it leaves
// the object `troupe` there.
std::string_view script();
// The others, to be evaluated after it: selectors, locators, actions.
std::string_view more_script();
// hooks/activity.js and hooks/peers.js, for the page's own world. The first has TROUPE_CHANNEL where the name
// of the channel belongs.
std::string_view activity_script();
std::string_view peers_script();
// hooks/recorder.js, for a world that has both of the above.
std::string_view recorder_script();

}  // namespace page
