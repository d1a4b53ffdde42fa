#include "util/secure_url.h"

#include <gtest/gtest.h>

TEST(SecureUrl, IsHttpsOrOnThisMachine) {
    for (const char* url : {"https://login.example.com", "https://login.example.com:8443/realms/a",
                            "http://localhost:3000", "http://127.0.0.1:3000/x", "http://[::1]:3000"})
        EXPECT_TRUE(check_secure_url(url)) << url;
    for (const char* url :
         {"http://login.example.com", "http://127.evil.example", "http://localhost.evil.example",
          "http://localhost@evil.example", "https://user:pass@login.example.com", "https://a.example/#b",
          "ftp://localhost", "localhost:3000", "https://", "", "file:///etc/passwd", "//login.example.com"})
        EXPECT_FALSE(check_secure_url(url)) << url;
}
