// A browser made up by the test: it sees what was sent and says what the test wants, in the order it wants.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/connection.h"
#include "engine/cdp/fields.h"
#include "tests/fakes/wait.h"

class ScriptedBrowserTest : public testing::Test {
protected:
    struct Command {
        std::int64_t id;
        std::string method, session;
        json::object params;
    };

    ScriptedBrowserTest() { connection = cdp::Connection::create(loop, std::make_unique<Peer>(*this), log); }
    ~ScriptedBrowserTest() override { connection.reset(); }

    // What the browser says, byte by byte.
    void receive(std::string_view message) { deliver(message); }
    void event(const std::string& session, std::string_view method, json::object params) {
        json::object message{{"method", method}, {"params", std::move(params)}};
        if (!session.empty()) message["sessionId"] = session;
        receive(json::serialize(message));
    }
    void answer(const Command& command, json::object result) {
        receive(json::serialize(json::object{{"id", command.id}, {"result", std::move(result)}}));
    }
    void refuse(const Command& command, std::string_view why) {
        receive(json::serialize(
            json::object{{"id", command.id}, {"error", json::object{{"code", -32000}, {"message", why}}}}));
    }

    // The next command of that name, which has been sent or will be soon. Those before it get empty answers.
    Command next(std::string_view method) {
        Command found{};
        bool seen = false;
        fakes::run_until(loop, [&] {
            while (!seen && !sent.empty()) {
                Command command = sent.front();
                sent.pop_front();
                if (command.method == method) {
                    found = command;
                    seen = true;
                } else {
                    answer(command, {});
                }
            }
            return seen;
        });
        EXPECT_TRUE(seen) << method;
        return found;
    }
    // Everything that is ready to run has run.
    void settle() {
        loop.restart();
        while (loop.poll() > 0) loop.restart();
    }

    Loop loop;
    Log log = Log::silent();
    std::deque<Command> sent;
    std::shared_ptr<cdp::Connection> connection;
    bool closed = false;

private:
    class Peer final : public cdp::Transport {
    public:
        explicit Peer(ScriptedBrowserTest& test) : test_(test) {}
        void start(std::function<void(std::string_view)> on_message,
                   std::function<void(std::string)>) override {
            test_.deliver = std::move(on_message);
        }
        void send(std::string text) override {
            json::object message = json::parse(text)->as_object();
            const json::object* params = json::find_object(message, "params");
            test_.sent.push_back({json::find_integer(message, "id").value_or(0),
                                  cdp::text_of(message, "method"), cdp::text_of(message, "sessionId"),
                                  params ? *params : json::object{}});
        }
        void close() override { test_.closed = true; }

    private:
        ScriptedBrowserTest& test_;
    };

    std::function<void(std::string_view)> deliver;
};
