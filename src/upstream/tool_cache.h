// What a server offered when it was last asked, so that ours need not start it to know.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "util/json.h"

namespace upstream {

// Each as the server described it.
struct Offerings {
    json::object server;  // its name and version, as its handshake had them
    std::vector<json::object> tools = {}, prompts = {}, resources = {}, templates = {};
};

// What is kept in `file`; nothing when there is nothing that can be used.
std::optional<Offerings> read_offerings(const std::filesystem::path& file);
// Keeps it there. A place that cannot be written costs only the next start its head start.
void write_offerings(const std::filesystem::path& file, const Offerings& offerings);

}  // namespace upstream
