// Parses an answer in Playwright's sections, apart from its result: the code, the tabs, and the events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct ListedTab {
    std::string title, url;
    std::string id;  // empty where tabs have none
    bool is_current = false;
};

struct AnswerSections {
    std::string language, code;  // empty when the answer shows no code
    std::vector<ListedTab> tabs;
    bool shows_page = false;  // without a list, the page is the only tab
    bool has_dialog = false, has_file_chooser = false;
    std::vector<std::string> downloads;  // names of the downloads that began
};

// The result of a tool that lists tabs shows the tabs, too.
enum class ResultShows { Anything, Tabs };
AnswerSections read_sections(std::string_view answer, ResultShows result);

}  // namespace cli
