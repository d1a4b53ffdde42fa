// The text of a configuration file, JSON or INI, all the way to the Config and its printed form.
#include "config/build.h"
#include "config/checks.h"
#include "config/dotenv.h"
#include "config/file.h"
#include "config/print.h"
#include "tests/fuzz/input.h"

namespace {

using fuzz::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text = fuzz::as_text(data, size);
    (void)config::parse_dotenv(text);

    std::vector<config::Assignment> assignments;
    config::Loaded loaded;
    auto read = config::read_settings(text, "fuzz.conf", "/nonexistent", assignments, loaded.warnings);
    if (!read) {
        require(read.error().message.starts_with("fuzz.conf"), "an error names its file",
                read.error().message);
        return 0;
    }
    for (config::Assignment& assignment : assignments) loaded.values.apply(std::move(assignment));
    config::resolve_values(loaded.values, loaded.warnings);
    if (auto checked = config::check(loaded.values); !checked) {
        require(!checked.error().message.empty(), "a refused configuration says why");
        return 0;
    }
    loaded.config = config::build(loaded.values, "/nonexistent");
    (void)config::print(loaded);
    require(json::parse(config::print_json(loaded)).has_value(), "the printed configuration is JSON");
    return 0;
}
