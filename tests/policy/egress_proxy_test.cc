#include "policy/egress_proxy.h"

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
using policy::EgressProxy;
using policy::Policies;
using policy::Subject;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A server that answers every connection's first request, and remembers what it was sent.
class Site {
public:
    explicit Site(Loop& loop, int port = 0)
        : acceptor_(loop,
                    tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port))) {
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

class EgressProxyTest : public testing::Test {
protected:
    void open(policy::Rules rules, std::vector<policy::CallRule> callers = {}) {
        policies.emplace(std::move(rules), std::move(callers));
        proxy = std::make_unique<EgressProxy>(loop, *policies,
                                              [this](const Denial& denial) { denials.push_back(denial); });
        auto listening = proxy->listen();
        ASSERT_TRUE(listening);
        port = *listening;
    }
    // What the proxy sends until it has sent `until`, or closes.
    std::string ask(const std::string& request, const std::string& until = "\n never \n") {
        return ask_at(port, request, until);
    }
    std::string ask_at(int proxy_port, const std::string& request, const std::string& until = "\n never \n") {
        auto socket = std::make_unique<tcp::socket>(loop);
        socket->connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(proxy_port)});
        asio::write(*socket, asio::buffer(request));
        std::string answer;
        bool done = false;
        asio::async_read_until(*socket, asio::dynamic_buffer(answer), until, [&](auto...) { done = true; });
        fakes::run_until(loop, [&] { return done; });
        sockets.push_back(std::move(socket));
        return answer;
    }
    std::string url(const Site& site) { return "http://127.0.0.1:" + std::to_string(site.port()) + "/"; }

    Loop loop{1};
    std::optional<Policies> policies;
    std::unique_ptr<EgressProxy> proxy;
    int port = 0;
    std::vector<Denial> denials;
    std::vector<std::unique_ptr<tcp::socket>> sockets;
};

TEST_F(EgressProxyTest, PassesARequestOnAndItsAnswerBack) {
    Site site(loop);
    open({.allowed_domains = {"127.0.0.1"}});

    std::string answer = ask("GET " + url(site) + "x HTTP/1.1\r\nHost: a\r\n\r\n", "hi");

    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("Connection: close"));
    ASSERT_EQ(site.requests.size(), 1u);
    EXPECT_THAT(site.requests[0], StartsWith("GET /x HTTP/1.1\r\n"));
}

TEST_F(EgressProxyTest, PassesATunnelOnWithAllThatComes) {
    Site site(loop);
    open({.allowed_domains = {"localhost"}});

    std::string answer =
        ask("CONNECT localhost:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\nfirst bytes", "hi");

    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(site.requests, testing::ElementsAre("first bytes"));
}

TEST_F(EgressProxyTest, RefusesWhatARuleForbidsAndSaysWhich) {
    Site site(loop);
    open({.allowed_domains = {"example.com"}});

    EXPECT_THAT(ask("GET " + url(site) + " HTTP/1.1\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("allowed domains")));
    EXPECT_THAT(ask("CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 403"));

    EXPECT_THAT(site.requests, IsEmpty());
    EXPECT_EQ(denials.size(), 2u);
}

TEST_F(EgressProxyTest, RefusesANameThatLeadsToAPrivateAddress) {
    Site site(loop);
    open({.deny_private_networks = true});

    std::string answer = ask("CONNECT localhost:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n");

    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("denyPrivateNetworks")));
    EXPECT_THAT(site.requests, IsEmpty());
}

TEST_F(EgressProxyTest, KnowsWhyAHostWasOutOfReachUntilItIsNot) {
    auto site = std::make_unique<Site>(loop);
    open({.allowed_domains = {"127.0.0.1", "nowhere.invalid"}});
    const std::string address = url(*site), request = "GET " + address + " HTTP/1.1\r\n\r\n";
    EXPECT_EQ(proxy->failure(address), std::nullopt);

    ask("CONNECT nowhere.invalid:443 HTTP/1.1\r\n\r\n");
    EXPECT_EQ(proxy->failure("https://nowhere.invalid/path"), "net::ERR_NAME_NOT_RESOLVED");
    EXPECT_EQ(proxy->failure("http://nowhere.invalid/path"), std::nullopt);

    int port_of_site = site->port();
    site.reset();
    EXPECT_EQ(ask(request), "");
    EXPECT_EQ(proxy->failure(address), "net::ERR_CONNECTION_REFUSED");
    Site again(loop, port_of_site);
    ask(request, "hi");
    EXPECT_EQ(proxy->failure(address), std::nullopt);
}

TEST_F(EgressProxyTest, NeverLeadsToOurOwnPorts) {
    Site site(loop);
    open({});
    proxy->protect(site.port());

    std::string own = ask("CONNECT 127.0.0.1:" + std::to_string(port) + " HTTP/1.1\r\n\r\n");
    std::string answer = ask("CONNECT localhost:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n");

    EXPECT_THAT(own, StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("never reach this server")));
    EXPECT_THAT(site.requests, IsEmpty());
}

