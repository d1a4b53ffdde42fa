// Small text helpers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
void replace_all(std::string& text, std::string_view what, std::string_view by);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Length of the valid UTF-8 sequence that `text` begins with, 0 when it begins with none.
std::size_t utf8_sequence_length(std::string_view text);
bool is_valid_utf8(std::string_view text);
// Replaces invalid UTF-8 and lone surrogates by U+FFFD.
std::string well_formed(std::string text);

// Whether `text` matches `pattern`, in which * stands for any run of characters and ? for one.
bool matches_glob(std::string_view text, std::string_view pattern);

// The candidate most similar to the typed name, empty when none is close.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& candidates);

std::string base64_encode(std::string_view bytes);
// Accepts the standard and the URL-safe alphabet, padded or not.
Result<std::string> base64_decode(std::string_view text);
std::string hex_encode(std::string_view bytes);

// Encodes one part of a URI's path: all but letters, digits and -._~ as %XX.
std::string percent_encode(std::string_view text);
// Invalid escapes stay as they are.
std::string percent_decode(std::string_view text);

// Escapes "&", "<", ">" and quotes for HTML text and attributes.
std::string escape_html(std::string_view text);
