// Runs code written for another automation library against the pages of a context.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/page.h"

namespace engine {

// Owned by a session. Lives on the main loop.
class CodeRunner {
public:
    virtual ~CodeRunner() = default;

    // Calls a function with the library's page object. Returns its value as JSON, nothing for undefined.
    // Dropping the Task stops the running code, unless a dialog of the page blocks it.
    virtual Task<std::optional<std::string>> run(std::shared_ptr<Page> page, std::string code,
                                                 Deadline deadline) = 0;
    // Calls the module's default export with {page}. Returns the names of the page object's own methods that
    // it replaced.
    virtual Task<std::vector<std::string>> initialize(std::shared_ptr<Page> page,
                                                      std::filesystem::path module, Deadline deadline) = 0;
    // The page now belongs to another session: no code can reach it any more, not even running code.
    virtual void leave(const Page& page) = 0;
};

}  // namespace engine
