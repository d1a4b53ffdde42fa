// Short ways to check a JSON text against a schema text.
#pragma once

#include <string>
#include <string_view>

#include "schema/validator.h"

namespace schema {

// What is wrong with `instance`, as agents read it; empty when it is valid.
inline std::string problems(std::string_view schema, std::string_view instance) {
    auto validator = Validator::create(json::parse(schema).value());
    if (!validator) return "REFUSED: " + validator.error().message;
    return describe(validator->check(json::parse(instance).value()));
}

// Why `schema` is refused; empty when it is not.
inline std::string refusal(std::string_view schema) {
    auto validator = Validator::create(json::parse(schema).value());
    return validator ? "" : validator.error().message;
}

}  // namespace schema
