// Removes values from JSON, which remains well-formed.
#include <cctype>

#include "util/redactor.h"

namespace {

constexpr std::size_t kNone = std::string::npos;

std::size_t end_of_string(std::string_view json, std::size_t at) {
    for (std::size_t end = at + 1; end < json.size(); ++end) {
        if (json[end] == '\\')
            ++end;
        else if (json[end] == '"')
            return end + 1;
    }
    return kNone;
}

// Numbers, true, false and null.
bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.';
}
bool is_number(std::string_view word) {
    return word.find_first_not_of("0123456789+-.eE") == kNone && word.find_first_of("0123456789") != kNone;
}

}  // namespace

template <class Redact>
std::string Redactor::replace_in_json(std::string text, Numbers numbers, Redact redact) const {
    if (empty()) return text;
    std::string_view json = text;
    std::string clean;
    std::size_t kept = 0;  // end of the copied text
    auto replace = [&](std::size_t at, std::size_t end, std::string with) {
        clean.append(json, kept, at - kept);
        clean += json::serialize(json::value(redact(std::move(with))));
        kept = end;
    };
    for (std::size_t at = 0, end = 0; at < json.size(); at = end) {
        end = at + 1;
        if (json[at] == '"') {
            end = end_of_string(json, at);
            if (end == kNone) return redact(std::move(text));
            if (!changes(json.substr(at + 1, end - at - 2))) continue;
            auto value = json::parse(json.substr(at, end - at));
            if (!value || !value->is_string()) return redact(std::move(text));
            replace(at, end, std::string(value->get_string()));
        } else if (is_word(json[at])) {
            while (end < json.size() && is_word(json[end])) ++end;
            std::string_view word = json.substr(at, end - at);
            if (is_number(word)) {
                if (numbers == Numbers::Hide && hides_number(word)) replace(at, end, std::string(word));
            } else if (word != "true" && word != "false" && word != "null") {
                return redact(std::move(text));
            }
        } else if (!std::string_view("{}[]:, \t\r\n").contains(json[at])) {
            return redact(std::move(text));
        }
    }
    if (kept == 0) return text;
    return clean.append(json, kept);
}

std::string Redactor::redact_json(std::string text, Numbers numbers) const {
    return replace_in_json(std::move(text), numbers,
                           [this](std::string each) { return redact(std::move(each)); });
}

std::string Redactor::redact_json(std::string text, Numbers numbers, std::string_view mark) const {
    return replace_in_json(std::move(text), numbers,
                           [this, mark](std::string each) { return redact(std::move(each), mark); });
}

json::value Redactor::redact_all(json::value value) const {
    if (empty()) return value;
    if (json::array* items = value.if_array()) {
        for (json::value& item : *items) item = redact_all(std::move(item));
    } else if (json::object* members = value.if_object()) {
        json::object clean;
        for (auto& member : *members)
            clean[redact(std::string(member.key()))] = redact_all(std::move(member.value()));
        value = std::move(clean);
    } else if (value.is_string()) {
        value = redact(std::string(value.get_string()));
    } else if (value.is_number()) {
        std::string digits = json::serialize(value);
        if (hides_number(digits)) value = redact(std::move(digits));
    }
    return value;
}
