#include "util/time_text.h"

#include <cstdio>

std::string utc_text(std::chrono::sys_time<std::chrono::milliseconds> time) {
    auto day = std::chrono::floor<std::chrono::days>(time);
    std::chrono::year_month_day date(day);
    std::chrono::hh_mm_ss clock(time - day);
    char text[48];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return text;
}

std::string utc_text_now() {
    return utc_text(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
}
