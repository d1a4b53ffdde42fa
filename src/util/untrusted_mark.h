// Words that may be a page's, marked as that for whoever reads them.
#pragma once

#include <string>
#include <string_view>

// One mark, which no page can know beforehand.
class UntrustedMark {
public:
    UntrustedMark();

    // The text between two lines with the mark, below a line that says what they mean.
    std::string around(std::string_view text) const;
    // For texts that grow: this line first, then every other one through `before`.
    std::string heading() const;
    std::string before(std::string_view lines) const;

private:
    std::string mark_;
};
