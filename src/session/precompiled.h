// Headers that most files of this folder include, compiled once.
#pragma once

// util's comes first: it includes <algorithm> without the warnings of libstdc++ 12.
// clang-format off
#include "util/precompiled.h"
#include "session/session.h"
// clang-format on
