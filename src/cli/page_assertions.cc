#include "cli/page_assertions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "tools/source_text.h"
#include "util/json.h"
#include "util/strings.h"

namespace cli {
namespace {

using tools::quote;

constexpr std::size_t kMaxTexts = 3, kMaxTextLength = 200, kMaxUrlLength = 500;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_alphanumeric(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether the word is an id or date in digits, a digest, or random letters and digits.
bool is_generated(std::string_view word) {
    auto digits = std::ranges::count_if(word, is_digit);
    bool is_mixed = digits > 0 && static_cast<std::size_t>(digits) < word.size();
    auto has = [&](char first, char last) {
        return std::ranges::any_of(word, [&](char c) { return c >= first && c <= last; });
    };
    bool is_random = is_mixed && word.size() >= 8 && has('a', 'z') && has('A', 'Z');
    return is_random || (digits >= 8 && !is_mixed) || (is_mixed && word.size() >= 20) ||
           (is_mixed && word.size() >= 12 && std::ranges::all_of(word, is_hex));
}

// 2026-11-18
bool begins_date(std::string_view text) {
    constexpr std::string_view kShape = "0000-00-00";
    if (text.size() < kShape.size()) return false;
    for (std::size_t i = 0; i < kShape.size(); ++i) {
        if (kShape[i] == '-' ? text[i] != '-' : !is_digit(text[i])) return false;
    }
    return true;
}

// 12:30
bool begins_time(std::string_view text) {
    std::size_t colon = text.find(':');
    return (colon == 1 || colon == 2) && std::ranges::all_of(text.substr(0, colon), is_digit) &&
           text.size() >= colon + 3 && is_digit(text[colon + 1]) && is_digit(text[colon + 2]) &&
           (text.size() == colon + 3 || !is_digit(text[colon + 3]));
}

// A line of a snapshot.
struct Line {
    std::size_t indent = 0;
    std::string role, name, value, ref;
    std::string level;      // of a heading: " [level=1]"
    std::string raw_value;  // in YAML's notation

    // The line as a Playwright template; empty when that would not mean the same.
    std::string to_template() const {
        if (value.starts_with('/') || name.starts_with('/')) return {};
        std::string key = role;
        if (!name.empty()) {
            key += ' ';
            json::append_string(key, name);
        }
        key += level;
        bool is_safe = !key.contains(": ") && !key.contains(" #") && !key.contains('{') && !key.contains('`');
        if (!is_safe) {
            std::string doubled;
            for (char c : key) doubled.append(c == '\'' ? 2 : 1, c);
            key = "'" + doubled + "'";
        }
        return "- " + key + (value.empty() ? "" : ": " + raw_value);
    }
};

// Takes "..." with its escapes off the front.
std::string take_quoted(std::string_view& text) {
    std::string taken;
    std::size_t at = 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] != '\\' || at + 1 >= text.size()) {
            taken += text[at];
            continue;
        }
        char c = text[++at];
        taken += c == 'n' || c == 't' || c == 'r' ? ' ' : c;
    }
    text.remove_prefix(std::min(at + 1, text.size()));
    return taken;
}

std::string without_single_quotes(std::string_view& text) {
    std::string key;
    std::size_t at = 1;
    for (; at < text.size(); ++at) {
        if (text[at] == '\'') {
            if (at + 1 >= text.size() || text[at + 1] != '\'') break;
            ++at;
        }
        key += text[at];
    }
    text.remove_prefix(std::min(at + 1, text.size()));
    return key;
}

