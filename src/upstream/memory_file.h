// A file that exists only in memory.
#pragma once

#include <string_view>

#include "util/spawn.h"

namespace upstream {

// Disappears with its last descriptor; programs of this user reach it as /proc/<our pid>/fd/<descriptor>.
Result<Descriptor> memory_file(const char* name, std::string_view bytes);

}  // namespace upstream
