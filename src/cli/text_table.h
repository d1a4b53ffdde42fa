// Formats rows of text for people.
#pragma once

#include <string>
#include <vector>

#include "store/sql.h"

namespace cli {

using TextRows = std::vector<std::vector<std::string>>;

// One line per row, with aligned columns. The last column is not padded.
std::string aligned(const TextRows& rows);

// The result of a statement: aligned below its column names, each value on one line and cut; a single column
// is printed unchanged.
std::string table_of(const store::SqlRows& found);
// The same as an array of objects.
std::string json_of(const store::SqlRows& found);

}  // namespace cli
