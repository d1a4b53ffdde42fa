// The report of `troupe doctor`, for a person to read.
#pragma once

#include <string>
#include <vector>

#include "doctor/checks.h"

namespace doctor {

enum class Color { No, Yes };

// One line per check, its remedy below it, and a closing line with the counts.
std::string render(const std::vector<Check>& checks, Color color);

// The exit status of the process: 1 when a check failed.
int exit_status(const std::vector<Check>& checks);

}  // namespace doctor
