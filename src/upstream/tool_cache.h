// Caches a server's lists, so that we need not start it to know them.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "util/json.h"

namespace upstream {

// Every entry is as the server described it.
struct Offerings {
    json::object server;  // its name and version from the handshake
    std::vector<json::object> tools = {}, prompts = {}, resources = {}, templates = {};
};

// Reads the lists from `file`; returns nothing when there are none that can be used.
std::optional<Offerings> read_offerings(const std::filesystem::path& file);
// Stores the lists there. If the file cannot be written, only the next start is slower.
void write_offerings(const std::filesystem::path& file, const Offerings& offerings);

}  // namespace upstream
