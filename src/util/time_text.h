// Formats times in ISO 8601.
#pragma once

#include <chrono>
#include <string>

// "2026-07-28T12:00:00.123Z".
std::string utc_text(std::chrono::sys_time<std::chrono::milliseconds> time);
std::string utc_text_now();
