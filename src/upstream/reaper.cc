#include "upstream/reaper.h"

#include "upstream/memory_file.h"

namespace upstream {

Result<Reaper> Reaper::create() { return Reaper(TRY(memory_file("troupe-reaper", reaper_program()))); }

}  // namespace upstream
