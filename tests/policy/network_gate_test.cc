#include "policy/network_gate.h"

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using policy::Denial;
using policy::NetworkGate;
using policy::Policies;
using policy::Subject;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A server that answers every connection's first request, and remembers what it was sent.
class Site {
public:
    explicit Site(Loop& loop) : acceptor_(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
        accept();
    }
    int port() const { return acceptor_.local_endpoint().port(); }
    std::string answer = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi";
    std::vector<std::string> requests;

private:
    void accept() {
        acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
            if (error) return;
            sockets_.push_back(std::make_shared<tcp::socket>(std::move(socket)));
            read(sockets_.back());
            accept();
        });
    }
    void read(const std::shared_ptr<tcp::socket>& socket) {
        auto buffer = std::make_shared<std::string>(4096, '\0');
        socket->async_read_some(asio::buffer(*buffer),
                                [=, this](boost::system::error_code error, std::size_t size) {
                                    if (error) return;
                                    requests.push_back(buffer->substr(0, size));
                                    asio::async_write(*socket, asio::buffer(answer), [](auto...) {});
                                    read(socket);
                                });
    }

    tcp::acceptor acceptor_;
    std::vector<std::shared_ptr<tcp::socket>> sockets_;
};

class NetworkGateTest : public testing::Test {
protected:
    void open(policy::Rules rules, std::vector<policy::CallRule> callers = {}) {
        policies.emplace(std::move(rules), std::move(callers));
        gate = std::make_unique<NetworkGate>(loop, *policies,
                                             [this](const Denial& denial) { denials.push_back(denial); });
        auto listening = gate->listen();
        ASSERT_TRUE(listening);
        port = *listening;
    }
    // What the gate sends until it has sent `until`, or closes.
    std::string ask(const std::string& request, const std::string& until = "\n never \n") {
        return ask_at(port, request, until);
    }
    std::string ask_at(int door, const std::string& request, const std::string& until = "\n never \n") {
        auto socket = std::make_unique<tcp::socket>(loop);
        socket->connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(door)});
        asio::write(*socket, asio::buffer(request));
        std::string told;
        bool done = false;
        asio::async_read_until(*socket, asio::dynamic_buffer(told), until, [&](auto...) { done = true; });
        fakes::run_until(loop, [&] { return done; });
        sockets.push_back(std::move(socket));
        return told;
    }
    std::string url(const Site& site) { return "http://127.0.0.1:" + std::to_string(site.port()) + "/"; }

    Loop loop{1};
    std::optional<Policies> policies;
    std::unique_ptr<NetworkGate> gate;
    int port = 0;
    std::vector<Denial> denials;
    std::vector<std::unique_ptr<tcp::socket>> sockets;
};

