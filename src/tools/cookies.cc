#include <array>

#include "tools/browser_tools.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

std::string text_of(const json::value& cookie, std::string_view key) {
    return std::string(json::find_string(cookie.as_object(), key).value_or(""));
}

std::string flag_text(const json::value& cookie, std::string_view key) {
    return json::find_bool(cookie.as_object(), key).value_or(false) ? "true" : "false";
}

std::string to_line(const json::value& cookie) {
    return text_of(cookie, "name") + "=" + text_of(cookie, "value") +
           " (domain: " + text_of(cookie, "domain") + ", path: " + text_of(cookie, "path");
}

Task<json::array> read_cookies(Session& session, Response& response) {
    auto context = co_await session.ensure_browser();
    json::array cookies =
        co_await run_as({.name = "browserContext.cookies"}, context->cookies(session.deadline()));
    response.add_code("await page.context().cookies();");
    co_return cookies;
}

struct ListParams {
    std::optional<std::string> domain;
    std::optional<std::string> path;
};

Task<> list_cookies(Session& session, ListParams params, Response& response) {
    std::string text;
    for (const json::value& cookie : co_await read_cookies(session, response)) {
        if (!text_of(cookie, "domain").contains(params.domain.value_or(""))) continue;
        if (!text_of(cookie, "path").starts_with(params.path.value_or(""))) continue;
        text += (text.empty() ? "" : "\n") + to_line(cookie) + ")";
    }
    response.add_text(text.empty() ? "No cookies found" : text);
}

struct NameParams {
    std::string name;
};

Task<> get_cookie(Session& session, NameParams params, Response& response) {
    for (const json::value& cookie : co_await read_cookies(session, response)) {
        if (text_of(cookie, "name") != params.name) continue;
        response.add_text(to_line(cookie) + ", httpOnly: " + flag_text(cookie, "httpOnly") + ", secure: " +
                          flag_text(cookie, "secure") + ", sameSite: " + text_of(cookie, "sameSite") + ")");
        co_return;
    }
    response.add_text("Cookie '" + params.name + "' not found");
}

enum class SameSite { Strict, Lax, None };
constexpr auto enum_names(SameSite) {
    return std::to_array<schema::EnumName<SameSite>>(
        {{SameSite::Strict, "Strict"}, {SameSite::Lax, "Lax"}, {SameSite::None, "None"}});
}

struct SetParams {
    std::string name;
    std::string value;
    std::optional<std::string> domain;
    std::optional<std::string> path;
    std::optional<double> expires;
    std::optional<bool> http_only;
    std::optional<bool> secure;
    std::optional<SameSite> same_site;
};

std::string host_of(std::string_view url) {
    std::size_t begin = url.find("://");
    if (begin == std::string_view::npos) return {};
    url = url.substr(begin + 3);
    url = url.substr(0, url.find_first_of("/?#"));
    url = url.substr(url.find('@') + 1);  // npos + 1 is 0
    bool bracketed = url.starts_with('[');
    return std::string(bracketed ? url.substr(0, url.find(']') + 1) : url.substr(0, url.find(':')));
}

Task<> set_cookie(Session& session, SetParams params, Response& response) {
    auto tab = co_await session.ensure_tab();
    std::string domain = params.domain.value_or(""), path = params.path.value_or("");
    json::object cookie{{"name", params.name},
                        {"value", params.value},
                        {"domain", domain.empty() ? host_of(tab->page().url()) : domain},
                        {"path", path.empty() ? "/" : path}};
    if (params.expires) {
        json::value expires = *params.expires;
        if (auto whole = json::as_integer(expires)) expires = *whole;
        cookie["expires"] = expires;
    }
    if (params.http_only) cookie["httpOnly"] = *params.http_only;
    if (params.secure) cookie["secure"] = *params.secure;
    if (params.same_site) cookie["sameSite"] = schema::name_of(*params.same_site);
    auto context = co_await session.ensure_browser();
    co_await run_as({.name = "browserContext.addCookies"},
                    context->add_cookies(json::array{cookie}, session.deadline()));
    response.add_code("await page.context().addCookies([" + json::serialize(cookie) + "]);");
}

