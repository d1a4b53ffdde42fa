#include "tools/prompt_files.h"

#include <algorithm>
#include <set>

#include "tools/prompt_yaml.h"
#include "util/files.h"

namespace tools {
namespace {

Error wrong(std::string message) {
    return Error{.code = ErrorCode::InvalidArgument, .message = std::move(message)};
}

std::string text_of(const json::object& from, std::string_view key) {
    const json::value* value = json::find(from, key);
    if (!value || value->is_null()) return {};
    return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

Result<TemplateArgument> read_argument(const json::value& given) {
    const json::object* members = given.if_object();
    if (!members || text_of(*members, "name").empty()) return wrong("Each argument needs a name.");
    TemplateArgument argument{.name = text_of(*members, "name"),
                              .description = text_of(*members, "description"),
                              .required = json::find_bool(*members, "required").value_or(false),
                              .fallback = text_of(*members, "default")};
    if (const json::array* values = json::find_array(*members, "values")) {
        for (const json::value& value : *values)
            argument.values.push_back(value.is_string() ? std::string(value.get_string())
                                                        : json::serialize(value));
    }
    return argument;
}

bool is_prompt_file(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

}  // namespace

Result<TemplatePrompt> read_prompt(std::string_view text, std::string_view extension) {
    json::value parsed = extension == ".json" ? TRY(json::parse(text)) : TRY(parse_yaml(text));
    const json::object* members = parsed.if_object();
    if (!members) return wrong("It must have the keys name and template.");
    TemplatePrompt prompt{.name = text_of(*members, "name"),
                          .title = text_of(*members, "title"),
                          .description = text_of(*members, "description")};
    if (prompt.name.empty()) return wrong("It has no name.");
    std::string body = text_of(*members, "template");
    if (body.empty()) return wrong("It has no template.");
    prompt.body = TRY(PromptTemplate::create(body));
    if (const json::array* arguments = json::find_array(*members, "arguments")) {
        for (const json::value& argument : *arguments)
            prompt.arguments.push_back(TRY(read_argument(argument)));
    }
    for (const std::string& name : prompt.body.names()) {
        if (std::ranges::find(prompt.arguments, name, &TemplateArgument::name) == prompt.arguments.end())
            return wrong("The template uses {{" + name + "}}, which is not among the arguments.");
    }
    return prompt;
}

PromptDirectory::PromptDirectory(std::filesystem::path directory, Registry& registry, Log& log)
    : directory_(std::move(directory)), registry_(registry), log_(log) {}

void PromptDirectory::drop(const std::string& prompt) {
    if (!prompt.empty()) registry_.remove_prompt(prompt);
}

void PromptDirectory::take(const std::filesystem::path& path, File& file) {
    std::string before = std::exchange(file.prompt, {});
    auto complain = [&](const std::string& message) {
        drop(before);
        log_.warn("prompt " + path.string() + " is left out: " + message);
    };
    auto text = read_file(path);
    if (!text) return complain(text.error().message);
    auto prompt = read_prompt(*text, path.extension().string());
    if (!prompt) return complain(prompt.error().message);
    if (prompt->name != before && registry_.find_prompt(prompt->name))
        return complain("there is a prompt " + prompt->name + " already.");
    if (prompt->name != before) drop(before);
    file.prompt = prompt->name;
    registry_.add(to_prompt(std::move(*prompt)));
}

void PromptDirectory::refresh() {
    std::error_code failed;
    std::set<std::filesystem::path> present;
    for (std::filesystem::directory_iterator it(directory_, failed), end; !failed && it != end;
         it.increment(failed)) {
        if (is_prompt_file(it->path())) present.insert(it->path());
    }
    if (failed && !std::exchange(reported_missing_, true))
        log_.warn("prompts.dir " + directory_.string() + " cannot be read: " + failed.message());
    if (!failed) reported_missing_ = false;
    std::erase_if(files_, [&](const auto& entry) {
        if (present.contains(entry.first)) return false;
        drop(entry.second.prompt);
        return true;
    });
    for (const std::filesystem::path& path : present) {
        std::error_code gone;
        auto written = std::filesystem::last_write_time(path, gone);
        auto size = gone ? 0 : std::filesystem::file_size(path, gone);
        if (gone) continue;
        auto [it, added] = files_.try_emplace(path);
        if (!added && it->second.written == written && it->second.size == size) continue;
        it->second.written = written;
        it->second.size = size;
        take(path, it->second);
    }
}

Task<> PromptDirectory::watch(Loop& loop, std::chrono::milliseconds interval) {
    for (;;) {
        co_await sleep_for(loop, interval);
        refresh();
    }
}

}  // namespace tools
