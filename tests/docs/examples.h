// An example call of every tool, for the reference.
#pragma once

#include "tools/tool.h"

// Arguments that the tool takes. Fails when a required one has no sample value here, or its schema says no.
Result<json::object> example_for(const tools::Tool& tool);
