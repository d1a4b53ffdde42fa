#include "config/record_har.h"

namespace config {
namespace {

Error wrong(std::string_view key, std::string_view what) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "browser.contextOptions.recordHar" + std::string(key) + " must be " +
                            std::string(what) + ".",
                 .hint = R"(Such as {"path": "network.har", "content": "embed", "urlFilter": "**/api/**"}.)"};
}

Result<std::string> read_text(const json::object& members, std::string_view key) {
    const json::value* value = json::find(members, key);
    if (!value) return std::string();
    if (!value->is_string()) return wrong("." + std::string(key), "a text");
    return std::string(value->get_string());
}

}  // namespace

Result<std::optional<RecordHarConfig>> read_record_har(const json::value& given) {
    const json::object* members = given.if_object();
    if (!members) return std::optional<RecordHarConfig>();
    RecordHarConfig har;
    har.path = TRY(read_text(*members, "path"));
    if (har.path.empty() || har.path.extension() == ".zip") return wrong(".path", "a file, and not a .zip");
    std::string content = TRY(read_text(*members, "content"));
    const json::value* omits = json::find(*members, "omitContent");
    if (content == "omit" || (content.empty() && omits && *omits == json::value(true)))
        har.content = RecordHarConfig::Content::Omit;
    else if (content == "attach")
        har.content = RecordHarConfig::Content::Attach;
    else if (!content.empty() && content != "embed")
        return wrong(".content", "omit, embed or attach");
    std::string mode = TRY(read_text(*members, "mode"));
    if (!mode.empty() && mode != "full" && mode != "minimal") return wrong(".mode", "full or minimal");
    har.url_filter = TRY(read_text(*members, "urlFilter"));
    return std::optional(har);
}

}  // namespace config
