#include "config/assign.h"

#include "config/parse.h"

namespace config {

namespace {

json::value absolute_paths(const json::value& paths, const std::filesystem::path& directory) {
    json::array absolute;
    for (const json::value& path : paths.get_array()) {
        absolute.emplace_back((directory / std::string_view(path.get_string())).lexically_normal().string());
    }
    return absolute;
}

}  // namespace

Result<void> assign_text(std::vector<Assignment>& to, const Option& option, std::string_view key,
                         std::string_view text, const Origin& origin,
                         const std::filesystem::path& directory) {
    auto value = from_text(option, text);
    if (!value) return located(std::move(value).error(), origin, key);
    return assign(to, option, std::move(*value), origin, directory);
}

Result<void> assign(std::vector<Assignment>& to, const Option& option, json::value value,
                    const Origin& origin, const std::filesystem::path& directory) {
    if (option.expand != nullptr) {
        auto settings = option.expand(value, directory);
        if (!settings) return located(std::move(settings).error(), origin, option.key);
        for (KeyValue& setting : *settings) {
            to.push_back(
                {.option = find_by_key(setting.key), .value = std::move(setting.value), .origin = origin});
        }
        return ok();
    }
    if (option.type == Type::Paths) value = absolute_paths(value, directory);
    to.push_back({.option = &option, .value = std::move(value), .origin = origin});
    return ok();
}

Error located(Error error, const Origin& origin, std::string_view key) {
    std::string place = origin.name;
    if (origin.layer == Layer::File) {
        if (origin.line > 0) place += ":" + std::to_string(origin.line);
        if (!key.empty()) place += ": " + std::string(key);
    } else if (origin.layer == Layer::Environment || origin.layer == Layer::PlaywrightEnvironment) {
        place = "Environment variable " + place;
    } else if (origin.layer == Layer::Dotenv) {
        place += " in .env";
    }
    error.message = place + ": " + error.message;
    error.code = ErrorCode::InvalidArgument;
    return error;
}

}  // namespace config
