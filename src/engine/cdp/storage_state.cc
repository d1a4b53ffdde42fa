#include "engine/cdp/storage_state.h"

#include "engine/cdp/fields.h"
#include "engine/cdp/refusal.h"
#include "engine/navigation_failure.h"
#include "util/strings.h"

namespace cdp {
namespace {

constexpr std::string_view kReadStorage = R"js((() => {
  try {
    const items = Object.keys(localStorage).map(name => ({ name, value: localStorage.getItem(name) }));
    return items.length && location.origin !== 'null' ? { origin: location.origin, localStorage: items } : null;
  } catch {
    return null;
  }
})())js";

// If the items do not fit, the origin keeps its previous ones.
constexpr std::string_view kWriteStorage = R"js((items => {
  const before = Object.entries(localStorage);
  const write = entries => {
    localStorage.clear();
    for (const [name, value] of entries) localStorage.setItem(name, value);
  };
  try {
    write(items.map(({ name, value }) => [name, value]));
  } catch (error) {
    write(before);
    throw error;
  }
}))js";

Task<json::value> evaluate(std::shared_ptr<Session> page, std::string expression) {
    json::value answer = co_await page->send(
        "Runtime.evaluate",
        {{"expression", std::move(expression)}, {"returnByValue", true}, {"awaitPromise", true}});
    const json::object& result = answer.at("result").as_object();
    if (answer.as_object().contains("exceptionDetails"))
        co_await Error{.message = "Local storage cannot be used: " + text_of(result, "description")};
    const json::value* value = json::find(result, "value");
    co_return value ? *value : json::value(nullptr);
}

// Answers every request of the page with an empty document, while it lives.
class BlankAnswers {
public:
    explicit BlankAnswers(std::shared_ptr<Session> page) : page_(std::move(page)) {
        asked_ = page_->on("Fetch.requestPaused", [line = page_.get()](const json::object& params) {
            line->post("Fetch.fulfillRequest",
                       {{"requestId", text_of(params, "requestId")},
                        {"responseCode", 200},
                        {"responseHeaders",
                         json::array{json::object{{"name", "Content-Type"}, {"value", "text/html"}}}},
                        {"body", "PGh0bWw+PC9odG1sPg=="}});  // <html></html>
        });
        page_->post("Fetch.enable");
    }
    ~BlankAnswers() { page_->post("Fetch.disable"); }
    BlankAnswers(const BlankAnswers&) = delete;

private:
    std::shared_ptr<Session> page_;
    Subscription asked_;
};

Task<> visit(std::shared_ptr<Session> page, std::string url) {
    Completion<bool> loaded(page->loop());
    Subscription watch = page->on("Page.loadEventFired", [loaded](const json::object&) { loaded.set(true); });
    Subscription end = page->on_closed([loaded] { loaded.set(false); });
    json::value answer = co_await page->send("Page.navigate", {{"url", url}});
    std::string problem = text_of(answer.as_object(), "errorText");
    if (!problem.empty()) co_await engine::navigation_failed(problem, url);
    co_await loaded;
}

Task<> leave(std::shared_ptr<Session> page) {
    co_await visit(page, "about:blank");
    co_await page->send("Page.resetNavigationHistory");
}

const json::array& list_of(const json::value& state, std::string_view key) {
    static const json::array kNone;
    const json::object* object = state.if_object();
    const json::array* list = object ? json::find_array(*object, key) : nullptr;
    return list ? *list : kNone;
}

Error bad_state(std::string what) {
    return {.code = ErrorCode::InvalidArgument,
            .message = "Error setting storage state:\n" + std::move(what)};
}

Error bad_cookie(std::string what) {
    return {.code = ErrorCode::InvalidArgument, .message = std::move(what)};
}

// Whether the address belongs to a site. Others have no cookies.
bool is_of_site(std::string_view url) {
    std::string scheme = to_lower(url.substr(0, url.find("://")));
    if (url.find("://") == url.npos || (scheme != "http" && scheme != "https")) return false;
    std::string_view host = url.substr(scheme.size() + 3);
    host = host.substr(0, host.find_first_of("/?#"));
    return !host.empty() && host.find_first_of(" <>^|%") == host.npos;
}

// Converts a cookie of a storage state file to the browser's form.
Result<json::object> cookie_parameters(const json::object& cookie) {
    json::object result;
    for (std::string_view key :
         {"name", "value", "url", "domain", "path", "httpOnly", "secure", "sameSite"}) {
        if (const json::value* value = json::find(cookie, key); value && !value->is_null())
            result[key] = *value;
    }
    if (result.contains("url") && !is_of_site(text_of(result, "url"))) {
        std::string url = json::serialize(result["url"]);
        return Error{.code = ErrorCode::InvalidUrl,
                     .message = "Cookie should have a valid url: " + url + " is no address of a site",
                     .hint = "Give a whole address, like https://example.com, or domain and path.",
                     .details = "{\"url\":" + url + "}"};
    }
    double expires = number_of(cookie, "expires");
    if (expires < 0 && expires != -1) {
        return bad_cookie(
            "Cookie should have a valid expires, only -1 or a positive number for the unix timestamp in "
            "seconds "
            "is allowed");
    }
    if (expires > 0) result["expires"] = expires;
    // Playwright stores the top-level site as a separate string.
    if (auto site = json::find_string(cookie, "partitionKey")) {
        bool foreign = json::find_bool(cookie, "_crHasCrossSiteAncestor").value_or(true);
        result["partitionKey"] = json::object{{"topLevelSite", *site}, {"hasCrossSiteAncestor", foreign}};
    }
    bool has_place =
        result.contains("url") || (!text_of(result, "domain").empty() && !text_of(result, "path").empty());
    if (!result.contains("name") || !result.contains("value") || !has_place)
        return bad_cookie("Cookie should have a url or a domain/path pair");
    return result;
}

}  // namespace

