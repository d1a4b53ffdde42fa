#include "tools/browser_tools.h"

namespace tools {
namespace {

struct RunCodeParams {
    std::optional<std::string> code;
    std::optional<std::string> filename;
};

Result<std::string> read_code(const Session& session, const RunCodeParams& params) {
    if (params.filename.value_or("").empty()) return params.code.value_or("undefined");
    std::filesystem::path file = TRY(session.workspace().resolve(*params.filename));
    auto code = session.workspace().read(file);
    if (code || code.error().code != ErrorCode::NotFound) return code;
    return Error{.code = ErrorCode::NotFound,
                 .message = "ENOENT: no such file or directory, open '" + file.string() + "'"};
}

Task<> run_code(const RunPlaywrightCode& run, Tab& tab, RunCodeParams params, Response& response) {
    std::string code = co_await read_code(tab.session(), params);
    if (!run) {
        co_await Error{
            .code = ErrorCode::NotFound,
            .message =
                "Playwright code needs Node.js and the package playwright-core, and this server has neither.",
            .hint =
                "Install Node.js 18 or newer, run `npm install -g playwright-core`, and start the server "
                "again. "
                "browser_evaluate runs JavaScript in the page without them."};
    }
    response.add_code("await (" + code + ")(page);");
    std::optional<std::optional<std::string>> value;
    co_await tab.perform(capture_into(run(tab, code, tab.deadline()), value));
    if (value && *value) response.add_text(**value);
}

}  // namespace

std::vector<Tool> run_code_tools(const SessionResolver& sessions, const RunPlaywrightCode& run) {
    return {
        tab_tool<RunCodeParams>(sessions,
                                {
                                    .name = "browser_run_code_unsafe",
                                    .title = "Run Playwright code (unsafe)",
                                    .description = "Run Playwright code against the current page. Unsafe: "
                                                   "it can do whatever the server's user can.",
                                    .scope = Scope::Session,
                                    .params =
                                        {
                                            {"code", &RunCodeParams::code,
                                             "A function like async (page) => { await "
                                             "page.getByRole('button').click(); return page.title(); }"},
                                            {"filename", &RunCodeParams::filename,
                                             "File in the workspace to read the code from instead."},
                                        },
                                    .handler =
                                        [run](Tab& tab, RunCodeParams params, Response& response) {
                                            return run_code(run, tab, std::move(params), response);
                                        },
                                }),
    };
}

}  // namespace tools
