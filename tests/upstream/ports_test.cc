#include "upstream/ports.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using upstream::Ports;
using upstream::preferred_port;

TEST(UpstreamPorts, AreTheSameForASessionEveryTime) {
    // The first two bytes of the SHA-256 of "abc" are ba 78.
    EXPECT_EQ(preferred_port("abc"), 20000 + 0xba78 % 20000);
    Ports one, another;
    int first = **one.take("some session of this test");
    EXPECT_EQ(first, **another.take("some session of this test"));
}

TEST(UpstreamPorts, GoOnToTheNextFreeOneAndAreGivenBack) {
    Ports ports;
    auto first = ports.take("abc");
    auto second = ports.take("abc");
    ASSERT_TRUE(first && second);
    EXPECT_GT(**second, **first);
    int port = **first;
    *first = nullptr;
    EXPECT_EQ(**ports.take("abc"), port);
}

TEST(UpstreamPorts, NeverCollideAmongManySessions) {
    Ports ports;
    std::vector<Ports::Lease> leases;
    std::set<int> distinct;
    for (int i = 0; i < 300; ++i) {
        leases.push_back(*ports.take("session " + std::to_string(i)));
        distinct.insert(*leases.back());
    }
    EXPECT_EQ(distinct.size(), leases.size());
}

}  // namespace
