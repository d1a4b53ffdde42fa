// Keeps values out of everything that an answer is made of.
#pragma once

#include "tools/content.h"
#include "util/redactor.h"

namespace tools {

// All but pictures and sounds.
void redact(const Redactor& redactor, ToolResult& result);
// Bytes that are text are redacted, too.
void redact(const Redactor& redactor, ResourceContents& contents);
void redact(const Redactor& redactor, PageNote& note);

}  // namespace tools
