#include "schema/validator.h"

#include "schema/checker.h"
#include "schema/compiled.h"

namespace schema {

Result<Validator> Validator::create(const json::value& schema) { return Validator(TRY(compile(schema))); }

std::vector<Violation> Validator::check(const json::value& instance, const CheckOptions& options) const {
    return Checker(*compiled_, options).run(instance);
}

}  // namespace schema
