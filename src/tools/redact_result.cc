#include "tools/redact_result.h"

#include "util/strings.h"

namespace tools {
namespace {

void redact_in(const Redactor& redactor, std::string& text) { text = redactor.redact(std::move(text)); }

struct ContentRedactor {
    const Redactor& redactor;

    void operator()(Text& part) const { redact_in(redactor, part.text); }
    void operator()(Image&) const {}
    void operator()(Audio&) const {}
    void operator()(EmbeddedResource& part) const { redact(redactor, part.contents); }
    void operator()(ResourceLink& part) const {
        for (std::string* text : {&part.uri, &part.name, &part.description}) redact_in(redactor, *text);
    }
};

}  // namespace

void redact(const Redactor& redactor, ToolResult& result) {
    if (redactor.empty()) return;
    for (Content& part : result.content) std::visit(ContentRedactor{redactor}, part);
    if (result.structured) result.structured = redactor.redact_all(std::move(*result.structured));
    result.raw_json = redactor.redact_json(std::move(result.raw_json), Redactor::Numbers::Hide);
    if (result.page) redact(redactor, *result.page);
}

void redact(const Redactor& redactor, ResourceContents& contents) {
    if (redactor.empty()) return;
    redact_in(redactor, contents.uri);
    if (contents.text)
        contents.text = contents.mime_type == "application/json"
                            ? redactor.redact_json(std::move(*contents.text), Redactor::Numbers::Hide)
                            : redactor.redact(std::move(*contents.text));
    if (!contents.base64) return;
    auto bytes = base64_decode(*contents.base64);
    if (!bytes) return;
    std::string clean = redactor.redact_bytes(*bytes);
    if (clean != *bytes) contents.base64 = base64_encode(clean);
}

void redact(const Redactor& redactor, PageNote& note) {
    if (redactor.empty()) return;
    redact_in(redactor, note.url);
    redact_in(redactor, note.title);
    if (note.snapshot) redact_in(redactor, *note.snapshot);
    for (NotedMessage& message : note.console) {
        redact_in(redactor, message.text);
        redact_in(redactor, message.url);
    }
    for (NotedRequest& request : note.requests) {
        for (std::string* text :
             {&request.method, &request.url, &request.status_text, &request.mime_type, &request.failure})
            redact_in(redactor, *text);
    }
}

}  // namespace tools
