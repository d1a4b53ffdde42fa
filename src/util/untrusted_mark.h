// Marks text that may come from a page as untrusted.
#pragma once

#include <string>
#include <string_view>

// A random mark that no page can predict.
class UntrustedMark {
public:
    UntrustedMark();

    // Returns the text between two lines with the mark, below a line that explains them.
    std::string around(std::string_view text) const;
    // For texts that grow: first this line, then every other line through `before`.
    std::string heading() const;
    std::string before(std::string_view lines) const;

private:
    std::string mark_;
};
