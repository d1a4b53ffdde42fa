#include "tools/catalog.h"

namespace tools {
namespace {

struct NavigateParams {
    std::string url;
};

// Also while a dialog is open: the answer then shows it instead of the page.
Task<> navigate(Session& session, NavigateParams params, Response& response) {
    std::shared_ptr<Tab> tab = co_await session.ensure_tab();
    std::string url = co_await tab->navigate(params.url);
    response.include_snapshot();
    response.add_action({.kind = Action::Kind::Navigate, .text = url});
}

Task<> navigate_back(Tab& tab, schema::NoParams, Response& response) {
    session::Operation going{
        .name = "page.goBack",
        .limit = tab.session().options().navigation_timeout,
        .log = "waiting for navigation until \"commit\"",
    };
    std::optional<bool> went;
    co_await tab.run(going, store(tab.page().go_back(tab.navigation_deadline()), went));
    response.include_snapshot();
    response.add_code("await page.goBack();");
}

}  // namespace

std::vector<Tool> navigate_tools(const Sessions& sessions) {
    return {
        session_tool<NavigateParams>(sessions,
                                     {
                                         .name = "browser_navigate",
                                         .title = "Navigate to a URL",
                                         .description = "Open a URL in the current tab.",
                                         .params = {{"url", &NavigateParams::url,
                                                     "Address; https:// is assumed, http:// for localhost."}},
                                         .handler = navigate,
                                     }),
        page_tool<schema::NoParams>(sessions,
                                    {
                                        .name = "browser_navigate_back",
                                        .title = "Go back",
                                        .description = "Go back one page in the tab's history.",
                                        .handler = navigate_back,
                                    }),
    };
}

}  // namespace tools
