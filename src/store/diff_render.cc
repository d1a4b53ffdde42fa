#include <algorithm>
#include <map>
#include <tuple>

#include "store/diff.h"

namespace store {
namespace {

constexpr std::size_t kLongLine = 200;
constexpr std::size_t kContextLine = 120;
constexpr std::size_t kAround = 40;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::string_view kCut = "…";

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The nearest position at or before `at` that splits no character.
std::size_t boundary(std::string_view text, std::size_t at) {
    if (at >= text.size()) return text.size();
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

std::string clipped(std::string_view line, std::size_t length) {
    if (line.size() <= length) return std::string(line);
    return std::string(line.substr(0, boundary(line, length))) + std::string(kCut);
}

// The parent of each line, by indentation; kNone for the outermost.
std::vector<std::size_t> parents(const Lines& lines) {
    std::vector<std::size_t> parent(lines.size(), kNone), open;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        while (!open.empty() && indentation(lines[open.back()]) >= indentation(lines[i])) open.pop_back();
        if (!open.empty()) parent[i] = open.back();
        open.push_back(i);
    }
    return parent;
}

// A line without its ref.
std::string without_ref(std::string_view line) {
    std::size_t begin = line.find(" [ref=");
    std::size_t end = begin == line.npos ? line.npos : line.find(']', begin);
    if (end == line.npos) return std::string(line);
    return std::string(line.substr(0, begin)) + std::string(line.substr(end + 1));
}

std::string_view ref_of(std::string_view line) {
    std::size_t begin = line.find(" [ref=");
    std::size_t end = begin == line.npos ? line.npos : line.find(']', begin);
    return end == line.npos ? std::string_view() : line.substr(begin, end - begin);
}

// One line of a change: removed, added, or the same element with a new ref.
struct Step {
    std::size_t old_line = kNone, new_line = kNone;
    bool is_ref_only() const { return old_line != kNone && new_line != kNone; }
};

// The steps of a change: lines that differ by their refs alone are paired.
std::vector<Step> steps(const Change& change, const Lines& before, const Lines& after) {
    std::vector<Step> result;
    std::vector<std::string> texts;
    texts.reserve(change.old_count + change.new_count);
    Lines old_lines, new_lines;
    bool may_pair = change.old_count > 0 && change.new_count > 0;
    for (std::size_t i = 0; may_pair && i < change.old_count; ++i)
        old_lines.emplace_back(texts.emplace_back(without_ref(before[change.old_at + i])));
    for (std::size_t i = 0; may_pair && i < change.new_count; ++i)
        new_lines.emplace_back(texts.emplace_back(without_ref(after[change.new_at + i])));
    std::vector<Change> inner = {{0, change.old_count, 0, change.new_count}};
    if (may_pair) inner = diff_lines(old_lines, new_lines);
    std::size_t old_at = 0, new_at = 0;
    auto same_up_to = [&](std::size_t old_end) {
        for (; old_at < old_end; ++old_at, ++new_at)
            result.push_back({change.old_at + old_at, change.new_at + new_at});
    };
    for (const Change& part : inner) {
        same_up_to(part.old_at);
        for (std::size_t i = 0; i < part.old_count; ++i)
            result.push_back({.old_line = change.old_at + old_at++});
        for (std::size_t i = 0; i < part.new_count; ++i)
            result.push_back({.new_line = change.new_at + new_at++});
    }
    same_up_to(change.old_count);
    return result;
}

// Cuts the common parts of two long lines down to the surroundings of their differences.
std::pair<std::string, std::string> clipped_pair(std::string_view gone, std::string_view came) {
    std::size_t max_lines = std::min(gone.size(), came.size()), head = 0, tail = 0;
    while (head < max_lines && gone[head] == came[head]) ++head;
    while (tail < max_lines - head && gone[gone.size() - 1 - tail] == came[came.size() - 1 - tail]) ++tail;
    auto cut = [&](std::string_view line, bool whole_middle) {
        if (line.size() <= kLongLine) return std::string(line);
        std::size_t begin = boundary(line, head > kAround ? head - kAround : 0);
        std::size_t end = boundary(line, line.size() - tail + (tail > kAround ? kAround : tail));
        // The beginning names the element.
        std::size_t intro = boundary(line, std::min(begin, 2 * kAround));
        std::string text(line.substr(0, intro));
        if (begin > intro) text += kCut;
        std::string_view middle = line.substr(std::max(begin, intro), end - std::max(begin, intro));
        text += whole_middle ? std::string(middle) : clipped(middle, kLongLine);
        if (end < line.size() && text.size() >= kCut.size() && !text.ends_with(kCut)) text += kCut;
        return text;
    };
    return {cut(gone, false), cut(came, true)};
}

class DiffRenderer {
public:
    DiffRenderer(const Lines& before, const Lines& after)
        : before_(before),
          after_(after),
          old_parents_(parents(before)),
          new_parents_(parents(after)),
          old_to_new_(before.size(), kNone),
          shown_(after.size()) {}

