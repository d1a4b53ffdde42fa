// Our JavaScript that runs inside web pages, embedded when we build.
#pragma once

#include <string>
#include <string_view>

namespace page {

// All scripts of this folder in one text. Evaluated once in an isolated world, it leaves the object `troupe` there.
std::string_view script();
// hooks/timers.js, for the page's own world.
std::string_view timers_script();

}  // namespace page
