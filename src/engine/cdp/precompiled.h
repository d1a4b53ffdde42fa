// Headers that most files of the engine include, compiled once.
#pragma once

#include "engine/cdp/page.h"
#include "util/precompiled.h"
