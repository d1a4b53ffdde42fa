// Headers that most files of this folder include, compiled once.
#pragma once

#include "session/session.h"
#include "util/precompiled.h"