// The filter as an argument of Playwright's clearCookies.
std::string to_code(const engine::CookieFilter& filter) {
    std::vector<std::string> parts;
    if (filter.name) parts.push_back("name: " + quote(*filter.name));
    if (filter.domain) parts.push_back("domain: " + quote(*filter.domain));
    if (filter.path) parts.push_back("path: " + quote(*filter.path));
    return parts.empty() ? "" : "{ " + join(parts, ", ") + " }";
}

Task<> delete_cookies(Session& session, engine::CookieFilter filter, Response& response) {
    auto context = co_await session.ensure_browser();
    co_await run_as({.name = "browserContext.clearCookies"},
                    context->clear_cookies(filter, session.deadline()));
    response.add_code("await page.context().clearCookies(" + to_code(filter) + ");");
}

struct DeleteParams {
    std::string name;
    std::optional<std::string> domain;
    std::optional<std::string> path;
};

Task<> delete_cookie(Session& session, DeleteParams params, Response& response) {
    return delete_cookies(
        session,
        {.name = std::move(params.name), .domain = std::move(params.domain), .path = std::move(params.path)},
        response);
}

Task<> clear_cookies(Session& session, schema::NoParams, Response& response) {
    return delete_cookies(session, {}, response);
}

}  // namespace

std::vector<Tool> cookie_tools(const SessionResolver& sessions) {
    return {
        session_tool<ListParams>(
            sessions,
            {
                .name = "browser_cookie_list",
                .title = "List cookies",
                .description = "List the browser's cookies.",
                .effect = Effect::ReadsPage,
                .capability = "storage",
                .params =
                    {
                        {"domain", &ListParams::domain, "Only domains that contain this."},
                        {"path", &ListParams::path, "Only paths that begin with this."},
                    },
                .aliases = {"browser_cookies"},
                .handler = list_cookies,
            }),
        session_tool<NameParams>(sessions,
                                 {
                                     .name = "browser_cookie_get",
                                     .title = "Get cookie",
                                     .description = "Show one cookie in full.",
                                     .effect = Effect::ReadsPage,
                                     .capability = "storage",
                                     .params = {{"name", &NameParams::name, "Its name."}},
                                     .handler = get_cookie,
                                 }),
        session_tool<SetParams>(
            sessions,
            {
                .name = "browser_cookie_set",
                .title = "Set cookie",
                .description = "Set a cookie, for the current page's host unless another is given.",
                .capability = "storage",
                .params =
                    {
                        {"name", &SetParams::name, "Its name."},
                        {"value", &SetParams::value, "Its value."},
                        {"domain", &SetParams::domain,
                         "Host it is sent to; with a dot before it, subdomains too."},
                        {"path", &SetParams::path, "Path it is sent to. Default /."},
                        {"expires", &SetParams::expires,
                         "When it ends, in seconds since 1970. Default: with the browser."},
                        {"httpOnly", &SetParams::http_only, "Whether scripts cannot see it."},
                        {"secure", &SetParams::secure, "Whether it is sent over HTTPS only."},
                        {"sameSite", &SetParams::same_site, "Whether requests from other sites carry it."},
                    },
                .handler = set_cookie,
            }),
        session_tool<DeleteParams>(sessions,
                                   {
                                       .name = "browser_cookie_delete",
                                       .title = "Delete cookie",
                                       .description = "Delete the cookies of one name.",
                                       .capability = "storage",
                                       .params =
                                           {
                                               {"name", &DeleteParams::name, "Their name."},
                                               {"domain", &DeleteParams::domain, "Only on this domain."},
                                               {"path", &DeleteParams::path, "Only on this path."},
                                           },
                                       .handler = delete_cookie,
                                   }),
        session_tool<schema::NoParams>(sessions,
                                       {
                                           .name = "browser_cookie_clear",
                                           .title = "Clear cookies",
                                           .description = "Delete all cookies.",
                                           .capability = "storage",
                                           .handler = clear_cookies,
                                       }),
    };
}

}  // namespace tools
