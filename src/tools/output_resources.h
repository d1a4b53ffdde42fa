// Files that answers link to, for clients that cannot read our disk.
#pragma once

#include <filesystem>
#include <memory>

#include "tools/page_tool.h"
#include "tools/resource.h"

namespace tools {

// By its name.
std::string mime_type_of(const std::filesystem::path& file);
// Nothing when it is gone. A link is not followed.
Task<std::optional<std::vector<ResourceContents>>> read_file_resource(
    std::string uri, std::shared_ptr<session::Session> session, std::filesystem::path file);

// How a file of the output directory is named to a client; nothing for other files.
std::optional<ResourceLink> output_link(const session::Workspace& workspace,
                                        const std::filesystem::path& file);
// Reads those of the caller's own session.
std::shared_ptr<ResourceProvider> output_resources(Sessions sessions);

}  // namespace tools
