// HTTP/1.1 exchanges with one server, over connections that are kept between them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/async.h"

namespace transport {

struct HttpServerAddress {
    std::string host;  // a name, or an IP address without brackets
    std::string port;
    std::string host_header;
};

struct HttpUrl {
    HttpServerAddress address;
    std::string target;  // path and query
    std::string shown;   // for messages: without credentials and query
};
Result<HttpUrl> parse_http_url(const std::string& text);

struct HttpClientRequest {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body = {};
};

struct HttpClientHead {
    int status = 0;
    std::string reason;
    std::vector<std::pair<std::string, std::string>> headers;

    // Ignores the case of the name; empty when there is no such header.
    std::string_view header(std::string_view name) const;
};

// Called from the loop in this order: head once, body any number of times, end once. A failure calls end
// early; its message is a fragment like "connect ECONNREFUSED 127.0.0.1:1234".
struct HttpClientHandlers {
    std::function<void(const HttpClientHead&)> on_head;
    std::function<void(std::string_view)> on_body;
    std::function<void(std::optional<Error>)> on_end;
};

// A request in progress. It continues when this is dropped.
class HttpClientExchange {
public:
    virtual ~HttpClientExchange() = default;
    // Stops calling the handlers, on_end included.
    virtual void abort() = 0;
};

class HttpClientPool {
public:
    virtual ~HttpClientPool() = default;
    // `max_body` limits the body, unless it is an event stream.
    virtual std::shared_ptr<HttpClientExchange> start(HttpClientRequest request, std::size_t max_body,
                                                      HttpClientHandlers handlers) = 0;
    // Stops keeping connections.
    virtual void close() = 0;
};

std::shared_ptr<HttpClientPool> make_http_client_pool(Loop& loop, HttpServerAddress address);

}  // namespace transport
