// Sets the files of an <input type=file>, through a chooser or the element itself.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/cdp/connection.h"

namespace cdp {

// Replaces the input's files, and waits until the page was notified; an empty list clears them. `node` names
// the input: {"objectId": …} or {"backendNodeId": …}. Fails with InvalidArgument, leaving the input
// unchanged, for several files if it takes one, for files if it takes a directory, and vice versa.
Task<> put_files(std::shared_ptr<Session> session, json::object node,
                 std::vector<std::filesystem::path> files);

}  // namespace cdp
