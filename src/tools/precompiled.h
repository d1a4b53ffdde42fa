// Headers that most files of this folder and of those above it include, compiled once.
#pragma once

// util's comes first: it includes <algorithm> without the warnings of libstdc++ 12.
// clang-format off
#include "util/precompiled.h"
#include "tools/tab_tool.h"
// clang-format on
