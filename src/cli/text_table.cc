#include "cli/text_table.h"

#include <algorithm>

#include "util/strings.h"

namespace cli {
namespace {

constexpr std::size_t kMaxCellLength = 100;

// The width in characters.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string plain(const json::value& value) {
    if (value.is_null()) return "";
    if (const auto* text = value.if_string()) return std::string(*text);
    return json::serialize(value);
}

// The value without line breaks, cut to the maximum length.
std::string to_cell(const json::value& value) {
    std::string cell;
    for (const std::string& line : split(plain(value), '\n')) {
        std::string_view words = trim(line);
        if (!cell.empty() && !words.empty()) cell += ' ';
        cell += words;
        if (cell.size() > kMaxCellLength) return well_formed(cell.substr(0, kMaxCellLength)) + "…";
    }
    return cell;
}

}  // namespace

std::string aligned(const TextRows& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - width(row[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string table_of(const store::SqlRows& found) {
    std::string text;
    if (found.columns.size() == 1) {
        for (const auto& row : found.rows) text += plain(row.front()) + "\n";
        return text;
    }
    TextRows rows{found.columns};
    for (const auto& row : found.rows) {
        auto& cells = rows.emplace_back();
        for (const json::value& value : row) cells.push_back(to_cell(value));
    }
    return aligned(rows);
}

std::string json_of(const store::SqlRows& found) {
    json::array listed;
    for (const auto& row : found.rows) {
        json::object object;
        for (std::size_t i = 0; i < row.size(); ++i) object[found.columns[i]] = row[i];
        listed.push_back(std::move(object));
    }
    return json::pretty(listed) + "\n";
}

}  // namespace cli
