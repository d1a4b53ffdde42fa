// SQL queries on the record, for people.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace store {

struct SqlRows {
    std::vector<std::string> columns;
    std::vector<std::vector<json::value>> rows;
};

// Runs one read-only statement. The tables have their columns as people expect them: texts are whole, times
// are ISO 8601, console_logs is an array. `calls` has a row for each call with its request and response;
// blob_text(column) reads a column of the tables below, which are called main.responses and so on.
Result<SqlRows> run_sql(const std::filesystem::path& database, const std::string& statement);

}  // namespace store
