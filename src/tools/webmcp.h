// Tools that pages offer (WebMCP), as tools of this server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/session_param.h"
#include "tools/sessions.h"
#include "tools/tab_tool.h"

namespace tools {

// Only names of page tools start with this prefix.
inline constexpr std::string_view kPageToolPrefix = "webmcp_";

// The tools of the current tabs of the caller's sessions: of its own session, or of the session that its call
// names, and when the caller may name sessions, of all of its known ones. A tool that several sessions offer
// is listed once, and a call names the session.
std::vector<std::shared_ptr<const Tool>> page_tools_of(const SessionCatalog& catalog,
                                                       const SessionResolver& sessions,
                                                       const SessionParamOptions& param, Caller caller);

// The lines above a snapshot that list the page's tools; empty when it has none.
std::string page_tool_lines(const std::vector<engine::PageTool>& tools);

}  // namespace tools