TEST_F(EgressProxyTest, SendsNoSecondRequestToTheServerOfTheFirst) {
    Site site(loop);
    open({.allowed_domains = {"127.0.0.1"}});
    std::string first = "GET " + url(site) + " HTTP/1.1\r\n\r\n";

    EXPECT_THAT(ask(first + "GET http://evil.test/ HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    ask(first, "hi");
    asio::write(*sockets.back(), asio::buffer(std::string("GET http://evil.test/ HTTP/1.1\r\n\r\n")));
    fakes::run_until(loop, [&] { return proxy->connection_count() == 0; });

    EXPECT_EQ(site.requests.size(), 1u);
}

TEST_F(EgressProxyTest, SaysWhenNobodyIsThere) {
    open({.allowed_domains = {"*"}});
    int unused = 0;
    {
        tcp::acceptor taken(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        unused = taken.local_endpoint().port();
    }

    EXPECT_THAT(ask("CONNECT 127.0.0.1:" + std::to_string(unused) + " HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 502"));
    // A page would take an answer to a plain request for the site's.
    EXPECT_EQ(ask("GET http://no-such-host.invalid/ HTTP/1.1\r\n\r\n"), "");
    EXPECT_EQ(proxy->failure("http://no-such-host.invalid/"), "net::ERR_NAME_NOT_RESOLVED");
    EXPECT_THAT(denials, IsEmpty());
}

TEST_F(EgressProxyTest, GoesWithItsConnectionsOpen) {
    Site site(loop);
    open({.allowed_domains = {"127.0.0.1"}});
    ask("CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n", "\r\n\r\n");
    EXPECT_EQ(proxy->connection_count(), 1u);

    proxy.reset();

    bool closed = false;
    char byte = 0;
    sockets.back()->async_read_some(asio::buffer(&byte, 1),
                                    [&](auto error, std::size_t) { closed = bool(error); });
    fakes::run_until(loop, [&] { return closed; });
}

TEST_F(EgressProxyTest, KnowsByThePortWhoseAConnectionIs) {
    Site site(loop);
    open({.allowed_domains = {"example.com"}});
    auto proxy_port =
        proxy->open_port([] { return Subject{.session = "reader", .principal = "ann"}; }).value();

    ask_at(proxy_port->port(), "GET " + url(site) + " HTTP/1.1\r\n\r\n");
    ask_at(proxy_port->port(), "CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n");

    ASSERT_EQ(denials.size(), 2u);
    for (const Denial& denial : denials) {
        EXPECT_EQ(denial.who.session, "reader");
        EXPECT_EQ(denial.who.principal, "ann");
    }
}

TEST_F(EgressProxyTest, KeepsEachCallerToItsOwnDomains) {
    Site site(loop);
    open({}, {{.session = "local", .allowed_domains = {"127.0.0.1"}}, {.allowed_domains = {"example.com"}}});
    auto local = proxy->open_port([] { return Subject{.session = "local"}; }).value();
    auto other = proxy->open_port([] { return Subject{.session = "other"}; }).value();
    auto nobodys = proxy->open_port([] { return std::optional<Subject>(); }).value();
    std::string tunnel = "CONNECT 127.0.0.1:" + std::to_string(site.port()) + " HTTP/1.1\r\n\r\n";

    EXPECT_THAT(ask_at(local->port(), tunnel, "\r\n\r\n"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(ask_at(other->port(), tunnel),
                AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("allowed domains of security.rules[1]")));
    // Nobody knows whose these are, so no rule can be said to allow them.
    EXPECT_THAT(ask_at(nobodys->port(), tunnel), StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(ask(tunnel), StartsWith("HTTP/1.1 403"));
}

TEST_F(EgressProxyTest, LetsNoPageThroughAnothersPort) {
    open({});
    auto ours = proxy->open_port([] { return Subject{.session = "ours"}; }).value();
    auto theirs = proxy->open_port([] { return Subject{.session = "theirs"}; }).value();

    EXPECT_THAT(
        ask_at(ours->port(), "CONNECT 127.0.0.1:" + std::to_string(theirs->port()) + " HTTP/1.1\r\n\r\n"),
        AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("never reach this server")));
}

TEST_F(EgressProxyTest, ClosesAPortWithItsHolder) {
    open({});
    auto proxy_port = proxy->open_port([] { return Subject{}; }).value();
    auto port_number = static_cast<unsigned short>(proxy_port->port());

    proxy_port.reset();

    tcp::socket socket(loop);
    boost::system::error_code error;
    socket.connect({asio::ip::address_v4::loopback(), port_number}, error);
    EXPECT_TRUE(error);
}

}  // namespace
