#include "transport/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/http_exchange.h"

using fakes::FakeExchange;
using testing::HasSubstr;
using testing::Not;
using transport::EventStreams;

namespace {
std::shared_ptr<FakeExchange> reader() { return std::make_shared<FakeExchange>("GET", "/mcp"); }
}  // namespace

TEST(EventStreams, SendsToTheReaderAtOnceAndEndsWithTheStream) {
    EventStreams streams;
    auto id = streams.open();
    auto exchange = reader();
    streams.attach(id, 0, exchange);
    streams.append(id, "{}");
    EXPECT_EQ(exchange->answer, "event: message\nid: 1-1\ndata: {}\n\n");
    streams.finish(id);
    EXPECT_TRUE(exchange->ended);
}

TEST(EventStreams, ReplaysOnlyWhatCameAfterTheLastEventOfThatStream) {
    EventStreams streams;
    auto one = streams.open(), two = streams.open();
    streams.append(one, "a");
    streams.append(two, "other");
    streams.append(one, "b");
    auto place = streams.find("1-1");
    ASSERT_TRUE(place.has_value());

    auto exchange = reader();
    streams.attach(place->stream, place->position, exchange);
    EXPECT_EQ(exchange->answer, "event: message\nid: 1-2\ndata: b\n\n");
    streams.append(one, "c");
    EXPECT_THAT(exchange->answer, HasSubstr("data: c"));
    EXPECT_THAT(exchange->answer, Not(HasSubstr("other")));
}

TEST(EventStreams, ReplaysAFinishedStreamAndEndsIt) {
    EventStreams streams;
    auto id = streams.open();
    streams.append(id, "answer");
    streams.finish(id);
    auto exchange = reader();
    streams.attach(id, 0, exchange);
    EXPECT_THAT(exchange->answer, HasSubstr("answer"));
    EXPECT_TRUE(exchange->ended);
}

TEST(EventStreams, KnowsWhenAStreamIsOverForWhoComesBack) {
    EventStreams streams;
    auto stream = streams.open();
    streams.append(stream, "1");
    EXPECT_FALSE(streams.is_over({stream, 1}));
    streams.finish(stream);
    EXPECT_FALSE(streams.is_over({stream, 0}));
    EXPECT_TRUE(streams.is_over({stream, 1}));
    EXPECT_FALSE(streams.is_over({EventStreams::kStandalone, 0}));
}

TEST(EventStreams, RefusesEventIdsItDoesNotRemember) {
    EventStreams streams;
    auto id = streams.open();
    streams.append(id, "x");
    for (const char* event : {"", "1", "1-", "-1", "x-1", "1-9", "7-1", "1-1x", "99999999999999999999-1"})
        EXPECT_FALSE(streams.find(event)) << event;
    EXPECT_TRUE(streams.find("0-0"));
}

TEST(EventStreams, KeepsAMessageThatNobodyReadsUntilSomebodyDoes) {
    EventStreams streams;
    streams.append(EventStreams::kStandalone, "early");
    auto first = reader();
    streams.attach(EventStreams::kStandalone, streams.delivered(EventStreams::kStandalone), first);
    EXPECT_THAT(first->answer, HasSubstr("early"));
    first->vanish();
    streams.append(EventStreams::kStandalone, "late");

    auto second = reader();
    streams.attach(EventStreams::kStandalone, streams.delivered(EventStreams::kStandalone), second);
    EXPECT_THAT(second->answer, Not(HasSubstr("early")));
    EXPECT_THAT(second->answer, HasSubstr("late"));
}

TEST(EventStreams, ForgetsTheOldestInsteadOfGrowing) {
    EventStreams streams;
    std::string megabyte(1 << 20, 'x');
    auto id = streams.open();
    for (int i = 0; i < 10; ++i) streams.append(id, megabyte);
    EXPECT_FALSE(streams.find("1-1"));
    EXPECT_TRUE(streams.find("1-9"));
    for (int i = 0; i < 100; ++i) streams.finish(streams.open());
    EXPECT_FALSE(streams.find("2-0"));
}
