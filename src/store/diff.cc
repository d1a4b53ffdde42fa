#include "store/diff.h"

#include <algorithm>
#include <unordered_map>

#include "store/line_pairs.h"

namespace store {
namespace {

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Numbers for lines; the same for equal ones. Lines of only one side are left out, as nothing pairs with
// them.
struct Tokens {
    std::vector<std::uint32_t> a, b;
    std::vector<std::size_t> a_at, b_at;  // their positions
};

Tokens common_tokens(const Lines& before, std::size_t old_at, std::size_t old_end, const Lines& after,
                     std::size_t new_at, std::size_t new_end) {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    std::vector<bool> in_new;
    numbers.reserve(old_end - old_at);
    for (std::size_t i = old_at; i < old_end; ++i) numbers.emplace(before[i], numbers.size());
    in_new.resize(numbers.size());
    Tokens tokens;
    for (std::size_t i = new_at; i < new_end; ++i) {
        auto it = numbers.find(after[i]);
        if (it == numbers.end()) continue;
        in_new[it->second] = true;
        tokens.b.push_back(it->second);
        tokens.b_at.push_back(i);
    }
    for (std::size_t i = old_at; i < old_end; ++i) {
        std::uint32_t number = numbers.find(before[i])->second;
        if (!in_new[number]) continue;
        tokens.a.push_back(number);
        tokens.a_at.push_back(i);
    }
    return tokens;
}

// Moves a block that could begin a few lines earlier or later to where it is least indented: it begins with
// the element that came or went, not with the rest of the one before.
void slide(const Lines& lines, std::size_t& at, std::size_t count, std::size_t& other, std::size_t lowest,
           std::size_t highest) {
    std::size_t begin = at;
    while (begin > lowest && lines[begin - 1] == lines[begin + count - 1]) --begin;
    std::size_t best = begin;
    for (std::size_t i = begin; i < highest && i + count < lines.size() && lines[i] == lines[i + count];
         ++i) {
        if (indentation(lines[i + 1]) <= indentation(lines[best])) best = i + 1;
    }
    other = other - at + best;
    at = best;
}

void tidy(std::vector<Change>& changes, const Lines& before, const Lines& after) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Change& change = changes[i];
        // A block never moves into a neighbour.
        bool first = i == 0, last = i + 1 == changes.size();
        if (change.old_count == 0) {
            std::size_t lowest = first ? 0 : changes[i - 1].new_at + changes[i - 1].new_count;
            std::size_t highest = (last ? after.size() : changes[i + 1].new_at) - change.new_count;
            slide(after, change.new_at, change.new_count, change.old_at, lowest, highest);
        } else if (change.new_count == 0) {
            std::size_t lowest = first ? 0 : changes[i - 1].old_at + changes[i - 1].old_count;
            std::size_t highest = (last ? before.size() : changes[i + 1].old_at) - change.old_count;
            slide(before, change.old_at, change.old_count, change.new_at, lowest, highest);
        }
    }
}

}  // namespace

Lines split_lines(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<Change> diff_lines(const Lines& before, const Lines& after) {
    std::size_t head = 0, old_end = before.size(), new_end = after.size();
    while (head < old_end && head < new_end && before[head] == after[head]) ++head;
    while (old_end > head && new_end > head && before[old_end - 1] == after[new_end - 1])
        --old_end, --new_end;

    Tokens tokens = common_tokens(before, head, old_end, after, head, new_end);
    std::vector<Change> changes;
    std::size_t old_at = head, new_at = head;
    auto pair_up = [&](std::size_t old_line, std::size_t new_line) {
        if (old_line > old_at || new_line > new_at)
            changes.push_back({old_at, old_line - old_at, new_at, new_line - new_at});
        old_at = old_line + 1;
        new_at = new_line + 1;
    };
    for (auto [a, b] : longest_common(tokens.a, tokens.b)) pair_up(tokens.a_at[a], tokens.b_at[b]);
    pair_up(old_end, new_end);
    tidy(changes, before, after);
    return changes;
}

}  // namespace store
