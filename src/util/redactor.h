// Removes secret values from text, in any encoding.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

// Finds a value as it is, and in the encodings of URLs (%XX, of all or some characters, repeatedly), forms,
// JSON within JSON, YAML, HTML, file names, base64 (also of an encoded value), hexadecimal digits and UTF-16;
// with other white space and letter case, as pages show texts; and the rest of it where a text was shortened.
// Thread-safe once built.
class Redactor {
public:
    // What happens to numbers of a serialized JSON text.
    enum class Numbers { Keep, Hide };

    Redactor() = default;
    // Maps names to values. Empty values are ignored. With a `name_of_all`, all marks use that name.
    explicit Redactor(const std::map<std::string, std::string>& values, std::string_view name_of_all = {});

    // Also hides, in URLs, the values of query and fragment parameters with these names.
    void hide_parameters(std::vector<std::string> names) { parameters_ = std::move(names); }

    bool empty() const { return patterns_.empty() && parameters_.empty(); }
    // Returns the text with <secret>NAME</secret> in place of every value, and <redacted> for parameters.
    std::string redact(std::string text) const;
    // The same with this mark in place of every value.
    std::string redact(std::string text, std::string_view mark) const;
    // The same for every text in the JSON value. A number that equals a value becomes the mark.
    json::value redact_all(json::value value) const;
    // The same for a serialized JSON text, or several, which remain well-formed. Redacts any other text as a
    // whole.
    std::string redact_json(std::string text, Numbers numbers) const;
    std::string redact_json(std::string text, Numbers numbers, std::string_view mark) const;
    // The same for data of any format. In data that is no text, overwrites long values and keeps the size:
    // finding a short value there is a coincidence.
    std::string redact_bytes(std::string bytes) const;
    bool finds_any(std::string_view text) const;
    // Whether redact_all replaces this number.
    bool hides_number(std::string_view digits) const;

private:
    // One character of a value.
    struct Unit {
        std::array<char, 4> bytes{};
        std::uint8_t size = 0;
        char32_t code = 0;
        char other_case = 0;    // of a letter whose case does not matter
        bool is_plain = false;  // a letter or digit
    };
    struct Pattern {
        std::string mark;
        std::vector<Unit> units;
        bool is_coded = false;       // as base64 or the like
        bool in_file_names = false;  // long enough to be recognized with other punctuation
        bool in_data = false;        // long enough to be recognized between any bytes
    };
    // A pattern from one of its characters on.
    struct Rest {
        std::uint16_t pattern = 0;
        std::uint16_t from = 0;
    };
    struct Match {
        std::size_t end = 0;
        const Pattern* pattern = nullptr;
    };
    class Cursor;

    void add(const std::string& mark, std::string_view text, bool any_case);
    void add_value(const std::string& mark, const std::string& value);
    void index(std::uint16_t number);
    bool may_begin(std::string_view text, std::size_t at) const;
    Match match(std::string_view text, std::size_t at) const;
    void match(char32_t first, std::string_view text, std::size_t at, Match& best) const;
    void match_rest(std::string_view text, std::size_t at, Match& best) const;
    static std::size_t match(const Pattern& pattern, std::string_view text, std::size_t at,
                             std::size_t from = 0);
    template <class Mark>
    std::string replace(std::string text, Mark mark) const;
    template <class Redact>
    std::string replace_in_json(std::string text, Numbers numbers, Redact redact) const;
    bool changes(std::string_view text) const;
    std::string without_parameters(std::string text) const;

    std::vector<std::string> parameters_;
    std::vector<Pattern> patterns_;                            // longest first
    std::map<char32_t, std::vector<std::uint16_t>> by_first_;  // character
    std::map<char32_t, std::vector<Rest>> rests_;              // by their first character
    std::vector<std::uint16_t> in_file_names_;                 // those that may begin with - or _ there
    std::vector<bool> pairs_;                                  // of bytes that a value may begin with
};
