// What an answer is made of.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/page_note.h"
#include "util/json.h"

namespace tools {

struct Text {
    std::string text;
};
struct Image {
    std::string base64;
    std::string mime_type;
};
struct Audio {
    std::string base64;
    std::string mime_type;
};
// One readable thing: text, or bytes as base64.
struct ResourceContents {
    std::string uri;
    std::string mime_type;
    std::optional<std::string> text;
    std::optional<std::string> base64;
};
struct EmbeddedResource {
    ResourceContents contents;
};
struct ResourceLink {
    std::string uri;
    std::string name;
    std::string description;
    std::string mime_type;
};
using Content = std::variant<Text, Image, Audio, EmbeddedResource, ResourceLink>;

struct ToolResult {
    std::vector<Content> content;
    // Only where the JSON is the complete answer: clients then show the model nothing else.
    std::optional<json::value> structured;
    bool is_error = false;
    // The whole result as another server wrote it, a JSON object: goes on byte for byte in place of the
    // above.
    std::string as_given = {};
    std::filesystem::path links_from = {};  // where its links to files begin; empty: where the server runs
    std::shared_ptr<PageNote> page = {};    // null: nothing is known of a page
    bool own_words = false;                 // of this server; no page had a say in it

    static ToolResult text(std::string text) { return {.content = {Text{std::move(text)}}}; }
    static ToolResult error(std::string text) {
        return {.content = {Text{std::move(text)}}, .is_error = true};
    }
    static ToolResult from(const Error& error);
};

// Whether an error is about a rule or limit of this server, and tells nothing of a page.
bool is_own(const Error& error);

}  // namespace tools
