// A DevTools server behind TLS: its certificate must be one we trust, and its own.
#include <filesystem>
#include <stdlib.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "engine/cdp/web_client.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/wait.h"

using testing::HasSubstr;

namespace {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;
using boost::system::error_code;

// A certificate that localhost gave itself.
struct Identity {
    Identity() {
        key = EVP_EC_gen("P-256");
        certificate = X509_new();
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
        X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
        X509_set_pubkey(certificate, key);
        X509_NAME* name = X509_get_subject_name(certificate);
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
        X509_set_issuer_name(certificate, name);
        X509_sign(certificate, key, EVP_sha256());
    }
    ~Identity() {
        X509_free(certificate);
        EVP_PKEY_free(key);
    }
    EVP_PKEY* key = nullptr;
    X509* certificate = nullptr;
};

// Answers one request of each client.
class TlsServer {
public:
    TlsServer(Loop& loop, Identity& identity)
        : context_(ssl::context::tls_server), acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}) {
        SSL_CTX_use_certificate(context_.native_handle(), identity.certificate);
        SSL_CTX_use_PrivateKey(context_.native_handle(), identity.key);
        accept();
    }
    std::string port() const { return std::to_string(acceptor_.local_endpoint().port()); }

private:
    struct Client {
        Client(tcp::socket socket, ssl::context& context) : stream(std::move(socket), context) {}
        ssl::stream<tcp::socket> stream;
        std::string request;
        std::string answer = fakes::http_answer("200 OK", "safe", "Connection: close\r\n");
    };
    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error) return;
            auto client = std::make_shared<Client>(std::move(socket), context_);
            client->stream.async_handshake(ssl::stream_base::server, [client](error_code failed) {
                if (failed) return;
                boost::asio::async_read_until(client->stream, boost::asio::dynamic_buffer(client->request),
                                              "\r\n\r\n", [client](error_code, std::size_t) {
                                                  boost::asio::async_write(
                                                      client->stream, boost::asio::buffer(client->answer),
                                                      [client](error_code, std::size_t) {});
                                              });
            });
            accept();
        });
    }

    ssl::context context_;
    tcp::acceptor acceptor_;
};

class TlsTest : public testing::Test {
protected:
    void TearDown() override {
        ::unsetenv("SSL_CERT_FILE");
        std::filesystem::remove(file);
    }
    // As an administrator would say it.
    void trust_identity() {
        FILE* out = ::fopen(file.c_str(), "w");
        PEM_write_X509(out, identity.certificate);
        ::fclose(out);
        ::setenv("SSL_CERT_FILE", file.c_str(), 1);
    }
    Result<cdp::HttpAnswer> get(const std::string& host) {
        auto address = cdp::parse_address("https://" + host + ":" + server.port() + "/x");
        return fakes::run_task(loop, cdp::http_get(loop, *address, {}));
    }

    Loop loop;
    Identity identity;
    TlsServer server{loop, identity};
    std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("troupe-tls-" + std::to_string(::getpid()) + ".pem");
};

}  // namespace

TEST_F(TlsTest, TakesACertificateOfATrustedAuthority) {
    trust_identity();
    auto answer = get("localhost");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "safe");
}

TEST_F(TlsTest, RefusesACertificateThatNobodyVouchesFor) {
    auto answer = get("localhost");
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("localhost: self-signed certificate"));
}

TEST_F(TlsTest, RefusesTheCertificateOfAnotherHost) {
    trust_identity();
    EXPECT_FALSE(get("127.0.0.1"));
}
