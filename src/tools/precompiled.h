// Headers that most files of this folder and of those above it include, compiled once.
#pragma once

#include "tools/tab_tool.h"
#include "util/precompiled.h"
