// Checks JSON values against JSON Schema 2020-12.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace schema {

struct Compiled;

// One violation of the schema by a value.
struct Violation {
    std::string path;  // as in JavaScript, "fields[0].name"; empty for the value itself
    std::string message;
    bool missing = false;  // a required member is missing

    bool operator==(const Violation&) const = default;
};

enum class Nulls {
    AsSchemaSays,
    AbsentWhenOptional,  // null in an optional member counts as left out
};

// The limits of one check, and how it treats nulls.
struct CheckOptions {
    std::int64_t steps = 1'000'000;  // about the number of compared values or matched characters
    int depth = 400;                 // of subschemas within subschemas, references included
    std::size_t violations = 100;    // the maximum to report
    Nulls nulls = Nulls::AsSchemaSays;
};

// A compiled schema. Copies share it; any thread may check.
//
// Knows the keywords of 2020-12 except unevaluatedProperties and unevaluatedItems, which are ignored,
// as are "format" and the contents keywords; $dynamicRef is taken as $ref.
class Validator {
public:
    // Refuses other dialects, malformed keywords, references that lead outside of the schema, more
    // than 64 levels and more than 10,000 subschemas.
    static Result<Validator> create(const json::value& schema);

    // Empty when `instance` is valid. The cost is bounded: exceeding `options` is a violation.
    std::vector<Violation> check(const json::value& instance, const CheckOptions& options = {}) const;

private:
    explicit Validator(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<const Compiled> compiled_;
};

// "✖ Invalid input: expected string, received number\n  → at url", one block per violation, at most ten.
std::string describe(const std::vector<Violation>& violations);

}  // namespace schema
