#include "schema/pattern.h"

#include <algorithm>

#include "schema/pattern_parser.h"
#include "util/strings.h"

namespace schema {
namespace {

constexpr std::size_t kMaxSource = 4096;
constexpr std::size_t kMaxText = 65'536;
constexpr std::size_t kMaxStates = std::size_t{1} << 26;  // one bit each

std::u32string to_code_points(std::string_view text) {
    std::u32string points;
    points.reserve(text.size());
    while (!text.empty()) {
        std::size_t length = utf8_sequence_length(text);
        auto lead = static_cast<unsigned char>(text.front());
        char32_t point = length == 0 ? 0xFFFD : length == 1 ? lead : lead & (0x7Fu >> length);
        for (std::size_t i = 1; i < length; ++i)
            point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
        points.push_back(point);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return points;
}

bool is_word(char32_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= 'a' && c <= 'z');
}

bool contains(const Pattern::Set& set, char32_t c) {
    for (auto [first, last] : set) {
        if (c >= first && c <= last) return true;
    }
    return false;
}

// One search. A state is an instruction and a position in the text; whether it leads to a match depends on
// nothing else, so each is tried once.
class Search {
public:
    Search(const Pattern::Code& code, const std::vector<Pattern::Set>& sets, const std::u32string& text,
           std::int64_t& steps)
        : code_(code), sets_(sets), text_(text), steps_(steps) {
        std::size_t states = code.size() * (text.size() + 1);
        if (states > kMaxStates) steps_ = -1;
        steps_ -= static_cast<std::int64_t>(states / 64);
        if (steps_ >= 0) tried_.resize(states);
    }

    bool matches_from(std::size_t instruction, std::size_t place) {
        pending_.emplace_back(instruction, place);
        while (!pending_.empty() && steps_ >= 0) {
            auto [pc, at] = pending_.back();
            pending_.pop_back();
            if (follow(pc, at)) return true;
        }
        return false;
    }

private:
    // Follows one branch to its end; the other branches of a split are left in `pending_`.
    bool follow(std::size_t pc, std::size_t at) {
        using enum Pattern::Op;
        while (true) {
            std::size_t state = pc * (text_.size() + 1) + at;
            if (--steps_ < 0 || tried_[state]) return false;
            tried_[state] = true;
            const Pattern::Instruction& now = code_[pc];
            switch (now.op) {
                case Match:
                    return true;
                case Char:
                    if (at == text_.size() || text_[at] != static_cast<char32_t>(now.first)) return false;
                    ++at;
                    break;
                case Set:
                    if (at == text_.size() ||
                        !contains(sets_[static_cast<std::size_t>(now.first)], text_[at]))
                        return false;
                    ++at;
                    break;
                case Begin:
                    if (at != 0) return false;
                    break;
                case End:
                    if (at != text_.size()) return false;
                    break;
                case Boundary:
                case NoBoundary:
                    if (at_boundary(at) != (now.op == Boundary)) return false;
                    break;
                case Ahead:
                case NotAhead:
                    if (Search(code_, sets_, text_, steps_).matches_from(pc + 1, at) != (now.op == Ahead))
                        return false;
                    pc = jump(pc, now.first);
                    continue;
                case Split:
                    pending_.emplace_back(jump(pc, now.second), at);
                    [[fallthrough]];
                case Jump:
                    pc = jump(pc, now.first);
                    continue;
            }
            ++pc;
        }
    }

    static std::size_t jump(std::size_t pc, std::int32_t by) {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(pc) + by);
    }

    bool at_boundary(std::size_t at) const {
        return (at > 0 && is_word(text_[at - 1])) != (at < text_.size() && is_word(text_[at]));
    }

    const Pattern::Code& code_;
    const std::vector<Pattern::Set>& sets_;
    const std::u32string& text_;
    std::int64_t& steps_;
    std::vector<bool> tried_;
    std::vector<std::pair<std::size_t, std::size_t>> pending_;
};

}  // namespace

Result<Pattern> Pattern::create(std::string_view source) {
    auto refuse = [&](std::string_view reason) {
        return Error{
            .code = ErrorCode::InvalidArgument,
            .message = "The pattern /" + std::string(source.substr(0, 200)) +
                       "/ cannot be used: " + std::string(reason) + ".",
        };
    };
    if (source.size() > kMaxSource) return refuse("it is longer than 4096 bytes");
    PatternParser parser(to_code_points(source));
    Pattern pattern;
    pattern.code_ = parser.parse();
    if (!parser.error().empty()) return refuse(parser.error());
    pattern.source_ = source;
    pattern.sets_ = parser.take_sets();
    return pattern;
}

Pattern::Outcome Pattern::search(std::string_view text, std::int64_t& steps) const {
    if (text.size() > kMaxText) return Outcome::TooCostly;
    std::u32string points = to_code_points(text);
    Search search(code_, sets_, points, steps);
    for (std::size_t start = 0; start <= points.size() && steps >= 0; ++start) {
        if (search.matches_from(0, start)) return Outcome::Match;
    }
    return steps < 0 ? Outcome::TooCostly : Outcome::NoMatch;
}

}  // namespace schema
