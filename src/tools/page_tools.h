// Tools that pages offer (WebMCP), as tools of ours.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/page_tool.h"
#include "tools/session_param.h"
#include "tools/sessions.h"

namespace tools {

// Every tool of a page has a name that begins so; nothing else has.
inline constexpr std::string_view kPageToolPrefix = "webmcp_";

// Those of the current tabs of the caller's sessions: of the one that it has without naming one, or that its
// call names, and where it may name sessions, of all that are known to be its own. What several offer is
// listed once, and a call says which session it means.
std::vector<std::shared_ptr<const Tool>> page_tools_of(const SessionCatalog& catalog,
                                                       const Sessions& sessions,
                                                       const SessionParamOptions& param, Caller caller);

// The lines above a snapshot that say which there are; empty without any.
std::string page_tool_lines(const std::vector<engine::PageTool>& tools);

}  // namespace tools
