#include "tools/resource_address.h"

#include <gtest/gtest.h>

namespace {

using tools::parse_address;
using tools::ResourceAddress;
using tools::ResourceKind;
using tools::to_uri;

TEST(ResourceAddress, IsReadAsItIsWritten) {
    for (const char* uri : {"playwright:///session/default", "playwright:///session/ann",
                            "playwright:///session/a%2Fb%20%C3%A4", "playwright:///page/ann/ABC.1",
                            "playwright:///page/default/ABC/snapshot", "playwright:///element/ann/ABC/f1e2",
                            "playwright:///screenshot/ann/ABC/now", "playwright:///network-log/ann/ABC",
                            "playwright:///download/ann/a%20b.pdf",
                            "playwright:///content/123e4567-e89b-42d3-a456-426614174000"}) {
        auto address = parse_address(uri);
        ASSERT_TRUE(address) << uri;
        EXPECT_EQ(to_uri(*address), uri);
    }
}

TEST(ResourceAddress, TellsTheOwnSessionFromOneThatIsCalledDefault) {
    EXPECT_EQ(parse_address("playwright:///session/default")->session, "");
    std::string uri = to_uri({.kind = ResourceKind::Session, .session = "default"});
    EXPECT_NE(uri, "playwright:///session/default");
    EXPECT_EQ(parse_address(uri)->session, "default");
}

TEST(ResourceAddress, IsNothingForOtherUris) {
    for (const char* uri :
         {"", "playwright:///", "playwright://session/ann", "playwright:///session", "playwright:///session/",
          "playwright:///session/ann/more", "playwright:///page/ann", "playwright:///page/ann/ABC/other",
          "playwright:///page/ann/ABC/snapshot/more", "playwright:///element/ann/ABC",
          "playwright:///walrus/ann", "troupe:///output/a.yml"})
        EXPECT_FALSE(parse_address(uri)) << uri;
}

}  // namespace
