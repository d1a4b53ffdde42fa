#include "store/time_text.h"

#include <charconv>

namespace store {
namespace {

using std::chrono::milliseconds;

// Takes a whole number from the beginning; the rest stays in `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<milliseconds> unit_of(std::string_view text) {
    if (text == "s") return std::chrono::seconds(1);
    if (text == "m") return std::chrono::minutes(1);
    if (text == "h") return std::chrono::hours(1);
    if (text == "d") return std::chrono::days(1);
    return std::nullopt;
}

std::optional<Time> parse_clock(std::string_view text, Time day) {
    auto hour = take_number(text);
    if (!hour || *hour > 24 || !take(text, ':')) return std::nullopt;
    auto minute = take_number(text);
    if (!minute || *minute > 59) return std::nullopt;
    Time time = day + std::chrono::hours(*hour) + std::chrono::minutes(*minute);
    if (take(text, ':')) {
        auto second = take_number(text);
        if (!second || *second > 60) return std::nullopt;
        time += std::chrono::seconds(*second);
        if (take(text, '.')) {
            std::string digits(text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size())));
            text.remove_prefix(digits.size());
            digits.resize(3, '0');
            std::string_view rest = digits;
            auto fraction = take_number(rest);
            if (!fraction) return std::nullopt;
            time += milliseconds(*fraction);
        }
    }
    take(text, 'Z');
    return text.empty() ? std::optional(time) : std::nullopt;
}

}  // namespace

std::optional<Time> parse_time(std::string_view text, Time now) {
    auto first = take_number(text);
    if (!first) return std::nullopt;
    if (text.empty()) return Time(milliseconds(*first));
    if (auto unit = unit_of(text)) {
        if (*first > 1'000'000'000) return std::nullopt;
        return now - *first * *unit;
    }
    if (!take(text, '-')) return std::nullopt;
    auto month = take_number(text);
    if (!month || !take(text, '-')) return std::nullopt;
    auto day = take_number(text);
    if (!day || *first > 9999 || *month > 12 || *day > 31) return std::nullopt;
    std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*first)),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    Time midnight = std::chrono::sys_days(date);
    if (text.empty()) return midnight;
    if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
    return parse_clock(text, midnight);
}

}  // namespace store
