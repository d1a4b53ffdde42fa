#include "upstream/keeper.h"

#include "upstream/memory_file.h"

namespace upstream {

Result<Keeper> Keeper::create() { return Keeper(TRY(memory_file("troupe-keeper", keeper_program()))); }

}  // namespace upstream
