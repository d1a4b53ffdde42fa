// Turns recorded pages into assertions of a Playwright test. Omits content that may differ the next time,
// such as times and random ids.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// The length of the prefix that is expected to repeat.
std::size_t stable_length(std::string_view text);

// await expect(page).toHaveURL('…'); empty when no part of the address is predictable.
std::string url_assertion(std::string_view page, std::string_view url);
std::string title_assertion(std::string_view page, std::string_view title);

// Locators of frames, by the prefix of their elements' refs: f1.
using FrameLocators = std::map<std::string, std::string, std::less<>>;

// Locators of the elements of a snapshot, by their refs. Leaves out elements that their role and name do not
// identify.
using ElementLocators = std::map<std::string, std::string, std::less<>>;
ElementLocators locators_in(std::string_view snapshot, const FrameLocators& frames);

// Asserts the parts of a snapshot that the previous snapshot did not show.
class SnapshotAssertions {
public:
    // Remembers the lines for the next snapshot.
    std::vector<std::string> of(std::string_view page, std::string_view snapshot,
                                const FrameLocators& frames);

private:
    std::set<std::string, std::less<>> shown_;
};

}  // namespace cli
