// Keeps values out of text, however the text writes them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

// A value is found as it is, and as addresses (%XX, of all or some characters, several times over), forms,
// JSON within JSON, YAML, HTML, file names, base64 and hexadecimal digits write it. Thread-safe once built.
class Redactor {
public:
    Redactor() = default;
    // Values by name. Empty values count as not there. Where a name of all is given, marks have that one.
    explicit Redactor(const std::map<std::string, std::string>& values, std::string_view name_of_all = {});

    bool empty() const { return patterns_.empty(); }
    // The text with <secret>NAME</secret> in place of every value.
    std::string redact(std::string text) const;
    // The same with this mark in place of every value.
    std::string redact(std::string text, std::string_view mark) const;
    // The same for every text in it. A number that is a value becomes the mark.
    json::value redact_all(json::value value) const;
    bool finds_any(std::string_view text) const;

private:
    // One character of a value.
    struct Unit {
        std::array<char, 4> bytes{};
        std::uint8_t size = 0;
        char32_t code = 0;
        bool is_plain = false;  // a letter or digit
    };
    struct Pattern {
        std::string mark;
        std::vector<Unit> units;
        bool in_file_names = false;  // long enough to be recognized with other punctuation
    };
    struct Match {
        std::size_t end = 0;
        const Pattern* pattern = nullptr;
    };
    class Cursor;

    void add(const std::string& mark, std::string_view text);
    void add_value(const std::string& mark, const std::string& value);
    void index(std::uint16_t number);
    bool may_begin(std::string_view text, std::size_t at) const;
    Match match(std::string_view text, std::size_t at) const;
    void match(char32_t first, std::string_view text, std::size_t at, Match& best) const;
    static std::size_t match(const Pattern& pattern, std::string_view text, std::size_t at);
    template <class Mark>
    std::string replace(std::string text, Mark mark) const;

    std::vector<Pattern> patterns_;                            // longest first
    std::map<char32_t, std::vector<std::uint16_t>> by_first_;  // character
    std::vector<std::uint16_t> in_file_names_;                 // those that may begin with - or _ there
    std::vector<bool> pairs_;                                  // of bytes that a value may begin with
};
