#include "doctor/isolation_rows.h"

#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace doctor {
namespace {

using Finding = std::optional<std::string>;

constexpr std::string_view kLatitude = "48.137154";
constexpr auto kPause = std::chrono::milliseconds(20);
constexpr int kTries = 500;

std::string make_secret() { return "secret-" + hex_encode(random_bytes(8)); }

std::string with_secret(std::string_view script, const std::string& secret) {
    constexpr std::string_view kPlace = "SECRET";
    std::string text(script);
    for (std::size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += secret.size())
        text.replace(at, kPlace.size(), secret);
    return text;
}

Error untested(std::string_view why, const std::string& answer) {
    return Error{.code = ErrorCode::InternalError, .message = std::string(why), .details = answer};
}

// Stores the secret in the owner's tab and looks for it from the intruder's own.
Task<Finding> probe_context(Stage& stage, const IsolationRow& row) {
    std::string secret = make_secret(), look(row.look);
    std::string kept = co_await stage.owner.evaluate(with_secret(row.keep, secret));
    std::string own = co_await stage.owner.evaluate(look);
    if (!own.contains(secret)) co_await untested("The owner does not find what it kept.", kept + own);
    std::string seen = co_await stage.intruder.evaluate(look);
    if (seen.contains(secret)) co_return "The other session reads it.";
    co_return std::nullopt;
}

// The same for state of a tab: looks for the secret in every tab that the intruder can reach.
Task<Finding> probe_tabs(Stage& stage, const IsolationRow& row) {
    std::string secret = make_secret();
    std::string kept = co_await stage.owner.evaluate(with_secret(row.keep, secret));
    std::string own = co_await stage.owner.evaluate(std::string(row.look));
    if (!own.contains(secret)) co_await untested("The owner does not find what it kept.", kept + own);
    std::string seen = co_await stage.look_everywhere("browser_evaluate", {{"function", row.look}});
    if (seen.contains(secret)) co_return "The other session reads it.";
    co_return std::nullopt;
}

// For settings of the session: stores nothing, as the owner's first look returns the secret.
Task<Finding> probe_setting(Stage& stage, const IsolationRow& row) {
    std::string secret(row.keep), look(row.look);
    std::string own = co_await stage.owner.evaluate(look);
    if (!own.contains(secret)) co_await untested("The owner does not have what it was given.", own);
    std::string seen = co_await stage.intruder.evaluate(look);
    if (seen.contains(secret)) co_return "The other session has it too.";
    co_return std::nullopt;
}

// For channels: a second tab of the owner shows that the message has arrived.
Task<Finding> probe_broadcast(Stage& stage, const IsolationRow&) {
    std::string witness = co_await stage.owner.open(stage.pages.origin());
    std::string secret = make_secret();
    // The second message arrives after the first everywhere.
    for (std::string said : {secret, secret + "-again"}) {
        co_await stage.owner.evaluate("() => channel.postMessage('" + said + "')");
        int tries = kTries;
        for (;;) {
            std::string heard = co_await stage.owner.evaluate("() => heard", witness);
            if (heard.contains(said)) break;
            if (--tries == 0) co_await untested("The owner's other tab does not hear it.", heard);
            co_await sleep_for(stage.loop, kPause);
        }
    }
    std::string seen = co_await stage.intruder.evaluate("() => heard");
    if (seen.contains(secret)) co_return "The other session hears it.";
    co_return std::nullopt;
}

Task<Finding> probe_http_cache(Stage& stage, const IsolationRow&) {
    const std::string fetch = "() => fetch('/cached').then(response => response.text())";
    std::string first = co_await stage.owner.evaluate(fetch);
    std::string again = co_await stage.owner.evaluate(fetch);
    if (first != again || !first.contains("answer")) co_await untested("Nothing is cached.", first + again);
    std::string seen = co_await stage.intruder.evaluate(fetch);
    if (seen == first) co_return "The other session is answered from this session's cache.";
    co_return std::nullopt;
}

Task<Finding> probe_http_auth(Stage& stage, const IsolationRow&) {
    const std::string fetch = "() => fetch('/guarded').then(response => response.text())";
    std::string secret = make_secret();
    co_await stage.owner.open(stage.pages.origin_as("owner", secret) + "/guarded");
    std::string own = co_await stage.owner.evaluate(fetch);
    if (!own.contains(secret)) co_await untested("The browser does not keep credentials.", own);
    std::string seen = co_await stage.intruder.evaluate(fetch);
    if (seen.contains(secret)) co_return "The other session is logged in with this session's password.";
    co_return std::nullopt;
}

// Pastes with the keyboard, as a user does.
Task<std::string> paste(Agent& agent) {
    co_await agent.evaluate("() => { to.value = ''; to.focus(); }");
    co_await agent.call_in("", "browser_press_key", {{"key", "Control+v"}});
    co_return co_await agent.evaluate("() => to.value");
}

Task<Finding> probe_clipboard(Stage& stage, const IsolationRow&) {
    std::string secret = make_secret();
    co_await stage.owner.evaluate("() => { from.value = '" + secret + "'; from.focus(); from.select(); }");
    co_await stage.owner.call_in("", "browser_press_key", {{"key", "Control+c"}});
    std::string own = co_await paste(stage.owner);
    if (!own.contains(secret)) co_await untested("What was copied cannot be pasted.", own);
    std::string seen = co_await paste(stage.intruder);
    if (seen.contains(secret)) co_return "The other session pastes it.";
    std::string read = co_await stage.intruder.evaluate(
        "() => navigator.clipboard.readText().catch(error => String(error))");
    if (read.contains(secret)) co_return "A page of the other session reads it.";
    co_return std::nullopt;
}

// Downloads a report with that content and returns the path that the agent gets.
Task<std::filesystem::path> download(Stage& stage, Agent& agent, std::string content) {
    std::string text, function = "() => { const link = document.createElement('a'); link.href = '/report?" +
                                 content + "'; link.download = ''; link.click(); }";
    for (int tries = kTries; tries > 0; --tries) {
        Reply reply = co_await agent.call_in("", "browser_evaluate", {{"function", function}});
        text += reply.text;
        function = "() => 0";
        std::size_t at = text.find("Downloaded file report.txt to \"");
        if (at != std::string::npos) {
            at = text.find('"', at) + 1;
            co_return stage.directory / text.substr(at, text.find('"', at) - at);
        }
        co_await sleep_for(stage.loop, kPause);
    }
    co_await untested("The download does not end.", text);
    co_return std::filesystem::path{};
}

Task<Finding> probe_downloads(Stage& stage, const IsolationRow&) {
    std::string secret = make_secret(), other = make_secret();
    std::filesystem::path own = co_await download(stage, stage.owner, secret);
    std::string before = co_await read_file(own);
    if (before != secret) co_await untested("The downloaded file is another.", before);
    std::filesystem::path taken = co_await download(stage, stage.intruder, other);
    std::string after = co_await read_file(own);
    if (after != secret) co_return "The other session's download replaces this session's.";
    std::string theirs = co_await read_file(taken);
    if (theirs.contains(secret)) co_return "The other session is given this session's download.";
    co_return std::nullopt;
}

Task<Finding> probe_dialogs(Stage& stage, const IsolationRow&) {
    std::string secret = make_secret();
    co_await stage.owner.evaluate("() => { setTimeout(() => alert('" + secret + "')); }");
    Reply own;
    for (int tries = kTries; tries > 0 && !own.text.contains(secret); --tries) {
        own = co_await stage.owner.call_in("", "browser_snapshot");
        co_await sleep_for(stage.loop, kPause);
    }
    if (!own.text.contains(secret)) co_await untested("The dialog does not open.", own.text);
    std::string meanwhile = co_await stage.intruder.evaluate("() => 'works' + 'on'");
    std::string seen = co_await stage.look_everywhere("browser_handle_dialog", {{"accept", true}});
    Reply answered = co_await stage.owner.call_in("", "browser_handle_dialog", {{"accept", true}});
    if (answered.is_error) co_return "The other session answers it.";
    if (!meanwhile.contains("workson")) co_return "It holds up the other session.";
    if (seen.contains(secret)) co_return "The other session is shown it.";
    co_return std::nullopt;
}

Task<Finding> probe_refs(Stage& stage, const IsolationRow&) {
    std::string secret = make_secret();
    co_await stage.owner.evaluate("() => { clicked = 0; document.querySelector('button').textContent = '" +
                                  secret + "'; }");
    Reply shown = co_await stage.owner.call_in("", "browser_snapshot");
    std::size_t at = shown.text.find("[ref=", shown.text.find(secret));
    if (at == std::string::npos) co_await untested("The button has no ref.", shown.text);
    at += std::string_view("[ref=").size();
    std::string ref = shown.text.substr(at, shown.text.find(']', at) - at);
    co_await stage.look_everywhere("browser_click", {{"element", "the button"}, {"target", ref}});
    std::string clicks = co_await stage.owner.evaluate("() => 'clicks:' + clicked");
    if (!clicks.contains("clicks:0")) co_return "The other session clicks by this session's ref.";
    co_await stage.owner.call_in("", "browser_click", {{"element", "the button"}, {"target", ref}});
    clicks = co_await stage.owner.evaluate("() => 'clicks:' + clicked");
    if (!clicks.contains("clicks:1")) co_await untested("The owner's own ref does not work.", clicks);
    co_return std::nullopt;
}

// Checks the data that a page leaves for the tool of that name.
Task<Finding> probe_log(Stage& stage, std::string script, std::string tool, json::object arguments) {
    std::string secret = make_secret();
    co_await stage.owner.evaluate(with_secret(script, secret));
    Reply own = co_await stage.owner.call_in("", tool, arguments);
    if (!own.text.contains(secret)) co_await untested("The owner's own log lacks it.", own.text);
    std::string seen = co_await stage.look_everywhere(tool, arguments);
    if (seen.contains(secret)) co_return "The other session reads it.";
    co_return std::nullopt;
}

Task<Finding> probe_console(Stage& stage, const IsolationRow&) {
    return probe_log(stage, "() => console.log('SECRET')", "browser_console_messages", {});
}

Task<Finding> probe_network_log(Stage& stage, const IsolationRow&) {
    return probe_log(stage, "() => fetch('/ping?SECRET').then(() => 0)", "browser_network_requests",
                     {{"static", true}});
}

Task<Finding> probe_resources(Stage& stage, const IsolationRow&) {
    std::string secret = make_secret();
    co_await stage.owner.evaluate("() => { document.querySelector('button').textContent = '" + secret +
                                  "'; }");
    Reply acted =
        co_await stage.owner.call_in("", "browser_hover", {{"element", "the button"}, {"target", "button"}});
    if (acted.links.empty()) co_await untested("The answer has no resource.", acted.text);
    std::string own = co_await stage.owner.read(acted.links.front());
    if (!own.contains(secret)) co_await untested("The owner cannot read its own resource.", own);
    std::string seen = co_await stage.intruder.read(acted.links.front());
    if (seen.contains(secret)) co_return "The other session reads it by its address.";
    co_return std::nullopt;
}

Task<Finding> probe_handles(Stage& stage, const IsolationRow&) {
    std::vector<std::string> shown = co_await stage.intruder.tabs();
    if (std::ranges::find(shown, stage.owner.tab) != shown.end())
        co_return "The other session is shown this session's tabs.";
    Reply named =
        co_await stage.intruder.call_in(stage.owner.tab, "browser_evaluate", {{"function", "() => 1"}});
    if (!named.is_error) co_return "The other session acts in a tab that it only names.";
    if (!named.text.contains(stage.intruder.tab))
        co_await untested("The error does not name the caller's own tabs.", named.text);
    co_return std::nullopt;
}

constexpr IsolationRow kRows[] = {
    {.name = "cookies",
     .probe = probe_context,
     .keep = "() => { document.cookie = 'kept=SECRET'; }",
     .look = "() => document.cookie"},
    {.name = "localStorage",
     .probe = probe_context,
     .keep = "() => localStorage.setItem('kept', 'SECRET')",
     .look = "() => localStorage.getItem('kept')"},
    {.name = "sessionStorage",
     .belongs = Belongs::ToSession,
     .probe = probe_tabs,
     .keep = "() => sessionStorage.setItem('kept', 'SECRET')",
     .look = "() => sessionStorage.getItem('kept')"},
    {.name = "IndexedDB",
     .probe = probe_context,
     .keep = R"(() => new Promise((resolve, reject) => {
       const opening = indexedDB.open('kept', 1);
       opening.onupgradeneeded = () => opening.result.createObjectStore('all');
       opening.onerror = () => reject(opening.error);
       opening.onsuccess = () => {
         const change = opening.result.transaction('all', 'readwrite');
         change.objectStore('all').put('SECRET', 'it');
         change.oncomplete = () => { opening.result.close(); resolve('kept'); };
       };
     }))",
     .look = R"(() => new Promise(resolve => {
       const opening = indexedDB.open('kept', 1);
       opening.onupgradeneeded = () => opening.transaction.abort();
       opening.onerror = () => resolve('nothing');
       opening.onsuccess = () => {
         const reading = opening.result.transaction('all').objectStore('all').get('it');
         reading.onsuccess = () => { opening.result.close(); resolve(reading.result ?? 'nothing'); };
       };
     }))"},
    {.name = "Cache Storage",
     .probe = probe_context,
     .keep = "() => caches.open('kept').then(cache => cache.put('/kept', new Response('SECRET')))",
     .look = "() => caches.match('/kept').then(found => found?.text() ?? 'nothing')"},
    {.name = "service workers",
     .probe = probe_context,
     .keep = "() => navigator.serviceWorker.register('/service.js?SECRET').then(() => 'kept')",
     .look = R"(() => navigator.serviceWorker.getRegistrations().then(all => all
       .map(each => (each.active ?? each.waiting ?? each.installing)?.scriptURL).join()))"},
    {.name = "BroadcastChannel", .probe = probe_broadcast},
    {.name = "SharedWorker",
     .probe = probe_context,
     .keep = R"(() => new Promise(resolve => {
       const { port } = new SharedWorker('/shared.js');
       port.onmessage = ({ data }) => resolve(data);
       port.postMessage('SECRET');
     }))",
     .look = R"(() => new Promise(resolve => {
       const { port } = new SharedWorker('/shared.js');
       port.onmessage = ({ data }) => resolve(data);
       port.postMessage('');
     }))"},
    {.name = "HTTP cache", .probe = probe_http_cache},
    {.name = "HTTP auth", .probe = probe_http_auth},
    {.name = "permissions",
     .probe = probe_setting,
     .keep = "granted",
     .look = "() => navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)"},
    {.name = "geolocation",
     .probe = probe_setting,
     .keep = kLatitude,
     .look = R"(() => new Promise(resolve => navigator.geolocation.getCurrentPosition(
       ({ coords }) => resolve(String(coords.latitude)), ({ message }) => resolve(message), { timeout: 3000 })))"},
    {.name = "clipboard", .probe = probe_clipboard},
    {.name = "downloads", .belongs = Belongs::ToSession, .probe = probe_downloads},
    {.name = "dialogs", .belongs = Belongs::ToSession, .probe = probe_dialogs},
    {.name = "refs", .belongs = Belongs::ToSession, .probe = probe_refs},
    {.name = "console", .belongs = Belongs::ToSession, .probe = probe_console},
    {.name = "network log", .belongs = Belongs::ToSession, .probe = probe_network_log},
    {.name = "resources", .belongs = Belongs::ToSession, .probe = probe_resources},
    {.name = "handles", .belongs = Belongs::ToSession, .probe = probe_handles},
};

}  // namespace

std::span<const IsolationRow> isolation_rows() { return kRows; }

session::SessionSetup owner_setup() {
    return {.permissions = {"geolocation"},
            .geolocation = json::object{{"latitude", 48.137154}, {"longitude", 11.576124}}};
}

}  // namespace doctor
