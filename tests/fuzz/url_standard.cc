#include "tests/fuzz/url_standard.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fuzz {
namespace {

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string decode(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool escape =
            text[i] == '%' && i + 2 < text.size() && digit_of(text[i + 1]) < 16 && digit_of(text[i + 2]) < 16;
        decoded += escape ? static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2])) : text[i];
        if (escape) i += 2;
    }
    return decoded;
}

// The standard's forbidden domain code points, and all beyond ASCII.
bool is_forbidden(char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte >= 0x7f || std::string_view("#%/:<>?@[\\]^|").contains(c);
}

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t dot; (dot = text.find('.')) != std::string_view::npos; text.remove_prefix(dot + 1))
        parts.push_back(text.substr(0, dot));
    parts.push_back(text);
    return parts;
}

// Sticks at 2^40, more than any address.
std::optional<std::uint64_t> parse_number(std::string_view part) {
    if (part.empty()) return std::nullopt;
    int base = 10;
    if (part.size() >= 2 && part[0] == '0' && small(part[1]) == 'x') {
        base = 16;
        part.remove_prefix(2);
    } else if (part.size() >= 2 && part[0] == '0') {
        base = 8;
        part.remove_prefix(1);
    }
    std::uint64_t value = 0;
    for (char c : part) {
        if (digit_of(c) >= base) return std::nullopt;
        value = std::min<std::uint64_t>(value * base + digit_of(c), std::uint64_t{1} << 40U);
    }
    return value;
}

bool ends_in_number(std::vector<std::string_view> parts) {
    if (parts.back().empty()) {
        if (parts.size() == 1) return false;
        parts.pop_back();
    }
    std::string_view last = parts.back();
    bool digits = !last.empty() && std::ranges::all_of(last, [](char c) { return digit_of(c) < 10; });
    return digits || parse_number(last);
}

std::optional<Ipv4> parse_v4(std::vector<std::string_view> parts) {
    if (parts.back().empty() && parts.size() > 1) parts.pop_back();
    if (parts.size() > 4) return std::nullopt;
    std::uint64_t address = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto number = parse_number(parts[i]);
        bool last = i + 1 == parts.size();
        if (!number || (!last && *number > 255)) return std::nullopt;
        if (last && *number >= std::uint64_t{1} << (8 * (5 - parts.size()))) return std::nullopt;
        address += last ? *number : *number << (8 * (3 - i));
    }
    return static_cast<Ipv4>(address);
}

// Two pieces of an IPv6 address from "a.b.c.d", plainly written.
std::optional<std::array<std::uint16_t, 2>> parse_tail(std::string_view text) {
    auto parts = parts_of(text);
    if (parts.size() != 4) return std::nullopt;
    std::uint32_t address = 0;
    for (std::string_view part : parts) {
        if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0')) return std::nullopt;
        std::uint32_t value = 0;
        for (char c : part) {
            if (digit_of(c) >= 10) return std::nullopt;
            value = value * 10 + digit_of(c);
        }
        if (value > 255) return std::nullopt;
        address = address << 8U | value;
    }
    return std::array{static_cast<std::uint16_t>(address >> 16U), static_cast<std::uint16_t>(address)};
}

// "a:b:c" as pieces; nothing when one of them is none. A last one may be "a.b.c.d".
std::optional<std::vector<std::uint16_t>> parse_pieces(std::string_view text, bool may_have_tail) {
    std::vector<std::uint16_t> pieces;
    while (!text.empty()) {
        std::size_t colon = text.find(':');
        std::string_view piece = text.substr(0, colon);
        text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
        if (colon != std::string_view::npos && text.empty()) return std::nullopt;
        if (piece.contains('.')) {
            auto tail = parse_tail(piece);
            if (!tail || !text.empty() || !may_have_tail) return std::nullopt;
            pieces.insert(pieces.end(), tail->begin(), tail->end());
            return pieces;
        }
        if (piece.empty() || piece.size() > 4) return std::nullopt;
        std::uint16_t value = 0;
        for (char c : piece) {
            if (digit_of(c) >= 16) return std::nullopt;
            value = static_cast<std::uint16_t>(value << 4U | static_cast<unsigned>(digit_of(c)));
        }
        pieces.push_back(value);
    }
    return pieces;
}

