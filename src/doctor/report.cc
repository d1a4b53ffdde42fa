#include "doctor/report.h"

#include <algorithm>
#include <string_view>

#include "util/strings.h"

namespace doctor {
namespace {

struct Mark {
    std::string_view sign;
    std::string_view color;
};

Mark mark_of(Check::Outcome outcome) {
    switch (outcome) {
        case Check::Outcome::Ok:
            return {"✓", "\033[32m"};
        case Check::Outcome::Note:
            return {"·", "\033[36m"};
        case Check::Outcome::Warning:
            return {"!", "\033[33m"};
        case Check::Outcome::Failed:
            return {"✗", "\033[31m"};
    }
    return {};
}

std::string painted(std::string_view text, std::string_view code, Color color) {
    if (color == Color::No) return std::string(text);
    return std::string(code) + std::string(text) + "\033[0m";
}

std::string counted(std::ptrdiff_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::ptrdiff_t count_of(const std::vector<Check>& checks, Check::Outcome outcome) {
    return std::ranges::count(checks, outcome, &Check::outcome);
}

}  // namespace

std::string render(const std::vector<Check>& checks, Color color) {
    std::size_t width = 0;
    for (const Check& check : checks) width = std::max(width, check.name.size());
    std::string indent(width + 4, ' ');  // sign, space, name, two spaces

    std::string report;
    for (const Check& check : checks) {
        Mark mark = mark_of(check.outcome);
        report += painted(mark.sign, mark.color, color) + " " + check.name;
        report += std::string(width - check.name.size() + 2, ' ') + check.finding + "\n";
        if (!check.remedy.empty()) report += indent + painted("→ ", mark.color, color) + check.remedy + "\n";
        if (check.evidence.empty()) continue;
        for (const std::string& line : split(check.evidence, '\n'))
            report.append(indent).append("| ").append(line).append("\n");
    }
    report += "\n" + counted(std::ssize(checks), "check") + ", ";
    report += counted(count_of(checks, Check::Outcome::Warning), "warning") + ", ";
    report += std::to_string(count_of(checks, Check::Outcome::Failed)) + " failed\n";
    return report;
}

int exit_status(const std::vector<Check>& checks) {
    return count_of(checks, Check::Outcome::Failed) > 0 ? 1 : 0;
}

}  // namespace doctor
