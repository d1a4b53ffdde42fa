#include "config/load.h"

#include "config/build.h"
#include "config/checks.h"
#include "config/file.h"
#include "util/files.h"

namespace config {

namespace {

// Returns the last assignment to --config, null when there is none.
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

// Returns the assignments of variables that take precedence: in the environment over flags, in a .env file
// over its other variables.
std::vector<Assignment> last_words(const std::vector<Assignment>& from_variables) {
    std::vector<Assignment> last;
    for (const Assignment& assignment : from_variables) {
        std::string_view variable = assignment.option->last_variable;
        if (!variable.empty() && assignment.origin.name == variable) last.push_back(assignment);
    }
    return last;
}

// Ignores a project's own SERVER_PORT, which would leave the client on stdin without an answer.
void stay_on_stdin(std::vector<Assignment>& assignments, std::vector<std::string>& warnings) {
    std::erase_if(assignments, [&](const Assignment& assignment) {
        bool listens = assignment.option == find_by_key("server.port");
        if (!listens || !is_shared_variable(assignment.origin.name)) return false;
        warnings.push_back(assignment.origin.to_string() +
                           " is ignored, since a client waits on standard input. Say --port or TROUPE_PORT "
                           "to listen instead.");
        return true;
    });
}

// Applies defaults that depend on the machine rather than on the table.
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
                    const std::filesystem::path& directory, bool client_on_stdin) {
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
    std::vector<Assignment> from_dotenv;
    TRY(read_dotenv(environment, directory, from_dotenv, loaded.warnings));

    if (client_on_stdin) {
        stay_on_stdin(from_dotenv, loaded.warnings);
        stay_on_stdin(from_environment, loaded.warnings);
    }
    apply_surroundings(loaded.values, environment);
    std::vector<Assignment> last = last_words(from_environment), last_of_dotenv = last_words(from_dotenv);
    for (auto* layer :
         {&from_dotenv, &last_of_dotenv, &from_file, &from_environment, &given.assignments, &last}) {
        for (Assignment& assignment : *layer) loaded.values.apply(std::move(assignment));
    }

    resolve_values(loaded.values, loaded.warnings);
    TRY(check(loaded.values));
    loaded.config = build(loaded.values, directory);
    return loaded;
}

}  // namespace config