    std::string render(const std::vector<Change>& changes) {
        pair_unchanged(changes);
        for (const Change& change : changes) {
            std::vector<Step> all = steps(change, before_, after_);
            for (std::size_t at = 0; at < all.size();) at = render_block(all, at);
        }
        return std::move(out_);
    }

private:
    void pair_unchanged(const std::vector<Change>& changes) {
        std::size_t old_line = 0, new_line = 0;
        for (const Change& change : changes) {
            while (old_line < change.old_at) old_to_new_[old_line++] = new_line++;
            old_line += change.old_count;
            new_line = change.new_at + change.new_count;
        }
        while (old_line < before_.size()) old_to_new_[old_line++] = new_line++;
    }

    // Renders removed lines, then the lines in their place; or one that only got a new ref.
    std::size_t render_block(const std::vector<Step>& all, std::size_t at) {
        if (all[at].is_ref_only()) {
            show_path(new_parents_[all[at].new_line]);
            add('~', after_[all[at].new_line]);
            shown_[all[at].new_line] = true;
            return at + 1;
        }
        std::vector<std::string> gone, came;
        std::vector<std::size_t> gone_lines, came_lines;
        for (; at < all.size() && !all[at].is_ref_only(); ++at) {
            bool is_new = all[at].new_line != kNone;
            if (!is_new && !came.empty()) break;
            (is_new ? came_lines : gone_lines).push_back(is_new ? all[at].new_line : all[at].old_line);
            (is_new ? came : gone)
                .emplace_back(is_new ? after_[all[at].new_line] : before_[all[at].old_line]);
        }
        for (std::size_t i = 0; i < gone.size() && i < came.size(); ++i) {
            bool same_element = gone.size() == came.size() || ref_of(gone[i]) == ref_of(came[i]);
            if (same_element) std::tie(gone[i], came[i]) = clipped_pair(gone[i], came[i]);
        }
        for (std::size_t i = 0; i < gone.size(); ++i) {
            show_old_path(old_parents_[gone_lines[i]]);
            add('-', clipped(gone[i], 2 * kLongLine));
        }
        for (std::size_t i = 0; i < came.size(); ++i) {
            show_path(new_parents_[came_lines[i]]);
            add('+', came[i]);
            shown_[came_lines[i]] = true;
        }
        return at;
    }

    void show_path(std::size_t line) {
        if (line == kNone || shown_[line]) return;
        show_path(new_parents_[line]);
        shown_[line] = true;
        add(' ', clipped(after_[line], kContextLine));
    }
    // Shows its nearest parent that is still there.
    void show_old_path(std::size_t line) {
        while (line != kNone && old_to_new_[line] == kNone) line = old_parents_[line];
        if (line != kNone) show_path(old_to_new_[line]);
    }
    void add(char mark, std::string_view line) { (out_ += mark).append(line) += '\n'; }

    const Lines &before_, &after_;
    std::vector<std::size_t> old_parents_, new_parents_, old_to_new_;
    std::vector<bool> shown_;
    std::string out_;
};

std::string lines_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " line" : " lines");
}

void add_note(std::string& out, std::size_t indent, const std::string& note) {
    out.append(indent, ' ').append("# ").append(note) += '\n';
}

