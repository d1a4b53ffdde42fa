#include "tools/result_limit.h"

#include <algorithm>

#include "tools/error_answer.h"
#include "util/shorten.h"

namespace tools {
namespace {

struct Size {
    std::size_t operator()(const Text& part) const { return wire_size(part.text); }
    std::size_t operator()(const Image& part) const { return part.base64.size(); }
    std::size_t operator()(const Audio& part) const { return part.base64.size(); }
    std::size_t operator()(const EmbeddedResource& part) const { return size_of(part.contents); }
    std::size_t operator()(const ResourceLink& part) const {
        return part.uri.size() + part.name.size() + part.description.size();
    }
};

std::string left_out(std::size_t bytes, std::size_t limit) {
    return "### Left out\n- This answer is not whole. " + over_limit(bytes, limit) +
           " Ask for less of it, or for a file where the tool takes a filename.";
}

// The longest beginning of a text that takes at most `limit` bytes of a message.
std::string_view beginning_on_wire(std::string_view text, std::size_t limit) {
    text = beginning(text, limit);
    for (std::size_t size; (size = wire_size(text)) > limit;)
        text = beginning(text, std::min(text.size() * limit / size, text.size() - 1));
    return text;
}

}  // namespace

std::size_t wire_size(std::string_view text) {
    std::size_t size = text.size();
    for (char c : text) {
        if (c == '"' || c == '\\') {
            ++size;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            bool has_letter = c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f';
            size += has_letter ? 1 : kMaxEscaped - 1;
        }
    }
    return size;
}

std::size_t size_of(const ResourceContents& contents) {
    return wire_size(contents.text.value_or("")) + contents.base64.value_or("").size();
}

std::size_t size_sent_twice(std::string_view json_text) { return json_text.size() + wire_size(json_text); }

std::string over_limit(std::size_t bytes, std::size_t limit, std::string_view how) {
    return "It has " + std::to_string(bytes) + " bytes" + std::string(how) + "; an answer may have " +
           std::to_string(limit) + " (session.maxResultBytes).";
}

json::object too_large(std::size_t bytes, std::size_t limit, std::string hint) {
    json::object answer =
        error_answer({.code = ErrorCode::ResourceExhausted,
                      .message = "The answer is too large. " + over_limit(bytes, limit, kSentTwice),
                      .hint = std::move(hint)});
    answer["error"].as_object()["retryable"] = false;
    return answer;
}

std::size_t size_of(const ToolResult& result) {
    std::size_t size = result.raw_json.size();
    std::size_t text_size = 0;
    for (const Content& part : result.content) {
        size += std::visit(Size{}, part);
        if (const auto* text = std::get_if<Text>(&part)) text_size += text->text.size();
    }
    if (!result.structured) return size;
    // The text of a structured answer is the same JSON.
    return text_size > 0 ? size + text_size : size + size_sent_twice(json::serialize(*result.structured));
}

void keep_within(std::size_t limit, ToolResult& result) {
    std::size_t size = size_of(result);
    if (size <= limit) return;
    if (result.structured) {
        result.content.clear();
        json::object answer = too_large(size, limit, "Ask for less of it.");
        auto page = result.page;
        result = ToolResult::error(json::serialize(answer));
        result.structured = std::move(answer);
        result.trusted = true;
        result.page = std::move(page);
        return;
    }
    std::size_t left = limit;
    std::vector<Content> kept;
    for (Content& part : result.content) {
        std::size_t bytes = std::visit(Size{}, part);
        if (auto* text = std::get_if<Text>(&part); text && bytes > left) {
            text->text.resize(beginning_on_wire(text->text, left).size());
            bytes = wire_size(text->text);
        }
        if (bytes > left) continue;
        left -= bytes;
        kept.push_back(std::move(part));
    }
    result.content = std::move(kept);
    result.raw_json.clear();
    result.content.emplace_back(Text{left_out(size, limit)});
}

}  // namespace tools
