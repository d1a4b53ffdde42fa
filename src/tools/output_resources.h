// Files that answers link to, for clients that cannot read the server's disk.
#pragma once

#include <filesystem>
#include <memory>

#include "tools/resource.h"
#include "tools/tab_tool.h"

namespace tools {

// By the file's extension.
std::string mime_type_of(const std::filesystem::path& file);
// Nothing when the file is gone. Does not follow a link. A file larger than an answer may be is read in
// parts: see PartOfResource.
Task<std::optional<std::vector<ResourceContents>>> read_file_resource(
    std::string uri, std::shared_ptr<session::Session> session, std::filesystem::path file);

// The link that names a file of the output directory to a client; nothing for other files.
std::optional<ResourceLink> output_link(const session::Workspace& workspace,
                                        const std::filesystem::path& file);
// Reads the output files of the caller's own session.
std::shared_ptr<ResourceProvider> output_resources(SessionResolver sessions);

}  // namespace tools
