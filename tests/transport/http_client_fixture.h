// An HttpClient with a server that the test plays.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/client.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/wait.h"
#include "transport/http_client.h"

inline constexpr auto kNoStream = transport::HttpClientOptions::ServerStream::None;

inline std::string event(std::string_view data, std::string_view fields = "") {
    return std::string(fields) + "data: " + std::string(data) + "\n\n";
}

class HttpClientTest : public testing::Test {
protected:
    using Connection = std::shared_ptr<fakes::HttpServer::Connection>;

    void connect(transport::HttpClientOptions options = {.server_stream = kNoStream}) {
        if (options.url.empty()) options.url = server.url();
        options.retry = std::chrono::milliseconds(1);
        auto created = transport::HttpClient::create(loop, std::move(options), log);
        ASSERT_TRUE(created) << created.error().to_string();
        client = std::move(*created);
        client->start({
            .on_message = [this](std::string message) { take(std::move(message)); },
            .on_request_failed = [this](std::int64_t id,
                                        Error reason) { failed.emplace(id, std::move(reason)); },
            .on_close = [this](Error reason) { closed = std::move(reason); },
        });
    }
    void take(std::string message) {
        const auto parsed = json::parse(message);
        if (const json::value* id = parsed ? json::find(*parsed, "id") : nullptr;
            id && json::find(*parsed, "result"))
            client->release(id->as_int64());
        messages.push_back(std::move(message));
    }
    void run_until_messages(std::size_t count) {
        fakes::run_until(loop, [&] { return messages.size() >= count; });
    }
    Error run_until_failed(std::int64_t id) {
        fakes::run_until(loop, [&] { return failed.contains(id); });
        return failed.count(id) ? failed.at(id) : Error{};
    }
    void run_until_requests(std::size_t count) {
        fakes::run_until(loop, [&] { return server.requests.size() >= count; });
    }
    static std::string answer_to(std::int64_t id) {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})";
    }

    Loop loop;
    Log log = Log::silent();
    fakes::HttpServer::Handler handler;
    fakes::HttpServer server{
        loop, [this](const auto& request, const auto& connection) { handler(request, connection); }};
    std::unique_ptr<transport::HttpClient> client;
    std::vector<std::string> messages;
    std::map<std::int64_t, Error> failed;
    std::optional<Error> closed;
};

// A server of one session: answers everything and streams nothing of its own.
inline void serve_session(const fakes::HttpRequest& request,
                          const std::shared_ptr<fakes::HttpServer::Connection>& connection) {
    if (request.method == "GET") return connection->write(fakes::http_answer("405 Method Not Allowed", ""));
    if (request.method == "DELETE") return connection->write("HTTP/1.1 204 No Content\r\n\r\n");
    if (request.body.find("\"initialize\"") != std::string::npos)
        return connection->write(fakes::json_answer(
            R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})",
            "Mcp-Session-Id: s-1\r\n"));
    if (request.body.find("\"id\"") == std::string::npos)
        return connection->write(fakes::http_answer("202 Accepted", ""));
    connection->write(fakes::json_answer(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
}
