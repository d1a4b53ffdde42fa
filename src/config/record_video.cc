#include "config/record_video.h"

namespace config {
namespace {

constexpr int kMaxSide = 4096;

Error wrong(std::string_view key, std::string_view what) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "browser.contextOptions.recordVideo" + std::string(key) + " must be " +
                            std::string(what) + ".",
                 .hint = R"(Such as {"dir": "videos", "size": {"width": 800, "height": 600}}.)"};
}

Result<Size> read_size(const json::value& given) {
    auto side = [&](std::string_view key) {
        const json::value* value = json::find(given, key);
        auto pixels = value ? json::as_integer(*value) : std::nullopt;
        return pixels && *pixels >= 2 && *pixels <= kMaxSide ? static_cast<int>(*pixels) : 0;
    };
    Size size{side("width"), side("height")};
    if (size.width == 0 || size.height == 0)
        return wrong(".size", "a width and a height of 2 to 4096 pixels");
    return size;
}

}  // namespace

Result<std::optional<RecordVideoConfig>> read_record_video(const json::value& given) {
    const json::object* members = given.if_object();
    if (!members) return std::optional<RecordVideoConfig>();
    RecordVideoConfig video;
    if (const json::value* dir = json::find(*members, "dir")) {
        if (!dir->is_string()) return wrong(".dir", "a directory");
        video.dir = std::string(dir->get_string());
    }
    if (const json::value* size = json::find(*members, "size")) video.size = TRY(read_size(*size));
    if (const json::value* fps = json::find(*members, "fps")) {
        video.fps = fps->is_number() ? fps->to_number<double>() : 0;
        if (video.fps < 1 || video.fps > 60) return wrong(".fps", "1 to 60 pictures a second");
    }
    return std::optional(video);
}

}  // namespace config
