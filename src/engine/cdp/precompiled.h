// Headers that most files of the engine include, compiled once.
#pragma once

// util's comes first: it includes <algorithm> without the warnings of libstdc++ 12.
// clang-format off
#include "util/precompiled.h"
#include "engine/cdp/page.h"
// clang-format on