std::optional<Ipv6> parse_v6(std::string_view text) {
    std::size_t gap = text.find("::");
    bool has_gap = gap != std::string_view::npos;
    if (!has_gap && text.empty()) return std::nullopt;
    auto before = parse_pieces(text.substr(0, gap), !has_gap);
    auto behind = parse_pieces(has_gap ? text.substr(gap + 2) : std::string_view(), true);
    if (!before || !behind) return std::nullopt;
    std::size_t count = before->size() + behind->size();
    if (has_gap ? count > 7 : count != 8) return std::nullopt;
    Ipv6 address{};
    std::ranges::copy(*before, address.begin());
    std::ranges::copy(*behind, address.end() - static_cast<std::ptrdiff_t>(behind->size()));
    return address;
}

}  // namespace

std::optional<Host> parse_host(std::string_view text) {
    if (text.starts_with('[')) {
        if (!text.ends_with(']')) return std::nullopt;
        auto v6 = parse_v6(text.substr(1, text.size() - 2));
        return v6 ? std::optional<Host>(*v6) : std::nullopt;
    }
    std::string name = decode(text);
    if (name.empty() || std::ranges::any_of(name, is_forbidden)) return std::nullopt;
    std::ranges::transform(name, name.begin(), small);
    if (!ends_in_number(parts_of(name))) return name;
    auto v4 = parse_v4(parts_of(name));
    return v4 ? std::optional<Host>(*v4) : std::nullopt;
}

std::string serialize(const Host& host) {
    if (const auto* name = std::get_if<std::string>(&host)) return *name;
    if (const auto* v4 = std::get_if<Ipv4>(&host)) {
        std::string text;
        for (unsigned shift : {24U, 16U, 8U, 0U})
            text += std::to_string(*v4 >> shift & 255U) + (shift > 0 ? "." : "");
        return text;
    }
    // Without the shortest form: an address has many texts, and this is one of them.
    std::string text = "[";
    for (std::uint16_t piece : std::get<Ipv6>(host)) {
        char digits[8];
        std::snprintf(digits, sizeof digits, "%x:", piece);
        text += digits;
    }
    text.back() = ']';
    return text;
}

std::string StandardUrl::origin() const {
    return scheme + "://" + serialize(host) + (port.empty() ? "" : ":" + port);
}

std::optional<StandardUrl> parse_url(std::string_view given) {
    auto is_space = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!given.empty() && is_space(given.front())) given.remove_prefix(1);
    while (!given.empty() && is_space(given.back())) given.remove_suffix(1);
    std::string text(given);
    std::erase_if(text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
    static const std::map<std::string, std::string, std::less<>> kPorts = {
        {"http", "80"}, {"https", "443"}, {"ws", "80"}, {"wss", "443"}, {"ftp", "21"}};
    std::size_t colon = text.find(':');
    if (colon == std::string::npos) return std::nullopt;
    StandardUrl url{.scheme = text.substr(0, colon), .host = {}, .port = {}};
    std::ranges::transform(url.scheme, url.scheme.begin(), small);
    auto own_port = kPorts.find(url.scheme);
    if (own_port == kPorts.end()) return std::nullopt;
    std::string_view rest = std::string_view(text).substr(colon + 1);
    // However many slashes, of either kind.
    rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
    rest = rest.substr(0, rest.find_first_of("/\\?#"));
    if (std::size_t at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
    // A colon in brackets is of the address.
    std::size_t port = rest.find(':', rest.starts_with('[') ? rest.find(']') : 0);
    auto host = parse_host(rest.substr(0, port));
    if (!host) return std::nullopt;
    url.host = *host;
    std::uint32_t number = 0;
    std::string_view digits = port == std::string_view::npos ? std::string_view() : rest.substr(port + 1);
    for (char c : digits) {
        if (digit_of(c) >= 10) return std::nullopt;
        number = number * 10 + digit_of(c);
        if (number > 65535) return std::nullopt;
    }
    if (!digits.empty()) url.port = std::to_string(number);
    if (url.port == own_port->second) url.port.clear();
    return url;
}

}  // namespace fuzz
