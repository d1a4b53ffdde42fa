#include "doctor/isolation_pages.h"

#include "util/strings.h"

namespace doctor {
namespace {

using transport::Headers;

constexpr std::string_view kPage = R"(<!doctype html><title>isolation</title>
<button onclick="window.clicked = (window.clicked ?? 0) + 1">press</button>
<textarea id=from></textarea><textarea id=to></textarea>
<script>
  window.heard = [];
  window.channel = new BroadcastChannel('isolation');
  channel.onmessage = ({ data }) => heard.push(data);
</script>)";

// Keeps the last message it received.
constexpr std::string_view kSharedWorker = R"(let kept = '';
onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => { if (data) kept = data; port.postMessage(kept); };
};)";

constexpr std::string_view kServiceWorker = "onfetch = () => {};";

Headers typed(std::string type, std::string cache = "no-store") {
    return {{"Content-Type", std::move(type)}, {"Cache-Control", std::move(cache)}};
}

}  // namespace

Result<std::unique_ptr<IsolationPages>> IsolationPages::start(Loop& loop, Log& log) {
    std::unique_ptr<IsolationPages> pages(new IsolationPages);
    pages->server_ = transport::HttpServer::create(
        loop, {}, [self = pages.get()](const auto& exchange) { self->answer(*exchange); }, {}, log,
        pages->metrics_);
    int port = TRY(pages->server_->listen_tcp("127.0.0.1", 0));
    pages->address_ = "127.0.0.1:" + std::to_string(port);
    return pages;
}

void IsolationPages::answer(transport::HttpExchange& exchange) {
    std::string_view path = exchange.path();
    if (path == "/") return exchange.respond(200, typed("text/html"), std::string(kPage));
    if (path == "/shared.js")
        return exchange.respond(200, typed("text/javascript"), std::string(kSharedWorker));
    if (path == "/service.js")
        return exchange.respond(200, typed("text/javascript"), std::string(kServiceWorker));
    if (path == "/cached") {
        return exchange.respond(200, typed("text/plain", "max-age=3600"),
                                "answer " + std::to_string(++served_) + ";");
    }
    if (path == "/guarded") {
        auto given = exchange.header("Authorization");
        if (!given || !given->starts_with("Basic ")) {
            Headers headers = typed("text/plain");
            headers.emplace_back("WWW-Authenticate", "Basic realm=\"isolation\"");
            return exchange.respond(401, headers, "who are you?");
        }
        auto credentials = base64_decode(given->substr(6));
        return exchange.respond(200, typed("text/plain"), credentials ? *credentials : "");
    }
    if (path == "/report") {
        Headers headers = typed("application/octet-stream");
        headers.emplace_back("Content-Disposition", "attachment; filename=report.txt");
        return exchange.respond(200, headers, std::string(exchange.query()));
    }
    exchange.respond(path == "/ping" ? 200 : 404, typed("text/plain"), "");
}

}  // namespace doctor
