// browser.contextOptions.recordHar, as Playwright writes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "util/json.h"
#include "util/result.h"

namespace config {

struct RecordHarConfig {
    enum class Content { Omit, Embed, Attach };

    std::filesystem::path path;  // relative to the working directory
    Content content = Content::Embed;
    std::string url_filter;  // a glob; empty: all
};

// Null means none. The error names the invalid part.
Result<std::optional<RecordHarConfig>> read_record_har(const json::value& given);

}  // namespace config
