#include "store/search_text.h"

#include <algorithm>

#include "util/strings.h"

namespace store {
namespace {

constexpr std::size_t kMaxParams = 4 << 10;
constexpr std::size_t kMaxContent = 256 << 10;
constexpr std::size_t kMaxWords = 32;

// Cuts the text without splitting a character.
std::string_view at_most(std::string_view text, std::size_t size) {
    if (text.size() <= size) return text;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    return text.substr(0, size);
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
    while (!text.empty()) {
        std::size_t end = std::min(text.find('\n'), text.size());
        if (!visit(text.substr(0, end))) return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// FNV-1a over the line, without indentation and without "[ref=e12]": neither is new content.
std::uint64_t hash_of(std::string_view line) {
    std::size_t begin = std::min(line.find_first_not_of(" -"), line.size());
    std::size_t ref = line.find(" [ref=", begin);
    std::size_t after = ref == line.npos ? line.npos : line.find(']', ref);
    std::uint64_t hash = 0xcbf29ce484222325;
    auto mix = [&](std::string_view part) {
        for (; part.size() >= 8; part.remove_prefix(8)) {
            std::uint64_t word;
            std::copy_n(part.data(), 8, reinterpret_cast<char*>(&word));
            hash = (hash ^ word) * 0x9E3779B97F4A7C15;
            hash ^= hash >> 29;
        }
        for (char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    };
    if (after == line.npos) {
        mix(line.substr(begin));
    } else {
        mix(line.substr(begin, ref - begin));
        mix(line.substr(after + 1));
    }
    return hash;
}

}  // namespace

std::vector<std::uint64_t> line_hashes(std::string_view text) {
    std::vector<std::uint64_t> hashes;
    for_each_line(text, [&](std::string_view line) {
        hashes.push_back(hash_of(line));
        return true;
    });
    std::sort(hashes.begin(), hashes.end());
    return hashes;
}

std::string new_lines(std::string_view text, const std::vector<std::uint64_t>& before) {
    std::string lines;
    for_each_line(text, [&](std::string_view line) {
        if (std::binary_search(before.begin(), before.end(), hash_of(line))) return true;
        lines.append(line.substr(std::min(line.find_first_not_of(" -"), line.size()))).push_back('\n');
        return lines.size() <= kMaxNewLines;
    });
    return lines;
}

std::string search_document(const SearchParts& parts) {
    std::string document;
    for (std::string_view part :
         {parts.tool_name, at_most(parts.params, kMaxParams), parts.page_url, parts.page_title,
          at_most(parts.error_message, kMaxParams), at_most(parts.content, kMaxContent)}) {
        if (!part.empty()) document.append(part).push_back('\n');
    }
    return document;
}

std::string search_expression(std::string_view words) {
    std::string expression;
    std::size_t count = 0;
    std::string word;
    auto finish = [&] {
        if (!word.empty() && ++count <= kMaxWords)
            expression += (expression.empty() ? "\"" : " \"") + word + "\"*";
        word.clear();
    };
    for (std::size_t at = 0; at < words.size();) {
        auto c = static_cast<unsigned char>(words[at]);
        std::size_t length = c < 0x80 ? 1 : utf8_sequence_length(words.substr(at));
        bool is_word = c < 0x80 ? std::isalnum(c) != 0 : length > 0;
        if (is_word) {
            word += words.substr(at, length);
        } else {
            finish();
        }
        at += std::max<std::size_t>(length, 1);
    }
    finish();
    return expression;
}

}  // namespace store
