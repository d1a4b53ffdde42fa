// Tools that pages offer (WebMCP), as tools of ours.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/page_tool.h"
#include "tools/sessions.h"

namespace tools {

// Every tool of a page has a name that begins so; nothing else has.
inline constexpr std::string_view kPageToolPrefix = "webmcp_";

// Those of the current tab of the session that the caller has without naming one.
std::vector<std::shared_ptr<const Tool>> page_tools_of(const SessionCatalog& catalog,
                                                       const Sessions& sessions, const Caller& caller);

// The lines above a snapshot that say which there are; empty without any.
std::string page_tool_lines(const std::vector<engine::PageTool>& tools);

}  // namespace tools
