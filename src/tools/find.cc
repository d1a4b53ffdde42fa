#include <cmath>
#include <limits>

#include "tools/browser_tools.h"
#include "tools/regex.h"
#include "tools/snippets.h"
#include "util/strings.h"

namespace tools {
namespace {

struct FindParams {
    std::optional<std::string> text;
    std::optional<std::string> regex;
    std::optional<double> max_results;
    std::optional<std::string> filename;
};

Result<void> check_regex(const FindParams& params) {
    if (params.regex.value_or("").empty()) return ok();
    return check_argument("regex", Regex::parse(*params.regex));
}

std::vector<std::size_t> matching(const std::vector<std::string>& lines,
                                  const std::function<bool(const std::string&)>& matches) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (matches(lines[i])) found.push_back(i);
    }
    return found;
}

// Shows at most `limit` of the matches.
std::string report(const std::string& query, const std::vector<std::string>& lines,
                   std::vector<std::size_t> found, double limit) {
    if (found.empty()) return "No matches found for " + query + ".";
    std::string header = "Found " + std::to_string(found.size()) +
                         (found.size() == 1 ? " match" : " matches") + " for " + query;
    if (limit < static_cast<double>(found.size())) {
        found.resize(static_cast<std::size_t>(limit));
        header += " (showing first " + std::to_string(found.size()) + ")";
    }
    return header + ":\n\n" + join(snippets(lines, found), "\n\n----\n\n");
}

Task<> find(Tab& tab, FindParams params, Response& response) {
    std::string text = params.text.value_or(""), regex = params.regex.value_or("");
    if (text.empty() == regex.empty()) {
        response.add_error(text.empty() ? "Provide either \"text\" or \"regex\" to search for."
                                        : "Provide only one of \"text\" or \"regex\", not both.");
        co_return;
    }
    double limit = params.max_results.value_or(std::numeric_limits<double>::infinity());
    if (limit <= 0 || (params.max_results && limit != std::floor(limit))) {
        response.add_error("\"maxResults\" must be a positive integer.");
        co_return;
    }
    std::optional<std::string> snapshot;
    co_await tab.run({.name = "page.ariaSnapshot"},
                     capture_into(tab.snapshot({}, nullptr, tab.deadline()), snapshot));
    if (!snapshot) co_return;
    std::vector<std::string> lines = split(*snapshot, '\n');
    std::string answer;
    if (regex.empty()) {
        std::string needle = lowered(text);
        auto contains = [&](const std::string& line) { return lowered(line).contains(needle); };
        answer = report("\"" + text + "\"", lines, matching(lines, contains), limit);
    } else {
        Regex expression = co_await Regex::parse(regex);
        auto matches = [&](const std::string& line) { return expression.matches(line); };
        answer = report(expression.text(), lines, matching(lines, matches), limit);
    }
    co_await response.add_result(
        "Find results", answer, {.prefix = "find", .extension = "md", .given = params.filename.value_or("")});
}

}  // namespace

std::vector<Tool> find_tools(const SessionResolver& sessions) {
    return {
        tab_tool<FindParams>(
            sessions,
            {
                .name = "browser_find",
                .title = "Find in page snapshot",
                .description = "Search the page's snapshot and show the matches with their refs, a few lines "
                               "around them and their place "
                               "in the tree. Cheaper than a whole snapshot.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"text", &FindParams::text, "Text to find, in any case. Either this or regex."},
                        {"regex", &FindParams::regex, "Regular expression to find; /…/i ignores case."},
                        {"maxResults", &FindParams::max_results, "Most matches to show. Default: all."},
                        {"filename", &FindParams::filename, kFileHelp},
                    },
                .check = check_regex,
                .handler = find,
            }),
    };
}

}  // namespace tools
