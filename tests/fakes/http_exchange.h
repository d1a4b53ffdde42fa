// An HTTP request made up by a test, and what was answered to it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "transport/http.h"
#include "util/strings.h"

namespace fakes {

class FakeExchange final : public transport::HttpExchange {
public:
    FakeExchange(std::string method, std::string path, std::map<std::string, std::string> headers = {},
                 std::string body = {})
        : method_(std::move(method)), path_(std::move(path)), body_(std::move(body)) {
        headers_["host"] = "localhost:8931";
        for (auto& [name, value] : headers) headers_[to_lower(name)] = value;
        std::size_t mark = path_.find('?');
        if (mark != std::string::npos) {
            query_ = path_.substr(mark + 1);
            path_.resize(mark);
        }
    }

    std::string_view method() const override { return method_; }
    std::string_view path() const override { return path_; }
    std::string_view query() const override { return query_; }
    std::string_view body() const override { return body_; }
    std::optional<std::string_view> header(std::string_view name) const override {
        auto it = headers_.find(to_lower(name));
        return it == headers_.end() ? std::nullopt : std::optional<std::string_view>(it->second);
    }
    bool is_local_socket() const override { return local; }
    bool is_of_own_process() const override { return own_process; }
    bool wants_upgrade() const override { return headers_.contains("upgrade"); }

    void add_headers(transport::Headers more) override { keep(more); }
    void respond(int code, const transport::Headers& headers, std::string text) override {
        if (ended) return;
        status = code;
        keep(headers);
        answer = std::move(text);
        ended = true;
    }
    void begin_stream(int code, const transport::Headers& headers, std::string) override {
        status = code;
        keep(headers);
        streaming = true;
    }
    void write(std::string piece) override {
        if (!gone) answer += piece;
    }
    void end() override { ended = true; }
    void accept_websocket(std::string_view named, transport::WebSocketAccepted) override {
        upgraded = true;
        subprotocol = named;
    }
    void on_gone(std::function<void()> callback) override { on_gone_ = std::move(callback); }
    bool is_gone() const override { return gone; }

    // The client closes its end.
    void vanish() {
        gone = true;
        if (auto callback = std::exchange(on_gone_, nullptr)) callback();
    }
    std::string response_header(const std::string& name) const {
        auto it = response_headers.find(name);
        return it == response_headers.end() ? "" : it->second;
    }

    bool local = false, own_process = false;
    int status = 0;
    std::string answer, subprotocol;
    std::map<std::string, std::string> response_headers;
    bool streaming = false, ended = false, gone = false, upgraded = false;

private:
    void keep(const transport::Headers& headers) {
        for (const auto& [name, value] : headers) response_headers[std::string(name)] = value;
    }

    std::string method_, path_, query_, body_;
    std::map<std::string, std::string> headers_;
    std::function<void()> on_gone_;
};

}  // namespace fakes