Task<> set_cookies(std::shared_ptr<Session> browser, std::string context, json::array given) {
    json::array cookies;
    for (const json::value& each : given) {
        if (!each.is_object()) co_await bad_cookie("A cookie is no object");
        cookies.emplace_back(co_await cookie_parameters(each.as_object()));
    }
    if (cookies.empty()) co_return;
    json::object params{{"cookies", std::move(cookies)}};
    if (!context.empty()) params["browserContextId"] = context;
    co_await refusable(browser->send("Storage.setCookies", std::move(params)));
}

Task<> restore_cookies(std::shared_ptr<Session> browser, std::string context, json::value state) {
    auto set = co_await as_result(set_cookies(browser, context, list_of(state, "cookies")));
    if (!set && set.error().code == ErrorCode::BrowserCrashed) co_await set.error();
    if (!set) co_await bad_state(set.error().message);
}

// Sends both commands at once, so that no deadline falls between deleting and setting.
Task<> replace_cookies(std::shared_ptr<Session> browser, std::string context, json::value state) {
    json::object params;
    if (!context.empty()) params["browserContextId"] = context;
    Pending cleared = browser->begin("Storage.clearCookies", std::move(params));
    co_await restore_cookies(browser, context, std::move(state));
    co_await (co_await cleared);
}

Task<json::array> capture_cookies(std::shared_ptr<Session> browser, std::string context) {
    json::object params;
    if (!context.empty()) params["browserContextId"] = context;
    json::value answer = co_await browser->send("Storage.getCookies", std::move(params));
    json::array cookies;
    for (const json::value& each : list_of(answer, "cookies")) {
        const json::object& given = each.as_object();
        std::string same_site = text_of(given, "sameSite");
        json::object cookie{{"name", text_of(given, "name")},
                            {"value", text_of(given, "value")},
                            {"domain", text_of(given, "domain")},
                            {"path", text_of(given, "path")},
                            {"expires", given.contains("expires") ? given.at("expires") : json::value(-1)},
                            {"httpOnly", flag_of(given, "httpOnly")},
                            {"secure", flag_of(given, "secure")},
                            {"sameSite", same_site.empty() ? "Lax" : same_site}};
        if (const json::object* partition = json::find_object(given, "partitionKey")) {
            cookie["_crHasCrossSiteAncestor"] = flag_of(*partition, "hasCrossSiteAncestor");
            cookie["partitionKey"] = text_of(*partition, "topLevelSite");
        }
        cookies.emplace_back(std::move(cookie));
    }
    co_return cookies;
}

Task<> restore_local_storage(std::shared_ptr<Session> page, json::value state) {
    if (list_of(state, "origins").empty()) co_return;
    {
        BlankAnswers answers(page);
        for (const json::value& each : list_of(state, "origins")) {
            if (!each.is_object()) co_await bad_state("An origin is no object");
            co_await visit(page, text_of(each.as_object(), "origin"));
            co_await evaluate(page, std::string(kWriteStorage) + "(" +
                                        json::serialize(list_of(each, "localStorage")) + ")");
        }
    }
    co_await leave(page);
}

Task<json::array> capture_local_storage(std::shared_ptr<Session> page, std::vector<std::string> origins) {
    json::array found;
    if (origins.empty()) co_return found;
    {
        BlankAnswers answers(page);
        for (const std::string& origin : origins) {
            co_await visit(page, origin);
            json::value storage = co_await local_storage_of(page);
            if (storage.is_object()) found.push_back(std::move(storage));
        }
    }
    co_await leave(page);
    co_return found;
}

Task<json::array> capture_origins(std::shared_ptr<Session> page, std::vector<std::string> origins) {
    constexpr std::string_view kMaxDatabaseBytes = "4194304";
    json::array found;
    {
        BlankAnswers answers(page);
        for (const std::string& origin : origins) {
            co_await visit(page, origin);
            json::value storage = co_await evaluate(
                page, std::string(origin_storage_script()) + ".read(" + std::string(kMaxDatabaseBytes) + ")");
            if (storage.is_object()) found.push_back(std::move(storage));
        }
    }
    co_return found;
}

Task<json::value> local_storage_of(std::shared_ptr<Session> page) {
    co_return co_await evaluate(std::move(page), std::string(kReadStorage));
}

}  // namespace cdp
