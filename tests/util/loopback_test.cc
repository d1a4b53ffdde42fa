#include "util/loopback.h"

#include <gtest/gtest.h>

TEST(Loopback, IsTheNameLocalhostAndEveryLoopbackAddress) {
    for (const char* host :
         {"localhost", "LocalHost", "localhost.", "127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "[::1]",
          "[0:0:0:0:0:0:0:1]", "::ffff:127.0.0.1", "[::ffff:127.8.9.10]", "[::FFFF:7f00:1]"}) {
        EXPECT_TRUE(is_loopback(host)) << host;
    }
}

TEST(Loopback, IsNothingThatOnlyLooksLikeIt) {
    for (std::string_view host : {std::string_view("127.evil.com"),
                                  std::string_view("127.0.0.1.nip.io"),
                                  std::string_view("127."),
                                  std::string_view("127"),
                                  std::string_view("127.1"),
                                  std::string_view("127.0.0"),
                                  std::string_view("127.0.0.1."),
                                  std::string_view("127.0.0.256"),
                                  std::string_view("127.0.0.1.1"),
                                  std::string_view("127.0.0.1\0.evil.com", 18),
                                  std::string_view("0x7f.0.0.1"),
                                  std::string_view("2130706433"),
                                  std::string_view("localhost.evil"),
                                  std::string_view("localhost.."),
                                  std::string_view(".localhost"),
                                  std::string_view("app.localhost"),
                                  std::string_view("xlocalhost"),
                                  std::string_view("user@localhost"),
                                  std::string_view("localhost:80"),
                                  std::string_view("[localhost]"),
                                  std::string_view("[127.0.0.1]"),
                                  std::string_view("[::1"),
                                  std::string_view("::1]"),
                                  std::string_view("[::1].evil.com"),
                                  std::string_view("::1.evil.com"),
                                  std::string_view("::1%evil.com"),
                                  std::string_view("[::1%lo]"),
                                  std::string_view("[::2]"),
                                  std::string_view("[::]"),
                                  std::string_view("::ffff:128.0.0.1"),
                                  std::string_view("[::127.0.0.1]"),
                                  std::string_view("0.0.0.0"),
                                  std::string_view("128.0.0.1"),
                                  std::string_view(" 127.0.0.1"),
                                  std::string_view("[]"),
                                  std::string_view("")}) {
        EXPECT_FALSE(is_loopback(host)) << host;
    }
}
