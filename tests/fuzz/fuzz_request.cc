// Where one HTTP request ends and the next begins: bytes into our listener and into the proxy that pages go
// through. The first byte says how they are cut (see Manner). What comes out depends on the bytes alone, and
// no request is read that a strict server would read in another way.
#include <charconv>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "policy/origin.h"
#include "policy/proxy_request.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/strict_request.h"
#include "transport/http_connection.h"
#include "util/strings.h"

namespace {

using fuzz::require;
using transport::HttpConnection;
using transport::HttpExchange;

struct Seen {
    std::string method, target, body;

    bool operator==(const Seen&) const = default;
};

// One connection to a listener that remembers every request and answers all of them alike.
class Listener {
public:
    Listener() {
        int ends[2];
        require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
                "there are sockets");
        client_ = ends[0];
        HttpConnection::Socket socket(loop_, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
        auto connection = std::make_shared<HttpConnection>(shared_, std::move(socket), false);
        shared_.connections.insert(connection);
        connection->start();
        settle();
    }
    ~Listener() {
        ::close(client_);
        settle();
        auto left = shared_.connections;
        for (const auto& connection : left) connection->close();
        settle();
    }

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            ssize_t count = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) break;  // it hung up
            bytes.remove_prefix(static_cast<std::size_t>(count));
            settle();
        }
    }

    std::vector<Seen> seen;
    // All that was answered.
    std::string received;

private:
    void take(const std::shared_ptr<HttpExchange>& exchange) {
        std::string target(exchange->path());
        if (!exchange->query().empty()) target += "?" + std::string(exchange->query());
        seen.push_back({std::string(exchange->method()), std::move(target), std::string(exchange->body())});
        exchange->respond(200, {}, "seen");
    }

    void settle() {
        for (bool more = true; more;) {
            loop_.restart();
            more = loop_.poll() > 0;
            char bytes[4096];
            for (ssize_t count; (count = ::read(client_, bytes, sizeof bytes)) > 0; more = true)
                received.append(bytes, static_cast<std::size_t>(count));
        }
    }

    Loop loop_;
    Log log_ = Log::silent();
    Metrics metrics_;
    transport::HttpShared shared_{
        .loop = loop_,
        .limits = {.max_body = 2048, .max_header = 1024},
        .handler = [this](const std::shared_ptr<HttpExchange>& exchange) { take(exchange); },
        .lines = {},
        .log = log_,
        .requests = metrics_.counter("requests", ""),
        .refused = metrics_.counter("refused", ""),
        .timeouts = metrics_.counter("timeouts", ""),
    };
    int client_ = -1;
};

// What was answered to requests that were taken. A head without an end may be refused at once or waited for,
// a wrong one for either of its faults, and whoever has sent a body already is not asked for it.
std::string answers_to_requests(std::string text) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    for (std::size_t at; (at = text.find(kContinue)) != std::string::npos;) text.erase(at, kContinue.size());
    std::size_t last = text.rfind("HTTP/1.1 ");
    bool refused = last != std::string::npos && text.substr(last).contains("\r\nConnection: close\r\n") &&
                   !text.substr(last).starts_with("HTTP/1.1 200");
    return refused ? text.substr(0, last) : text;
}

// "http://host/path" as "/path".
std::string origin_form(std::string_view target) {
    std::size_t scheme = target.find("://");
    std::string name = to_lower(target.substr(0, std::min(scheme, target.size())));
    if (scheme == target.npos || (name != "http" && name != "https")) return std::string(target);
    target.remove_prefix(scheme + 3);
    target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
    return (target.starts_with('/') ? "" : "/") + std::string(target);
}

void check_listener(std::string_view bytes, unsigned cut) {
    Listener whole, in_pieces;
    whole.send(bytes);
    for (std::string_view piece : fuzz::cut_into_pieces(bytes, cut)) in_pieces.send(piece);
    require(whole.seen == in_pieces.seen, "where bytes are cut changes no request", bytes);
    require(answers_to_requests(whole.received) == answers_to_requests(in_pieces.received),
            "where bytes are cut changes no answer", whole.received + "\n---\n" + in_pieces.received);
    std::string_view rest = bytes;
    for (const Seen& seen : whole.seen) {
        auto strict = fuzz::take_request(rest);
        require(strict.has_value(), "what is taken is a whole and unambiguous request", bytes);
        std::string target = origin_form(strict->target);
        if (target.ends_with('?') && target.find('?') == target.size() - 1) target.pop_back();
        require(strict->method == seen.method && target == seen.target, "a request is read as it is written",
                bytes);
        require(strict->body == seen.body, "a body ends where its head says", bytes);
        require(strict->values("host").size() <= 1, "a request has one Host", bytes);
    }
}

bool is_port(std::string_view text) {
    unsigned port = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool is_host(std::string_view text) {
    auto fits = [](char c) { return c > ' ' && c < 0x7f && !std::string_view("#%/<>?@[\\]^|").contains(c); };
    return !text.empty() && std::ranges::all_of(text, fits);
}

// What the proxy sends on is one request, for whoever reads it.
void check_proxy(std::string_view bytes) {
    std::size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos) return;
    auto request = policy::read_request(bytes.substr(0, end + 4));
    if (!request) return;
    require(is_port(request->port), "a port is a number of 16 bits", request->port);
    require(is_host(request->host), "a host is nothing else", request->host);
    if (request->tunnel) return require(request->head.empty(), "a tunnel sends nothing on", request->head);
    auto origin = policy::read_origin(request->url);
    require(origin.host == request->host || origin.host == "[" + request->host + "]",
            "what is judged is what is connected to", request->url);
    auto head = fuzz::read_tolerantly(request->head);
    require(head.rest.empty(), "a head ends once", request->head);
    std::size_t lengths = 0, closes = 0;
    for (std::size_t i = 1; i < head.lines.size(); ++i) {
        std::string_view line = head.lines[i];
        std::string name = to_lower(trim(line.substr(0, line.find_first_of(":\0"))));
        require(name != "transfer-encoding", "a length is a number", request->head);
        require(i > 1 || (line.front() != ' ' && line.front() != '\t'), "the first line does not go on",
                request->head);
        if (name == "connection") closes += trim(line.substr(line.find(':') + 1)) == "close" ? 1 : 100;
        if (name != "content-length") continue;
        ++lengths;
        require(trim(line.substr(line.find(':') + 1)) == std::to_string(request->body),
                "a length is told once and as it is", request->head);
        bool goes_on =
            i + 1 < head.lines.size() && std::string_view(" \t").contains(head.lines[i + 1].front());
        require(!goes_on, "a length does not go on", request->head);
    }
    require(lengths <= 1 && (lengths == 1 || request->body == 0), "there is one length", request->head);
    require(closes == 1, "a connection is for one request", request->head);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view bytes = fuzz::as_text(data, size);
    auto manner = fuzz::Manner::take(bytes);
    check_listener(bytes, manner.cut == 0 ? 1 : manner.cut);
    check_proxy(bytes);
    return 0;
}
