// Flags that stand for other options: --browser sets a name and a channel, --vision a capability.
#pragma once

#include "config/option.h"

namespace config {

// "msedge" -> browser.browserName and browser.launchOptions.channel.
Result<std::vector<KeyValue>> expand_browser(const json::value& given,
                                             const std::filesystem::path& directory);
Result<std::vector<KeyValue>> expand_vision(const json::value& given, const std::filesystem::path& directory);
Result<std::vector<KeyValue>> expand_block_service_workers(const json::value& given,
                                                           const std::filesystem::path& directory);
Result<std::vector<KeyValue>> expand_default_timeout(const json::value& given,
                                                     const std::filesystem::path& directory);
Result<std::vector<KeyValue>> expand_persistent_sessions(const json::value& given,
                                                         const std::filesystem::path& directory);
// Reads a dotenv file into `secrets`.
Result<std::vector<KeyValue>> expand_secrets(const json::value& given,
                                             const std::filesystem::path& directory);

}  // namespace config
