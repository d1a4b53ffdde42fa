#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

using Paths = std::vector<std::filesystem::path>;

// Resolves the files that an agent names; fails unless all are accessible.
Result<Paths> resolve(const Session& session, const std::vector<std::string>& names) {
    Paths paths;
    for (const std::string& name : names) paths.push_back(TRY(session.workspace().resolve_tree(name)));
    return paths;
}

json::array to_json(const Paths& paths) {
    json::array names;
    for (const auto& path : paths) names.emplace_back(path.string());
    return names;
}

Result<void> check_there(const Session& session, const Paths& paths) {
    for (const auto& path : paths) {
        if (session.workspace().find(path)) continue;
        return Error{.code = ErrorCode::NotFound,
                     .message = "ENOENT: no such file or directory, stat '" + path.string() + "'"};
    }
    return ok();
}

struct FileUploadParams {
    std::optional<std::vector<std::string>> paths;
};

// An empty list clears the input; nothing cancels the chooser.
Task<> choose_files(Tab& tab, std::optional<Paths> paths) {
    if (paths) co_await check_there(tab.session(), *paths);
    co_await tab.answer_modal(tab.action("fileChooser.setFiles"),
                              tab.page().answer_file_chooser(paths, tab.action_deadline()));
}

// A file that cannot be used leaves the chooser open, for the agent to try another.
Task<> file_upload(Tab& tab, FileUploadParams params, Response& response) {
    response.include_snapshot();
    std::optional<Paths> paths;
    if (params.paths) paths = co_await resolve(tab.session(), *params.paths);
    response.add_code("await fileChooser.setFiles(" +
                      (paths ? json::serialize(to_json(*paths)) : "undefined") + ")");
    auto chosen = co_await as_result(choose_files(tab, paths));
    if (!chosen) response.add_error(chosen.error().message);
}

struct DropParams {
    std::optional<std::string> element;
    std::string target;
    std::optional<std::vector<std::string>> paths;
    std::optional<std::map<std::string, std::string>> data;
};

Task<> drop(Tab& tab, DropParams params, Response& response) {
    std::vector<std::string> names = params.paths.value_or(std::vector<std::string>{});
    if (names.empty() && !params.data) {
        co_await Error{.code = ErrorCode::MissingParameter,
                       .message = "At least one of \"paths\" or \"data\" must be provided."};
    }
    response.include_snapshot();
    engine::Located found = co_await tab.find(params.target);
    engine::DropData dropped{.files = co_await resolve(tab.session(), names),
                             .data = params.data.value_or(std::map<std::string, std::string>{})};
    co_await tab.perform(tab.action("locator.drop"),
                         tab.page().drop(found.element, dropped, tab.action_deadline()));

    json::object payload;
    json::array files = to_json(dropped.files);
    if (!files.empty()) payload["files"] = files.size() == 1 ? files.front() : json::value(files);
    if (params.data) payload["data"] = json::object();
    for (const auto& [type, text] : dropped.data) payload["data"].get_object()[type] = text;
    response.add_code("await page." + found.javascript + ".drop(" + to_javascript(payload) + ");");
}

}  // namespace

std::vector<Tool> file_tools(const SessionResolver& sessions) {
    return {
        tab_tool<FileUploadParams>(sessions,
                                   {
                                       .name = "browser_file_upload",
                                       .title = "Upload files",
                                       .description = "Answer the open file chooser.",
                                       .params = {{"paths", &FileUploadParams::paths,
                                                   "Files to choose, or one directory where the page wants "
                                                   "one, in the workspace. None clears the "
                                                   "input; left out, the chooser is cancelled."}},
                                       .answers = engine::Modal::Kind::FileChooser,
                                       .handler = file_upload,
                                   }),
        tab_tool<DropParams>(
            sessions,
            {
                .name = "browser_drop",
                .title = "Drop files or data onto an element",
                .description =
                    "Drop files or data from outside the page onto an element; give paths, data or both.",
                .params =
                    {
                        {"element", &DropParams::element, kElementHelp},
                        {"target", &DropParams::target, kTargetHelp, {.aliases = {"ref"}}},
                        {"paths", &DropParams::paths, "Files to drop, in the workspace."},
                        {"data", &DropParams::data,
                         "Text to drop by MIME type, like {\"text/plain\": \"hello\"}."},
                    },
                .handler = drop,
            }),
    };
}

}  // namespace tools
