// Redacts values in every part of an answer.
#pragma once

#include "tools/content.h"
#include "util/redactor.h"

namespace tools {

// Everything except images and audio.
void redact(const Redactor& redactor, ToolResult& result);
// Also redacts bytes, in any format that is not compressed.
void redact(const Redactor& redactor, ResourceContents& contents);
void redact(const Redactor& redactor, PageNote& note);

}  // namespace tools
