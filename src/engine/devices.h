// Named devices that a page can emulate.
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
    double scale = 1;  // device pixels per CSS pixel
    bool is_mobile = true;
    bool has_touch = true;
    std::string user_agent;  // in the form that agent_of_version expects
};

// Ignores case. The error suggests the nearest name.
Result<Device> find_device(std::string_view name);
// Every name, in the order of the table.
std::vector<std::string> device_names();
// Fills the browser's version into a device's user agent. `product` is like HeadlessChrome/152.0.7977.54. Any
// other user agent stays unchanged.
std::string agent_of_version(std::string agent, std::string_view product);
// Sets the options so that the context emulates the device.
void apply(const Device& device, ContextOptions& options);

}  // namespace engine
