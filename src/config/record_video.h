// browser.contextOptions.recordVideo, as Playwright writes it.
#pragma once

#include <filesystem>
#include <optional>

#include "config/size.h"
#include "util/json.h"
#include "util/result.h"

namespace config {

struct RecordVideoConfig {
    std::filesystem::path dir;  // relative to the working directory; empty: the output directory
    std::optional<Size> size;   // unset: scaled down from the viewport
    double fps = 25;
};

// Null means none. The error names the invalid part.
Result<std::optional<RecordVideoConfig>> read_record_video(const json::value& given);

}  // namespace config
