// Mouse buttons as arguments.
#pragma once

#include <array>

#include "engine/types.h"
#include "schema/types.h"

namespace engine {

constexpr auto enum_names(MouseButton) {
    return std::to_array<schema::EnumName<MouseButton>>(
        {{MouseButton::Left, "left"}, {MouseButton::Right, "right"}, {MouseButton::Middle, "middle"}});
}

}  // namespace engine
