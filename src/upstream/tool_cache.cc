#include "upstream/tool_cache.h"

#include "util/files.h"

namespace upstream {
namespace {

bool read_list(const json::object& kept, std::string_view key, std::vector<json::object>& to) {
    const json::array* list = json::find_array(kept, key);
    if (!list) return false;
    for (const json::value& each : *list) {
        if (!each.is_object()) return false;
        to.push_back(each.get_object());
    }
    return true;
}

json::array list_of(const std::vector<json::object>& from) { return json::array(from.begin(), from.end()); }

}  // namespace

std::optional<Offerings> read_offerings(const std::filesystem::path& file) {
    auto text = read_file(file);
    auto parsed = text ? json::parse(*text) : Result<json::value>(text.error());
    const json::object* kept = parsed ? parsed->if_object() : nullptr;
    const json::object* server = kept ? json::find_object(*kept, "server") : nullptr;
    if (!server) return std::nullopt;
    Offerings offerings{.server = *server};
    bool whole = read_list(*kept, "tools", offerings.tools) &&
                 read_list(*kept, "prompts", offerings.prompts) &&
                 read_list(*kept, "resources", offerings.resources) &&
                 read_list(*kept, "templates", offerings.templates);
    return whole ? std::optional(std::move(offerings)) : std::nullopt;
}

void write_offerings(const std::filesystem::path& file, const Offerings& offerings) {
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    json::object kept{{"server", offerings.server},
                      {"tools", list_of(offerings.tools)},
                      {"prompts", list_of(offerings.prompts)},
                      {"resources", list_of(offerings.resources)},
                      {"templates", list_of(offerings.templates)}};
    static_cast<void>(write_file(file, json::serialize(kept)));
}

}  // namespace upstream
