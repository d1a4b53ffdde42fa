#include "daemon/message_scan.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::ElementsAre;
using testing::IsEmpty;

namespace daemons {
namespace {

// "id method params" of each message.
std::vector<std::string> scanned(std::string_view line, Extent extent = Extent::Whole) {
    std::vector<std::string> all;
    scan(line, extent, [&](const Scanned& message) {
        all.push_back(std::string(message.id) + " " + std::string(message.method) + " " +
                      std::string(message.params));
    });
    return all;
}

TEST(Scan, FindsMembersOfTheTopLevelOnly) {
    EXPECT_THAT(
        scanned(R"({"params":{"id":9,"method":"no","x":["}",{"id":8}]},"id" : "a" , "method":"ping"})"),
        ElementsAre(R"("a" ping {"id":9,"method":"no","x":["}",{"id":8}]})"));
}

TEST(Scan, ReadsPastQuotesInTexts) {
    EXPECT_THAT(scanned(R"({"a":"\"id\":7, \\","b\"":{"c":"}"},"id":-5,"method":"m"})"),
                ElementsAre("-5 m "));
}

TEST(Scan, TellsOfEachMessageOfABatch) {
    EXPECT_THAT(scanned(R"( [{"id":1,"method":"a"}, {"method":"b"},{"id":2,"result":{}}] )"),
                ElementsAre("1 a ", " b ", "2  "));
}

TEST(Scan, StopsAtAResult) {
    std::string huge = R"({"jsonrpc":"2.0","id":1,"result":{"unfinished":")";
    EXPECT_THAT(scanned(huge, Extent::UpToResult), ElementsAre("1  "));
    EXPECT_THAT(scanned(R"({"result":{"x":1},"id":4})", Extent::UpToResult), ElementsAre("4  "));
}

TEST(Scan, SurvivesWhatIsNoJson) {
    for (const char* text :
         {"", "x", "{", "[", "[[", "{\"", "{\"id", "{\"id\":", "{\"id\":\"\\", "[1,2]", "{]", "{\"a\":}"})
        scanned(text);
    EXPECT_THAT(scanned("[1]"), IsEmpty());
}

TEST(Scan, TakesNullForNoId) { EXPECT_THAT(scanned(R"({"id":null,"error":{}})"), ElementsAre("  ")); }

TEST(CanonicalId, IsTheSameForTheSameId) {
    EXPECT_EQ(canonical_id("17"), "17");
    EXPECT_EQ(canonical_id("17.0"), "17");
    EXPECT_EQ(canonical_id("1e2"), "100");
    EXPECT_EQ(canonical_id(R"("a\u0062\/")"), canonical_id(R"("ab/")"));
    EXPECT_NE(canonical_id("1"), canonical_id("\"1\""));
}

}  // namespace
}  // namespace daemons