// A snapshot with its lower levels left out, and counted.
class Outline {
public:
    explicit Outline(Lines lines) : lines_(std::move(lines)), parent_(parents(lines_)) {
        std::map<std::size_t, std::size_t> children;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            depth_.push_back(parent_[i] == kNone ? 0 : depth_[parent_[i]] + 1);
            place_.push_back(children[parent_[i]]++);
        }
    }

    std::size_t size() const { return lines_.size(); }
    std::size_t deepest() const { return std::ranges::max(depth_); }
    // Renders the levels above `level`, and of that level the first `max_lines` of each parent.
    std::string render(std::size_t level, std::size_t max_lines) const {
        auto shows = [&](std::size_t line) {
            return depth_[line] < level || (depth_[line] == level && place_[line] < max_lines);
        };
        std::string out;
        for (std::size_t i = 0; i < lines_.size();) {
            std::size_t next = i;
            while (next < lines_.size() && !shows(next) && depth_[next] >= depth_[i]) ++next;
            if (next > i) {
                add_left_out(out, i, next - i);
            } else {
                (out += clipped(lines_[next++], kLongLine)) += '\n';
            }
            i = next;
        }
        return out;
    }

private:
    // Appends the note to the parent line when that is the one before.
    void add_left_out(std::string& out, std::size_t first, std::size_t count) const {
        std::string note = lines_text(count) + " left out";
        bool is_first = first > 0 && parent_[first] == first - 1;
        if (!is_first) return add_note(out, indentation(lines_[first]), note);
        out.pop_back();
        out += " # " + note + "\n";
    }

    Lines lines_;
    std::vector<std::size_t> parent_, depth_, place_;
};

}  // namespace

std::string render_diff(std::string_view before, std::string_view after) {
    if (before == after) return "";
    Lines old_lines = split_lines(before), new_lines = split_lines(after);
    std::vector<Change> changes = diff_lines(old_lines, new_lines);
    if (changes.empty()) return "";
    return DiffRenderer(old_lines, new_lines).render(changes);
}

std::string render_delta(std::string_view before, std::string_view after) {
    if (before == after) return "";
    Lines old_lines = split_lines(before), new_lines = split_lines(after);
    std::vector<Change> changes = diff_lines(old_lines, new_lines);
    std::vector<std::size_t> parent = parents(new_lines);
    std::vector<bool> shown(new_lines.size());
    auto show = [&](std::size_t line) {
        for (; line != kNone && !shown[line]; line = parent[line]) shown[line] = true;
    };
    for (const Change& change : changes) {
        for (std::size_t i = 0; i < change.new_count; ++i) show(change.new_at + i);
        // For removed lines, the lines above say where they were.
        if (change.new_count > 0 || old_lines.empty()) continue;
        std::size_t indent = indentation(old_lines[change.old_at]);
        for (std::size_t above = change.new_at; above-- > 0;) {
            if (indentation(new_lines[above]) < indent) {
                show(above);
                break;
            }
        }
    }
    std::string out;
    std::size_t next = 0;
    auto add_up_to = [&](std::size_t end) {
        while (next < end) {
            std::size_t begin = next;
            while (next < end && !shown[next]) ++next;
            if (next > begin)
                add_note(out, indentation(new_lines[begin]), lines_text(next - begin) + " unchanged");
            for (; next < end && shown[next]; ++next) out.append(new_lines[next]) += '\n';
        }
    };
    for (const Change& change : changes) {
        add_up_to(change.new_at);
        // Replaced lines need no note: the new ones show the change.
        if (change.old_count > change.new_count) {
            std::string_view first = old_lines[change.old_at];
            std::size_t indent = indentation(first);
            std::string note = lines_text(change.old_count - change.new_count) + " removed";
            if (change.new_count == 0) note += ": " + clipped(first.substr(indent), kContextLine);
            add_note(out, indent, note);
        }
        add_up_to(change.new_at + change.new_count);
    }
    add_up_to(new_lines.size());
    return changes.empty() ? "" : out;
}

std::string render_outline(std::string_view snapshot, std::size_t max_chars) {
    if (snapshot.size() <= max_chars) return std::string(snapshot);
    Outline outline(split_lines(snapshot));
    std::string best;
    // Finds the deepest level that fits; each adds to the one before.
    std::size_t level = 0;
    for (; level <= outline.deepest(); ++level) {
        std::string deeper = outline.render(level, kNone);
        if (deeper.size() > max_chars) break;
        best = std::move(deeper);
    }
    // Adds the first lines of each parent in the next level, as many as fit.
    std::size_t fits = 0, too_many = outline.size();
    while (fits + 1 < too_many) {
        std::size_t max_lines = fits + (too_many - fits) / 2;
        (outline.render(level, max_lines).size() <= max_chars ? fits : too_many) = max_lines;
    }
    return fits > 0 || best.empty() ? outline.render(level, fits) : best;
}

}  // namespace store
