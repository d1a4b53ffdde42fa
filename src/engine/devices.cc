#include "engine/devices.h"

#include <charconv>

#include "engine/devices_table.h"
#include "util/strings.h"

namespace engine {
namespace {

// The versions that user agents contain. The browser's own version is only known at run time.
constexpr std::string_view kBrowserVersion = "{chrome}";
constexpr std::string_view kSafari = "26.5";
constexpr std::string_view kFirefox = "153.0";

constexpr std::string_view kTurned = " landscape";

// User agents that differ only in a word or two. `*` stands for the rest of the table's column.
struct AgentForm {
    std::string_view name;
    std::string_view text;
};
constexpr AgentForm kForms[] = {
    {"phone ",
     "Mozilla/5.0 (Linux; *) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Mobile Safari/537.36"},
    {"tablet ",
     "Mozilla/5.0 (Linux; *) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{chrome} Safari/537.36"},
    {"stock ",
     "Mozilla/5.0 (Linux; U; *) AppleWebKit/534.30 (KHTML, like Gecko) Version/{safari} Mobile "
     "Safari/534.30"},
    {"iPhone 11_0",
     "Mozilla/5.0 (iPhone; CPU iPhone OS 11_0 like Mac OS X) AppleWebKit/604.1.38 (KHTML, like Gecko) "
     "Version/{safari} Mobile/15A372 Safari/604.1"},
    {"iPhone ",
     "Mozilla/5.0 (iPhone; CPU iPhone OS * like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
     "Version/{safari} Mobile/15E148 Safari/604.1"},
    {"iPad ",
     "Mozilla/5.0 (iPad; CPU OS * like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
     "Version/{safari} Mobile/15E148 Safari/604.1"},
    {"desktop",
     "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
     "Chrome/{chrome} Safari/537.36*"},
};

std::string agent_of(std::string_view column) {
    std::string agent(column);
    for (const AgentForm& form : kForms) {
        if (!column.starts_with(form.name)) continue;
        agent = form.text;
        replace_all(agent, "*", column.substr(form.name.size()));
        break;
    }
    replace_all(agent, "{safari}", kSafari);
    replace_all(agent, "{firefox}", kFirefox);
    return agent;
}

std::optional<Size> size_of(std::string_view column) {
    std::size_t cross = column.find('x');
    if (cross == std::string_view::npos) return {};
    Size size;
    std::from_chars(column.data(), column.data() + cross, size.width);
    std::from_chars(column.data() + cross + 1, column.data() + column.size(), size.height);
    return size;
}

// The devices of one line: in portrait, and in landscape if the line has it.
std::vector<Device> devices_of(std::string_view line) {
    std::vector<std::string> columns = split(line, '|');
    if (columns.size() != 7) return {};
    for (std::string& column : columns) column = trim(column);
    bool is_desktop = columns[0].starts_with("Desktop");
    Device device{.name = columns[0],
                  .viewport = size_of(columns[1]).value_or(Size{}),
                  .screen = size_of(columns[2]),
                  .is_mobile = !is_desktop,
                  .has_touch = !is_desktop,
                  .user_agent = agent_of(columns[6])};
    std::from_chars(columns[5].data(), columns[5].data() + columns[5].size(), device.scale);
    std::vector<Device> devices{device};
    if (auto turned = size_of(columns[3])) {
        device.name += kTurned;
        device.viewport = *turned;
        device.screen = size_of(columns[4]);
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace

Result<Device> find_device(std::string_view name) {
    for (const std::string& line : split(kDevices, '\n')) {
        for (Device& device : devices_of(line)) {
            if (equals_ignoring_case(device.name, name)) return std::move(device);
        }
    }
    std::string nearest = nearest_name(name, device_names());
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Unknown device \"" + std::string(name) + "\".",
                 .hint = nearest.empty()
                             ? "Use a name such as \"iPhone 15\", \"Pixel 7\" or \"Desktop Chrome\"."
                             : "Did you mean \"" + nearest + "\"?"};
}

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const std::string& line : split(kDevices, '\n')) {
        for (Device& device : devices_of(line)) names.push_back(std::move(device.name));
    }
    return names;
}

std::string agent_of_version(std::string agent, std::string_view product) {
    replace_all(agent, kBrowserVersion, product.substr(product.find('/') + 1));  // npos + 1 is 0
    return agent;
}

void apply(const Device& device, ContextOptions& options) {
    options.viewport = device.viewport;
    options.screen = device.screen;
    options.device_scale_factor = device.scale;
    options.is_mobile = device.is_mobile;
    options.has_touch = device.has_touch;
    options.user_agent = device.user_agent;
}

}  // namespace engine