TEST_F(NetworkGateTest, PassesARequestOnAndItsAnswerBack) {
    Site site(loop);
    open({.allowed_domains = {"127.0.0.1"}});

    std::string told = ask("GET " + url(site) + "x HTTP/1.1\r\nHost: a\r\n\r\n", "hi");

    EXPECT_THAT(told, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(told, HasSubstr("Connection: close"));
    ASSERT_EQ(site.requests.size(), 1u);
    EXPECT_THAT(site.requests[0], StartsWith("GET /x HTTP/1.1\r\n"));
}

TEST_F(NetworkGateTest, PassesATunnelOnWithAllThatComes) {
    Site site(loop);
    open({.allowed_domains = {"localhost"}});

    std::string told =
        ask("CONNECT localhost:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\nfirst bytes", "hi");

    EXPECT_THAT(told, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(site.requests, testing::ElementsAre("first bytes"));
}

TEST_F(NetworkGateTest, RefusesWhatARuleForbidsAndSaysWhich) {
    Site site(loop);
    open({.allowed_domains = {"example.com"}});

    EXPECT_THAT(ask("GET " + url(site) + " HTTP/1.1\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("allowed domains")));
    EXPECT_THAT(ask("CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 403"));

    EXPECT_THAT(site.requests, IsEmpty());
    EXPECT_EQ(denials.size(), 2u);
}

TEST_F(NetworkGateTest, RefusesANameThatLeadsToAPrivateAddress) {
    Site site(loop);
    open({.deny_private_networks = true});

    std::string told = ask("CONNECT localhost:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n");

    EXPECT_THAT(told, AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("denyPrivateNetworks")));
    EXPECT_THAT(site.requests, IsEmpty());
}

TEST_F(NetworkGateTest, NeverLeadsToOurOwnPorts) {
    Site site(loop);
    open({});
    gate->protect(site.port());

    std::string own = ask("CONNECT 127.0.0.1:" + std::to_string(port) + " HTTP/1.1\r\n\r\n");
    std::string told = ask("CONNECT localhost:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n");

    EXPECT_THAT(own, StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(told, AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("never reach this server")));
    EXPECT_THAT(site.requests, IsEmpty());
}

TEST_F(NetworkGateTest, SendsNoSecondRequestToTheServerOfTheFirst) {
    Site site(loop);
    open({.allowed_domains = {"127.0.0.1"}});
    std::string first = "GET " + url(site) + " HTTP/1.1\r\n\r\n";

    EXPECT_THAT(ask(first + "GET http://evil.test/ HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    ask(first, "hi");
    asio::write(*sockets.back(), asio::buffer(std::string("GET http://evil.test/ HTTP/1.1\r\n\r\n")));
    fakes::run_until(loop, [&] { return gate->connection_count() == 0; });

    EXPECT_EQ(site.requests.size(), 1u);
}

TEST_F(NetworkGateTest, SaysWhenNobodyIsThere) {
    open({.allowed_domains = {"*"}});
    int unused = 0;
    {
        tcp::acceptor taken(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        unused = taken.local_endpoint().port();
    }

    EXPECT_THAT(ask("CONNECT 127.0.0.1:" + std::to_string(unused) + " HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 502"));
    EXPECT_THAT(ask("GET http://no-such-host.invalid/ HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 502"));
    EXPECT_THAT(denials, IsEmpty());
}

TEST_F(NetworkGateTest, GoesWithItsConnectionsOpen) {
    Site site(loop);
    open({.allowed_domains = {"127.0.0.1"}});
    ask("CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n", "\r\n\r\n");
    EXPECT_EQ(gate->connection_count(), 1u);

    gate.reset();

    bool closed = false;
    char byte = 0;
    sockets.back()->async_read_some(asio::buffer(&byte, 1),
                                    [&](auto error, std::size_t) { closed = bool(error); });
    fakes::run_until(loop, [&] { return closed; });
}

TEST_F(NetworkGateTest, KnowsByTheDoorWhoseAConnectionIs) {
    Site site(loop);
    open({.allowed_domains = {"example.com"}});
    auto door = gate->open_door([] { return Subject{.session = "reader", .principal = "ann"}; }).value();

    ask_at(door->port(), "GET " + url(site) + " HTTP/1.1\r\n\r\n");
    ask_at(door->port(), "CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n");

    ASSERT_EQ(denials.size(), 2u);
    for (const Denial& denial : denials) {
        EXPECT_EQ(denial.who.session, "reader");
        EXPECT_EQ(denial.who.principal, "ann");
    }
}

TEST_F(NetworkGateTest, KeepsEachCallerToItsOwnDomains) {
    Site site(loop);
    open({}, {{.session = "local", .allowed_domains = {"127.0.0.1"}}, {.allowed_domains = {"example.com"}}});
    auto local = gate->open_door([] { return Subject{.session = "local"}; }).value();
    auto other = gate->open_door([] { return Subject{.session = "other"}; }).value();
    auto nobodys = gate->open_door([] { return std::optional<Subject>(); }).value();
    std::string tunnel = "CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n";

    EXPECT_THAT(ask_at(local->port(), tunnel, "\r\n\r\n"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(ask_at(other->port(), tunnel),
                AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("allowed domains of security.rules[1]")));
    // Nobody knows whose these are, so no rule can be said to allow them.
    EXPECT_THAT(ask_at(nobodys->port(), tunnel), StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(ask(tunnel), StartsWith("HTTP/1.1 403"));
}

TEST_F(NetworkGateTest, LetsNoPageThroughAnothersDoor) {
    open({});
    auto ours = gate->open_door([] { return Subject{.session = "ours"}; }).value();
    auto theirs = gate->open_door([] { return Subject{.session = "theirs"}; }).value();

    EXPECT_THAT(
        ask_at(ours->port(), "CONNECT 127.0.0.1:" + std::to_string(theirs->port()) + " HTTP/1.1\r\n\r\n"),
        AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("never reach this server")));
}

TEST_F(NetworkGateTest, ClosesADoorWithItsHolder) {
    open({});
    auto door = gate->open_door([] { return Subject{}; }).value();
    auto port_of_door = static_cast<unsigned short>(door->port());

    door.reset();

    tcp::socket socket(loop);
    boost::system::error_code error;
    socket.connect({asio::ip::address_v4::loopback(), port_of_door}, error);
    EXPECT_TRUE(error);
}

}  // namespace
