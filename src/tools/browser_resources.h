// A session's pages, pictures and files by URI: playwright:///page/default/ABC.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tools/history.h"
#include "tools/resource.h"
#include "tools/sessions.h"

namespace tools {

struct BrowserResourcesContext {
    SessionCatalog sessions;
    HistoryCatalog history;
};

// Lists and reads only the caller's own sessions. Neither opens a browser nor wakes a session.
std::shared_ptr<ResourceProvider> browser_resources(BrowserResourcesContext context);

}  // namespace tools
