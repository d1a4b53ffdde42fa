// A schema on the first line, a value behind it: compiling and checking end, and always the same way.
#include "schema/validator.h"
#include "tests/fuzz/input.h"
#include "util/strings.h"

namespace {

using fuzz::require;

constexpr schema::CheckOptions kLimits{.steps = 20'000, .depth = 100, .violations = 10};

void check(const schema::Validator& validator, const json::value& instance, schema::Nulls nulls) {
    schema::CheckOptions options = kLimits;
    options.nulls = nulls;
    auto violations = validator.check(instance, options);
    require(violations == validator.check(instance, options), "a check gives the same twice");
    require(violations.size() <= options.violations + 1, "a check stops looking at its limit");
    require(is_valid_utf8(schema::describe(violations)), "a description is UTF-8",
            schema::describe(violations));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = fuzz::as_text(data, size);
    auto text = json::parse(fuzz::take_until(rest, "\n"));
    if (!text) return -1;
    auto validator = schema::Validator::create(*text);
    if (!validator) {
        require(!validator.error().message.empty(), "a refused schema says why");
        return 0;
    }
    auto instance = json::parse(rest);
    // A schema is a value as good as any.
    for (const json::value& each : {*text, instance ? *instance : json::value()}) {
        check(*validator, each, schema::Nulls::AsSchemaSays);
        check(*validator, each, schema::Nulls::AbsentWhenOptional);
    }
    return 0;
}
