// Cookies and storage saved in the form of Playwright's storage state files, validated before anything is
// changed.
#pragma once

#include "util/json.h"
#include "util/result.h"

namespace engine {

// Extracts the state: `given` is a state, or the whole answer of save_state. Anything else is InvalidArgument
// with the first problem, including an object with neither cookies nor origins, which would only delete.
Result<json::value> read_storage_state(json::value given);

// Turns the error into one about restoring a state, in Playwright's words.
Error not_restored(Error error);

}  // namespace engine
