// Code of another automation library, run against the pages of a context.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/page.h"

namespace engine {

// Lives with a session, on the main loop.
class CodeRunner {
public:
    virtual ~CodeRunner() = default;

    // Calls a function of the library's page object. Gives its value as JSON, nothing for undefined. Dropping
    // the Task ends code that still runs, unless a dialog of the page holds it up.
    virtual Task<std::optional<std::string>> run(std::shared_ptr<Page> page, std::string code,
                                                 Deadline deadline) = 0;
    // Calls what a module exports as default with {page}. Gives the names of the page object's own methods
    // that it has replaced.
    virtual Task<std::vector<std::string>> initialize(std::shared_ptr<Page> page,
                                                      std::filesystem::path module, Deadline deadline) = 0;
    // The page is another session's now: no code reaches it any more, not even what still runs.
    virtual void leave(const Page& page) = 0;
};

}  // namespace engine
