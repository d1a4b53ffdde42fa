#include "upstream/ports.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::AllOf;
using testing::Ge;
using testing::Lt;
using upstream::Ports;
using upstream::preferred_port;

TEST(UpstreamPorts, AreTheSameForASessionEveryTime) {
    // The first two bytes of the SHA-256 of "abc" are ba 78.
    EXPECT_EQ(preferred_port("abc"), 20000 + 0xba78 % 12768);
    Ports one, another;
    int first = **one.take("some session of this test");
    EXPECT_EQ(first, **another.take("some session of this test"));
}

// The kernel gives those to whoever connects or listens anywhere, also between our choice and the server's
// bind.
TEST(UpstreamPorts, AreNotAmongThoseOfOutgoingConnections) {
    for (int i = 0; i < 10'000; ++i)
        EXPECT_THAT(preferred_port("session " + std::to_string(i)), AllOf(Ge(20000), Lt(32768)));
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
