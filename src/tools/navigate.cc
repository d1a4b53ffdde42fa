#include "tools/browser_tools.h"

namespace tools {
namespace {

struct NavigateParams {
    std::string url;
};

// Also while a dialog is open: the answer then shows it instead of the page.
Task<> navigate(Session&, NavigateParams params, Response& response) {
    std::shared_ptr<Tab> tab = co_await response.ensure_tab();
    std::string url = co_await tab->navigate(params.url);
    response.include_snapshot();
    response.add_action({.kind = Action::Kind::Navigate, .text = url});
}

// A document that takes long to load is shown as it is.
Task<> go_back(Tab& tab) {
    constexpr std::chrono::seconds kLoadLimit{5};
    Deadline deadline = tab.navigation_deadline();
    bool went = co_await tab.page().go_back(deadline);
    if (!went) co_return;
    Deadline loaded = deadline.earlier(Deadline::in(kLoadLimit));
    (void)co_await as_result(tab.page().wait_for_load(engine::LoadState::Load, loaded));
}

Task<> navigate_back(Tab& tab, schema::NoParams, Response& response) {
    session::Operation going{
        .name = "page.goBack",
        .limit = tab.session().options().navigation_timeout,
        .log = "waiting for navigation until \"commit\"",
    };
    co_await tab.perform(going, go_back(tab));
    response.include_snapshot();
    response.add_code("await page.goBack();");
}

}  // namespace

std::vector<Tool> navigate_tools(const SessionResolver& sessions) {
    return {
        session_tool<NavigateParams>(sessions,
                                     {
                                         .name = "browser_navigate",
                                         .title = "Navigate to a URL",
                                         .description = "Open a URL in the current tab.",
                                         .scope = Scope::Tab,
                                         .params = {{"url", &NavigateParams::url,
                                                     "Address; https:// is assumed, http:// for localhost."}},
                                         .handler = navigate,
                                     }),
        tab_tool<schema::NoParams>(sessions,
                                   {
                                       .name = "browser_navigate_back",
                                       .title = "Go back",
                                       .description = "Go back one page in the tab's history.",
                                       .handler = navigate_back,
                                   }),
    };
}

}  // namespace tools
