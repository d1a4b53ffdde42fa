// The devices that pages can be shown on, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/browser.h"

namespace engine {

struct Device {
    std::string name;  // "iPhone 15", "iPhone 15 landscape"
    Size viewport;
    std::optional<Size> screen;
    double scale = 1;  // device pixels a CSS pixel
    bool is_mobile = true;
    bool has_touch = true;
    std::string user_agent;
};

// Case does not matter. The error offers the nearest name.
Result<Device> find_device(std::string_view name);
// Every name, in the order of the table.
std::vector<std::string> device_names();
// Makes the context look like that device.
void apply(const Device& device, ContextOptions& options);

}  // namespace engine