std::optional<Line> read_line(std::string_view text) {
    Line line{.indent = std::min(text.find_first_not_of(' '), text.size())};
    text.remove_prefix(line.indent);
    if (!text.starts_with("- ")) return std::nullopt;
    text.remove_prefix(2);
    std::string unquoted;
    std::string_view key = text, rest;
    if (text.starts_with('\'')) {
        unquoted = without_single_quotes(text);
        key = unquoted;
        rest = text;
    }
    std::size_t role = 0;
    while (role < key.size() && key[role] >= 'a' && key[role] <= 'z') ++role;
    if (role == 0) return std::nullopt;
    line.role = key.substr(0, role);
    key.remove_prefix(role);
    if (key.starts_with(" \"")) {
        key.remove_prefix(1);
        line.name = take_quoted(key);
    }
    while (key.starts_with(" [")) {
        std::size_t end = key.find(']');
        if (end == key.npos) return std::nullopt;
        std::string_view state = key.substr(2, end - 2);
        if (state.starts_with("ref=")) line.ref = state.substr(4);
        if (state.starts_with("level=")) line.level = " [" + std::string(state) + "]";
        key.remove_prefix(end + 1);
    }
    if (unquoted.empty()) rest = key;
    if (rest.starts_with(": ")) {
        line.raw_value = rest.substr(2);
        std::string_view value = line.raw_value;
        line.value = value.starts_with('"') ? take_quoted(value) : std::string(value);
    }
    return line;
}

// The amount of information that a line of this role gives about the page; nothing when a test should not
// check it.
std::optional<int> rank_of(const Line& line) {
    static constexpr std::array<std::pair<std::string_view, int>, 21> kRanks = {{
        {"alert", 0},      {"status", 0}, {"heading", 1}, {"paragraph", 2},    {"listitem", 2}, {"cell", 2},
        {"strong", 2},     {"code", 2},   {"caption", 2}, {"columnheader", 3}, {"dialog", 2},   {"term", 2},
        {"definition", 2}, {"text", 3},   {"generic", 3}, {"emphasis", 2},     {"link", 4},     {"button", 4},
        {"tab", 4},        {"img", 4},    {"note", 2},
    }};
    auto rank = std::ranges::find(kRanks, line.role, &std::pair<std::string_view, int>::first);
    const std::string& shown = line.name.empty() ? line.value : line.name;
    // A regular expression would end there.
    if (line.value.contains("\u2028") || line.value.contains("\u2029")) return std::nullopt;
    if (rank == kRanks.end() || shown.size() < 2 || shown.size() > kMaxTextLength) return std::nullopt;
    if (stable_length(line.name) < line.name.size() || stable_length(line.value) < line.value.size())
        return std::nullopt;
    return rank->second;
}

// Text without a role is surrounded by other text, and line breaks are not preserved.
std::string to_expression(std::string_view text) {
    std::string expression = "/";
    for (char c : text) {
        if (c == ' ')
            expression += "\\s*";
        else if (std::string_view("\\^$.|?*+()[]{}/").contains(c))
            (expression += '\\') += c;
        else
            expression += c;
    }
    return expression + "/";
}

std::string to_assertion(std::string_view place, const Line& line) {
    std::string subject = std::string(place) + ".";
    if (line.role == "text" || line.role == "generic") {
        if (line.value.empty()) return {};
        bool is_word = !line.value.contains(' ');
        return "await expect(" + subject + "getByText(" +
               (is_word ? quote(line.value) : to_expression(line.value)) +
               ").filter({ visible: true }).first()).toBeVisible();";
    }
    std::string expected = line.to_template();
    if (expected.empty()) return {};
    return "await expect(" + subject + "locator('body')).toMatchAriaSnapshot(" + quote(expected) + ");";
}

// The ancestors of a line.
class Parents {
public:
    // The frame that contains a line: f1 of f1e2; "?" when no ref names it; empty outside of frames, whatever
    // the ref: later documents of a tab continue the numbering.
    std::string frame_of(const Line& line) {
        while (!lines_.empty() && lines_.back().indent >= line.indent) lines_.pop_back();
        Parent self{line.indent, "", line.role == "iframe"};
        if (!lines_.empty() && lines_.back().is_frame)
            self.frame = line.ref.starts_with('f') ? line.ref.substr(0, line.ref.find('e')) : "?";
        else if (!lines_.empty())
            self.frame = lines_.back().frame;
        lines_.push_back(self);
        return self.frame;
    }

private:
    struct Parent {
        std::size_t indent;
        std::string frame;
        bool is_frame;
    };
    std::vector<Parent> lines_;
};

}  // namespace

