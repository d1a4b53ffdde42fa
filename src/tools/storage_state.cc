#include "engine/storage_state.h"

#include <sys/stat.h>

#include "session/secret_state.h"
#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

struct SaveParams {
    std::optional<std::string> filename;
};

Task<> save_state(Session& session, SaveParams params, Response& response) {
    auto context = co_await session.ensure_browser();
    json::value state =
        co_await run_as({.name = "browserContext.storageState"}, context->storage_state(session.deadline()));
    OutputFile file = co_await response.output_file(
        {.prefix = "storage-state", .extension = "json", .given = params.filename.value_or("")});
    // Holds cookies: no other user of the machine reads it, wherever it is.
    Descriptor made = co_await session.workspace().create(file.path);
    if (::fchmod(made.get(), 0600) != 0)
        co_await Error{
            .code = ErrorCode::PolicyDenied,
            .message = "Cannot keep " + file.shown + " from other users: it belongs to another one.",
            .hint = "Choose another name."};
    response.add_code("await page.context().storageState({ path: " + quote(file.shown) + " });");
    co_await response.add_file("Storage state", file,
                               json::pretty(session::hide_in_state(session.secrets(), std::move(state))));
}

Result<json::value> read_state(const session::Workspace& workspace, const std::filesystem::path& file) {
    std::string failed = "Error reading storage state from " + file.string() + ":\n";
    if (!workspace.find(file)) {
        return Error{.code = ErrorCode::NotFound,
                     .message = failed + "ENOENT: no such file or directory, open '" + file.string() + "'"};
    }
    auto text = workspace.read(file);
    if (!text && text.error().code == ErrorCode::PolicyDenied) return text.error();
    if (!text) return Error{.code = text.error().code, .message = failed + text.error().message};
    auto state = json::parse(*text);
    if (!state)
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "SyntaxError: " + failed + state.error().message};
    return state;
}

struct RestoreParams {
    std::string filename;
};

Task<> restore_state(Session& session, RestoreParams params, Response& response) {
    auto context = co_await session.ensure_browser();
    std::filesystem::path file = co_await session.workspace().resolve(params.filename);
    session::Operation operation{.name = "browserContext.setStorageState"};
    auto given = engine::read_storage_state(co_await read_state(session.workspace(), file));
    if (!given) co_await session::in_playwright_words(engine::not_restored(given.error()), operation);
    json::value state = co_await session::reveal_in_state(session.secrets(), std::move(*given));
    co_await run_as(operation, context->set_storage_state(std::move(state), session.deadline()));
    response.add_text("Storage state restored from " + params.filename);
    response.add_code("await page.context().setStorageState(" + quote(params.filename) + ");");
}

}  // namespace

std::vector<Tool> storage_state_tools(const SessionResolver& sessions) {
    return {
        session_tool<SaveParams>(
            sessions,
            {
                .name = "browser_storage_state",
                .title = "Save storage state",
                .description = "Save cookies and local storage to a file, to be restored later.",
                .effect = Effect::ReadsPage,
                .capability = "storage",
                .params =
                    {{"filename", &SaveParams::filename,
                      "File to save to, relative to the workspace. Default: storage-state-<time>.json."}},
                .handler = save_state,
            }),
        session_tool<RestoreParams>(
            sessions,
            {
                .name = "browser_set_storage_state",
                .title = "Restore storage state",
                .description =
                    "Put the cookies and local storage of a saved file in the place of the present ones.",
                .capability = "storage",
                .params = {{"filename", &RestoreParams::filename,
                            "File to read, relative to the workspace."}},
                .handler = restore_state,
            }),
    };
}

}  // namespace tools
