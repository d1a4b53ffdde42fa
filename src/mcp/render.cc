#include "mcp/render.h"

namespace mcp {

void ObjectWriter::key(std::string_view name) {
    if (text_.size() > 1) text_ += ',';
    json::append_string(text_, name);
    text_ += ':';
}

ObjectWriter& ObjectWriter::string(std::string_view name, std::string_view value) {
    key(name);
    json::append_string(text_, value);
    return *this;
}

ObjectWriter& ObjectWriter::optional_string(std::string_view name, std::string_view value) {
    return value.empty() ? *this : string(name, value);
}

ObjectWriter& ObjectWriter::boolean(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
}

ObjectWriter& ObjectWriter::raw(std::string_view name, std::string_view json_text) {
    key(name);
    text_ += json_text;
    return *this;
}

namespace {

std::string render_annotations(const tools::Tool& tool) {
    using tools::Effect;
    bool reads = tool.effect == Effect::ReadsPage || tool.effect == Effect::ReadsServer;
    bool open_world = tool.effect == Effect::ReadsPage || tool.effect == Effect::ChangesPage;
    return ObjectWriter()
        .optional_string("title", tool.title)
        .boolean("readOnlyHint", reads)
        .boolean("destructiveHint", !reads)
        .boolean("idempotentHint", reads)
        .boolean("openWorldHint", open_world)
        .finish();
}

std::string base64_text(std::string_view base64) {
    std::string text;
    json::append_plain(text, base64);
    return text;
}

struct ContentRenderer {
    std::string operator()(const tools::Text& content) const {
        return ObjectWriter().string("type", "text").string("text", content.text).finish();
    }
    std::string operator()(const tools::Image& content) const {
        return media("image", content.base64, content.mime_type);
    }
    std::string operator()(const tools::Audio& content) const {
        return media("audio", content.base64, content.mime_type);
    }
    std::string operator()(const tools::EmbeddedResource& content) const {
        return ObjectWriter().string("type", "resource").raw("resource", render(content.contents)).finish();
    }
    std::string operator()(const tools::ResourceLink& content) const {
        return ObjectWriter()
            .string("type", "resource_link")
            .string("uri", content.uri)
            .string("name", content.name)
            .optional_string("description", content.description)
            .optional_string("mimeType", content.mime_type)
            .finish();
    }
    static std::string media(std::string_view type, std::string_view base64, std::string_view mime_type) {
        return ObjectWriter()
            .string("type", type)
            .raw("data", base64_text(base64))
            .string("mimeType", mime_type)
            .finish();
    }
};

}  // namespace

std::string render(const ListedTool& listed) {
    const tools::Tool& tool = *listed.tool;
    if (!tool.raw_json.empty()) {
        const json::object& schema = tool.schema_for(*listed.caller);
        if (schema.empty()) return json::serialize(tool.raw_json);
        json::object given = tool.raw_json;
        given["inputSchema"] = schema;
        return json::serialize(given);
    }
    ObjectWriter writer;
    writer.string("name", tool.name)
        .optional_string("title", tool.title)
        .string("description", tool.description)
        .raw("inputSchema", json::serialize(tool.schema_for(*listed.caller)));
    if (!tool.output_schema.empty()) writer.raw("outputSchema", json::serialize(tool.output_schema));
    writer.raw("annotations", render_annotations(tool));
    return writer.finish();
}

std::string render(const tools::Prompt& prompt) {
    std::string arguments = "[";
    for (const tools::PromptArgument& argument : prompt.arguments) {
        if (arguments.size() > 1) arguments += ',';
        arguments += ObjectWriter()
                         .string("name", argument.name)
                         .optional_string("description", argument.description)
                         .boolean("required", argument.required)
                         .finish();
    }
    return ObjectWriter()
        .string("name", prompt.name)
        .optional_string("title", prompt.title)
        .optional_string("description", prompt.description)
        .raw("arguments", arguments + "]")
        .finish();
}

std::string render(const tools::Resource& resource) {
    ObjectWriter writer;
    writer.string("uri", resource.uri)
        .string("name", resource.name)
        .optional_string("title", resource.title)
        .optional_string("description", resource.description)
        .optional_string("mimeType", resource.mime_type);
    if (!resource.meta.empty()) writer.raw("_meta", json::serialize(resource.meta));
    return writer.finish();
}

std::string render(const tools::ResourceTemplate& resource_template) {
    return ObjectWriter()
        .string("uriTemplate", resource_template.uri_template)
        .string("name", resource_template.name)
        .optional_string("title", resource_template.title)
        .optional_string("description", resource_template.description)
        .optional_string("mimeType", resource_template.mime_type)
        .finish();
}

std::string render(const tools::Content& content) { return std::visit(ContentRenderer{}, content); }

std::string render(const tools::ResourceContents& contents) {
    ObjectWriter writer;
    writer.string("uri", contents.uri).optional_string("mimeType", contents.mime_type);
    if (contents.base64) {
        writer.raw("blob", base64_text(*contents.base64));
    } else {
        writer.string("text", contents.text.value_or(""));
    }
    if (!contents.meta.empty()) writer.raw("_meta", json::serialize(contents.meta));
    return writer.finish();
}

std::string render(const tools::PromptMessage& message) {
    bool user = message.role == tools::PromptMessage::Role::User;
    return ObjectWriter()
        .string("role", user ? "user" : "assistant")
        .raw("content", render(message.content))
        .finish();
}

}  // namespace mcp
