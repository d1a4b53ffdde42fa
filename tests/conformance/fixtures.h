// What the official conformance suites call: the names, texts and schemas their scenarios prescribe.
#pragma once

#include <string_view>

#include "schema/params.h"
#include "tools/registry.h"
#include "util/async.h"

namespace conformance {

inline constexpr std::string_view kRedPixelPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
inline constexpr std::string_view kSilentWav =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

using schema::NoParams;

// Each borrows the registry and the loop for as long as the registry lives.
void add_tools(tools::Registry& registry, Loop& loop);      // answers, progress, logging, cancellation
void add_questions(tools::Registry& registry, Loop& loop);  // tools that ask the client during a call
void add_resources(tools::Registry& registry, Loop& loop);
void add_prompts(tools::Registry& registry, Loop& loop);

}  // namespace conformance
