// The arguments that the server itself takes out of a call, whichever tool it is for.
#pragma once

#include <string_view>

namespace session {

// The accepted names; the first of each is listed.
inline constexpr std::string_view kSessionArguments[] = {"sessionId", "session_id"};
// They name a tab; the first one given counts.
inline constexpr std::string_view kTabArguments[] = {"targetId", "tabId"};
// How the record answers this call.
inline constexpr std::string_view kResponseArgument = "_response";

}  // namespace session
