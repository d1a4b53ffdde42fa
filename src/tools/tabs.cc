#include <array>

#include "tools/catalog.h"
#include "util/strings.h"

namespace tools {
namespace {

enum class TabAction { List, New, Close, Select };
constexpr auto enum_names(TabAction) {
    return std::to_array<schema::EnumName<TabAction>>({{TabAction::List, "list"},
                                                       {TabAction::New, "new"},
                                                       {TabAction::Close, "close"},
                                                       {TabAction::Select, "select"}});
}

struct TabsParams {
    TabAction action = TabAction::List;
    std::optional<double> index;
    std::optional<std::string> url;
};

Task<> open_tab(Session& session, const std::string& url, Response& response) {
    std::shared_ptr<Tab> tab = co_await session.new_tab();
    if (url.empty()) co_return;
    std::string whole = co_await tab->navigate(url);
    response.include_snapshot();
    response.add_action({.kind = Action::Kind::Navigate, .text = whole});
}

Task<> tabs(Session& session, TabsParams params, Response& response) {
    switch (params.action) {
        case TabAction::List:
            co_await session.ensure_tab();
            break;
        case TabAction::New:
            co_await open_tab(session, params.url.value_or(""), response);
            break;
        case TabAction::Close:
            co_await session.close_tab(params.index);
            break;
        case TabAction::Select:
            if (!params.index)
                co_await Error{.code = ErrorCode::MissingParameter, .message = "Tab index is required"};
            co_await session.select_tab(*params.index);
            break;
    }
    response.list_tabs();
}

}  // namespace

std::vector<Tool> tab_tools(const Sessions& sessions) {
    return {
        session_tool<TabsParams>(
            sessions,
            {
                .name = "browser_tabs",
                .title = "Manage tabs",
                .description = "List, open, close or select tabs.",
                .params =
                    {
                        {"action", &TabsParams::action, "What to do."},
                        {"index", &TabsParams::index,
                         "Tab to close or select. Close without it closes the current one."},
                        {"url", &TabsParams::url, "Address to open in a new tab."},
                    },
                .handler = tabs,
            }),
    };
}

}  // namespace tools
