#include "tools/prompt_yaml.h"

#include <vector>

#include "util/strings.h"

namespace tools {
namespace {

constexpr int kMaxDepth = 20;

class YamlReader {
public:
    explicit YamlReader(std::string_view text) : lines_(split(text, '\n')) {
        for (std::string& line : lines_) {
            if (line.ends_with('\r')) line.pop_back();
        }
    }

    Result<json::value> read() {
        skip_blank();
        if (at_ < lines_.size() && trim(lines_[at_]) == "---") ++at_;
        skip_blank();
        if (at_ >= lines_.size()) return json::value(nullptr);
        json::value value = TRY(block(indent_of(lines_[at_]), 0));
        skip_blank();
        if (at_ < lines_.size()) return wrong("unexpected indentation");
        return value;
    }

private:
    Error wrong(const std::string& what) const {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "Line " + std::to_string(at_ + 1) + ": " + what + "."};
    }

    static std::size_t indent_of(std::string_view line) {
        return std::min(line.find_first_not_of(' '), line.size());
    }
    static bool is_blank(std::string_view line) {
        std::string_view text = trim(line);
        return text.empty() || text.starts_with('#');
    }
    void skip_blank() {
        while (at_ < lines_.size() && is_blank(lines_[at_])) ++at_;
    }
    static bool is_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

    // Parses the block at this indentation, from the current line on.
    Result<json::value> block(std::size_t indent, int depth) {
        if (depth > kMaxDepth) return wrong("nested too deeply");
        if (is_item(std::string_view(lines_[at_]).substr(indent))) return list(indent, depth);
        return mapping(indent, depth);
    }

    Result<json::value> list(std::size_t indent, int depth) {
        json::array items;
        for (skip_blank(); at_ < lines_.size() && indent_of(lines_[at_]) == indent; skip_blank()) {
            std::string& line = lines_[at_];
            if (!is_item(std::string_view(line).substr(indent))) return wrong("expected \"- \"");
            std::string_view rest = trim(std::string_view(line).substr(indent + 1));
            if (rest.empty()) {
                ++at_;
                items.push_back(TRY(below(indent, depth)));
            } else if (key_end(rest) != std::string_view::npos) {
                // "- name: x" begins a mapping at the indentation of its first key.
                line[indent] = ' ';
                items.push_back(TRY(mapping(indent_of(line), depth + 1)));
            } else {
                items.push_back(TRY(scalar(rest, indent)));
            }
        }
        return json::value(std::move(items));
    }

    Result<json::value> mapping(std::size_t indent, int depth) {
        json::object members;
        for (skip_blank(); at_ < lines_.size() && indent_of(lines_[at_]) == indent; skip_blank()) {
            std::string_view text = std::string_view(lines_[at_]).substr(indent);
            std::size_t colon = key_end(text);
            if (colon == std::string_view::npos) return wrong("expected \"key: value\"");
            std::string key(trim(text.substr(0, colon)));
            if (key.size() > 1 && (key.front() == '"' || key.front() == '\''))
                key = key.substr(1, key.size() - 2);
            std::string rest(trim(text.substr(colon + 1)));
            if (members.contains(key)) return wrong("\"" + key + "\" is there twice");
            if (rest.empty() || rest.starts_with('#')) {
                ++at_;
                members[key] = TRY(below(indent, depth));
            } else {
                members[key] = TRY(scalar(rest, indent));
            }
        }
        if (at_ < lines_.size() && indent_of(lines_[at_]) > indent) return wrong("unexpected indentation");
        return json::value(std::move(members));
    }

    // Parses the value below a key or dash that stands alone on its line. A list may have the same
    // indentation as its key.
    Result<json::value> below(std::size_t indent, int depth) {
        skip_blank();
        if (at_ >= lines_.size()) return json::value(nullptr);
        std::size_t inner = indent_of(lines_[at_]);
        bool item = is_item(std::string_view(lines_[at_]).substr(inner));
        if (inner < indent || (inner == indent && !item)) return json::value(nullptr);
        return block(inner, depth + 1);
    }

    // The position of the colon in "key: value".
    static std::size_t key_end(std::string_view text) {
        if (text.starts_with('"') || text.starts_with('\'')) {
            std::size_t close = text.find(text.front(), 1);
            if (close == std::string_view::npos) return close;
            bool colon = close + 1 < text.size() && text[close + 1] == ':';
            return colon ? close + 1 : std::string_view::npos;
        }
        for (std::size_t i = text.find(':'); i != std::string_view::npos; i = text.find(':', i + 1)) {
            if (i + 1 == text.size() || text[i + 1] == ' ') return i;
        }
        return std::string_view::npos;
    }

    Result<json::value> scalar(std::string_view given, std::size_t indent) {
        std::string text(given);
        if (text.starts_with('|') || text.starts_with('>')) return text_block(text, indent);
        if (text.starts_with('{') || text.starts_with('[')) {
            ++at_;
            auto parsed = json::parse(text);
            if (!parsed) return wrong("lists and mappings on one line must be JSON");
            return *parsed;
        }
        if (text.starts_with('&') || text.starts_with('*') || text.starts_with('!'))
            return wrong("anchors and tags are not supported");
        Result<json::value> value = plain(text);
        ++at_;
        return value;
    }

    Result<json::value> plain(std::string text) const {
        if (text.starts_with('"')) {
            std::size_t close = text.rfind('"');
            auto parsed = json::parse(text.substr(0, close + 1));
            if (close == 0 || !parsed) return wrong("the quoted text is not well formed");
            return *parsed;
        }
        if (text.starts_with('\'')) {
            std::string value;
            for (std::size_t i = 1; i < text.size(); ++i) {
                if (text[i] != '\'') {
                    value += text[i];
                } else if (i + 1 < text.size() && text[i + 1] == '\'') {
                    value += text[i++];
                } else {
                    return json::value(value);
                }
            }
            return wrong("the quoted text is not closed");
        }
        if (std::size_t comment = text.find(" #"); comment != std::string::npos)
            text = trim(std::string_view(text).substr(0, comment));
        if (text == "true" || text == "false") return json::value(text == "true");
        if (text == "null" || text == "~") return json::value(nullptr);
        // Numbers stay texts, because the arguments of prompts are texts.
        return json::value(text);
    }

    Result<json::value> text_block(const std::string& head, std::size_t indent) {
        bool folds = head.front() == '>', keeps_end = head.find('-') == std::string::npos;
        std::size_t inner = 0;
        std::vector<std::string> lines;
        for (++at_; at_ < lines_.size(); ++at_) {
            const std::string& line = lines_[at_];
            if (trim(line).empty()) {
                lines.emplace_back();
                continue;
            }
            if (indent_of(line) <= indent) break;
            if (inner == 0) inner = indent_of(line);
            if (indent_of(line) < inner) return wrong("unexpected indentation");
            lines.push_back(line.substr(inner));
        }
        while (!lines.empty() && lines.back().empty()) lines.pop_back();
        std::string text = join(lines, folds ? " " : "\n");
        return json::value(text + (keeps_end && !text.empty() ? "\n" : ""));
    }

    std::vector<std::string> lines_;
    std::size_t at_ = 0;
};

}  // namespace

Result<json::value> parse_yaml(std::string_view text) { return YamlReader(text).read(); }

}  // namespace tools
