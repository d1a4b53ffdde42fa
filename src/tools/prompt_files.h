// Prompts that users write themselves, as files of a directory.
//
//   # greet.yaml, or the same as JSON
//   name: greet
//   description: Greet somebody.
//   arguments:
//     - name: who
//       required: true
//     - name: tone
//       default: friendly
//       values: ["friendly", "formal"]
//   template: |
//     Greet {{who}} in a {{tone}} way.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tools/prompts.h"
#include "tools/registry.h"
#include "util/async.h"
#include "util/log.h"

namespace tools {

// The error describes the problem, without the file's name.
Result<TemplatePrompt> read_prompt(std::string_view text, std::string_view extension);

// Keeps the registry's prompts in step with the directory. Lives on the main loop.
class PromptDirectory {
public:
    PromptDirectory(std::filesystem::path directory, Registry& registry, Log& log);

    // Applies changes of the directory. A file that cannot be read is skipped with a log message; built-in
    // prompts keep their names.
    void refresh();
    // Refreshes periodically; ends when dropped.
    Task<> watch(Loop& loop, std::chrono::milliseconds interval = std::chrono::seconds(1));

private:
    // The file's state when it was read, and the name of its prompt; empty: none.
    struct File {
        std::filesystem::file_time_type written;
        std::uintmax_t size = 0;
        std::string prompt = {};
    };

    void take(const std::filesystem::path& path, File& file);
    void drop(const std::string& prompt);

    std::filesystem::path directory_;
    Registry& registry_;
    Log& log_;
    std::map<std::filesystem::path, File> files_;
    bool reported_missing_ = false;
};

}  // namespace tools
