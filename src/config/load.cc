#include "config/load.h"

#include "config/build.h"
#include "config/checks.h"
#include "config/file.h"
#include "util/files.h"

namespace config {

namespace {

// The last assignment to --config, null when there is none.
const Assignment* config_file(const std::vector<Assignment>& assignments) {
    const Option* option = find_by_flag("config");
    const Assignment* last = nullptr;
    for (const Assignment& assignment : assignments) {
        if (assignment.option == option) last = &assignment;
    }
    return last;
}

Result<void> read_config_file(const Assignment& named, const std::filesystem::path& directory,
                              std::vector<Assignment>& assignments, std::vector<std::string>& warnings) {
    std::string name(named.value.get_string());
    if (name.empty()) return ok();
    std::filesystem::path file = directory / name;
    auto text = read_file(file);
    if (!text) {
        Error error = std::move(text).error();
        error.hint = "It is named by " + named.origin.to_string() + ".";
        return error;
    }
    return read_settings(*text, name, file.parent_path(), assignments, warnings);
}

// What depends on the machine rather than on the table.
void apply_surroundings(Values& values, const Environment& environment) {
    if (auto language = environment.find("PW_LANG_NAME"); language != environment.end()) {
        const std::string& name = language->second;
        if (name == "python" || name == "java" || name == "csharp") {
            Origin origin{.layer = Layer::Default, .name = language->first};
            values.apply({find_by_key("codegen"), json::value(name), std::move(origin)});
        }
    }
    auto display = environment.find("DISPLAY");
    bool headless = display == environment.end() || display->second.empty();
    values.apply({find_by_key("browser.launchOptions.headless"), headless, {}});
}

}  // namespace

Result<Loaded> load(const std::vector<std::string>& arguments, const Environment& environment,
                    const std::filesystem::path& directory) {
    Arguments given = TRY(parse_arguments(arguments, directory));
    Loaded loaded{
        .command = given.command, .as_json = given.as_json, .history = given.history, .file = given.file};
    if (given.command == Command::Help || given.command == Command::Version ||
        given.command == Command::ConfigSchema) {
        return loaded;
    }

    std::vector<Assignment> from_environment;
    TRY(read_environment(environment, directory, from_environment, loaded.warnings));
    std::vector<Assignment> from_file;
    const Assignment* file = config_file(given.assignments);
    if (file == nullptr) file = config_file(from_environment);
    if (file != nullptr) TRY(read_config_file(*file, directory, from_file, loaded.warnings));

    apply_surroundings(loaded.values, environment);
    for (auto* layer : {&from_file, &from_environment, &given.assignments}) {
        for (Assignment& assignment : *layer) loaded.values.apply(std::move(assignment));
    }

    settle(loaded.values, loaded.warnings);
    TRY(check(loaded.values));
    loaded.config = build(loaded.values, directory);
    return loaded;
}

}  // namespace config
