// Files that answers link to, for clients that cannot read our disk.
#pragma once

#include <filesystem>
#include <memory>

#include "tools/page_tool.h"
#include "tools/resource.h"

namespace tools {

// How a file of the output directory is named to a client; nothing for other files.
std::optional<ResourceLink> output_link(const session::Workspace& workspace,
                                        const std::filesystem::path& file);
// Reads those of the caller's own session.
std::shared_ptr<ResourceProvider> output_resources(Sessions sessions);

}  // namespace tools