std::size_t stable_length(std::string_view text) {
    if (std::size_t mark = text.find("<secret>"); mark != text.npos) text = text.substr(0, mark);
    bool is_address = text.contains("://");
    for (std::size_t at = 0; at < text.size();) {
        if (!is_alphanumeric(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_alphanumeric(text[end])) ++end;
        std::string_view rest = text.substr(at);
        if (is_generated(rest.substr(0, end - at)) || begins_date(rest)) return at;
        if (!is_address && begins_time(rest)) return at;
        at = end;
    }
    return text.size();
}

std::string url_assertion(std::string_view page, std::string_view url) {
    std::size_t host = url.find("://");
    bool is_usual = url.starts_with("http") || url.starts_with("file:");
    if (!is_usual || host == url.npos || url.size() > kMaxUrlLength) return {};
    std::string expected = "await expect(" + std::string(page) + ").toHaveURL(";
    std::size_t stable = stable_length(url);
    if (stable == url.size()) return expected + quote(url) + ");";
    if (stable <= std::min(url.find('/', host + 3), url.size())) return {};
    return expected + "url => url.href.startsWith(" + quote(url.substr(0, stable)) + "));";
}

std::string title_assertion(std::string_view page, std::string_view title) {
    if (title.empty() || stable_length(title) < title.size()) return {};
    return "await expect(" + std::string(page) + ").toHaveTitle(" + quote(title) + ");";
}

ElementLocators locators_in(std::string_view snapshot, const FrameLocators& frames) {
    ElementLocators locators;
    std::map<std::string, int> counts;  // of equal lines so far
    Parents parents;
    for (const std::string& text : split(snapshot, '\n')) {
        auto line = read_line(text);
        if (!line) continue;
        std::string frame = parents.frame_of(*line);
        bool is_plain = line->role == "generic" || line->role == "text" || line->role == "iframe";
        if (is_plain || line->name.empty()) continue;
        int index = counts[frame + "\n" + line->role + "\n" + line->name]++;
        auto known = frames.find(frame);
        if (line->ref.empty() || (!frame.empty() && known == frames.end())) continue;
        std::string place = frame.empty() ? "" : known->second + ".";
        locators[line->ref] = place + "getByRole(" + quote(line->role) + ", { name: " + quote(line->name) +
                              ", exact: true }).nth(" + std::to_string(index) + ")";
    }
    return locators;
}

std::vector<std::string> SnapshotAssertions::of(std::string_view page, std::string_view snapshot,
                                                const FrameLocators& frames) {
    struct Candidate {
        int rank;
        std::string code;
    };
    std::vector<Candidate> candidates;
    std::set<std::string, std::less<>> now;
    Parents parents;
    for (const std::string& text : split(snapshot, '\n')) {
        auto line = read_line(text);
        if (!line) continue;
        std::string frame = parents.frame_of(*line);
        std::string key = frame + line->role + "\n" + line->name + "\n" + line->value;
        bool is_new = !shown_.contains(key) && now.insert(key).second;
        now.insert(std::move(key));
        auto rank = is_new ? rank_of(*line) : std::nullopt;
        if (!rank) continue;
        std::string place(page);
        if (!frame.empty()) {
            auto known = frames.find(frame);
            if (known == frames.end()) continue;
            place += "." + known->second;
        }
        if (std::string code = to_assertion(place, *line); !code.empty())
            candidates.push_back({*rank, std::move(code)});
    }
    shown_ = std::move(now);
    std::ranges::stable_sort(candidates, {}, &Candidate::rank);
    std::vector<std::string> chosen;
    for (Candidate& each : candidates) {
        if (chosen.size() == kMaxTexts) break;
        if (std::ranges::find(chosen, each.code) == chosen.end()) chosen.push_back(std::move(each.code));
    }
    return chosen;
}

}  // namespace cli
